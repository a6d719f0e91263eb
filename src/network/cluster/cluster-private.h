/*
 * State of one clustering, and the functions that its files share.
 */
#pragma once

#include "src/network/cluster/cluster.h"

typedef struct {
    const XtfMatrixSource *source;
    const XtfClusterOptions *options;
    size_t n_pairs;
    uint64_t n_read, n_to_read; /* reads of matrices: finished; expected in all */
    double *values;             /* of the matrix that was read last */
    XtfOrder order;
    XtfClusterReport report;
    double error_sum;
} XtfClusterJob;

/* Reads a matrix into job->values and reports the progress. Fails with XTF_ERROR_CANCELLED when the user cancels. */
bool xtf_cluster_read(XtfClusterJob *job, uint32_t matrix, GError **error);

/* Finds the end of the portion that begins at `left`, and its clusters, by the averages of its matrices. */
bool xtf_cluster_by_average(XtfClusterJob *job, uint32_t left, uint32_t *right, uint32_t *clusters,
                            uint32_t *n_clusters, GError **error);

/* Computes the clusters' values and final numbers, passes the portion to options->portion and adds it to the report. */
bool xtf_cluster_settle(XtfClusterJob *job, uint32_t left, uint32_t right, uint32_t *clusters, uint32_t n_clusters,
                        GError **error);
