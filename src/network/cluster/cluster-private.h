/*
 * One clustering, as its files share it.
 */
#pragma once

#include "src/network/cluster/cluster.h"

typedef struct {
    const XtfMatrixSource *source;
    const XtfClusterOptions *options;
    size_t n_pairs;
    uint64_t read, to_read; /* matrices */
    double *values;         /* the matrix that was read last */
    XtfOrder order;
    XtfClusterReport report;
    double error_sum;
} XtfClusterJob;

/* Reads a matrix into job->values; says how far it is, and stops if it is to. */
bool xtf_cluster_read(XtfClusterJob *job, uint32_t matrix, GError **error);

/* Finds the end of the portion that begins at `left`, and its clusters. */
bool xtf_cluster_by_average(XtfClusterJob *job, uint32_t left, uint32_t *right, uint32_t *clusters,
                            uint32_t *n_clusters, GError **error);

/* Gives clusters their values and their final numbers, hands the portion out, and adds it to the report. */
bool xtf_cluster_settle(XtfClusterJob *job, uint32_t left, uint32_t right, uint32_t *clusters, uint32_t n_clusters,
                        GError **error);
