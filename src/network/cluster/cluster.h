/*
 * Clusters of pairs of processors that communicate alike.
 *
 * A network test measures how long a message takes between each pair of processors. It has one matrix of times for each
 * message length. A portion is a range of consecutive lengths, and its clusters are pairs with similar values in all
 * its matrices. A cluster has one value for each length: the mean of its pairs' values.
 *
 * The method, in six steps, is by A. N. Salnikov and D. Y. Andreev (Moscow State University, 2009). docs/NETWORK.md
 * describes it, with the decisions that the authors left open.
 *
 * - 1, 2: finds the clusters of one matrix (ranges.h).
 * - 3, 4: finds the clusters that the first matrices agree on (intersections.h).
 * - 5: refines the clusters by more matrices. If too many pairs leave their cluster, the portion ends before these
 *   matrices.
 * - 6: begins the next portion there.
 *
 * Memory: about 4 (first + other + 4) bytes for each pair, the distinct vectors of labels, and 32 MiB with `average`.
 * The clustering reads one matrix at a time, each two or three times.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "src/network/cluster/ranges.h"

enum {
    XTF_CLUSTER_MOST_PROCS = 32768, /* keeps the number of pairs at 30 bits */
};

typedef struct {
    uint32_t n_procs, n_matrices;
    /* Reads matrix `matrix`: n_procs x n_procs values, sender by sender. The values of a sender are in the order of the
     * receivers. */
    bool (*read)(void *data, uint32_t matrix, double *values, GError **error);
    void *data;
} XtfMatrixSource;

/* Consecutive matrices with the same clusters. xtf_cluster() owns the memory, until options->portion returns. */
typedef struct {
    uint32_t left, right; /* matrices [left, right) */
    uint32_t n_clusters;
    /* Cluster of each pair. Clusters are numbered by the sum of their values over the matrices, then by their first
     * pair. */
    const uint32_t *clusters;
    /* The values of each cluster, cluster by cluster: right - left values each. NaN if no pair of the cluster was
     * measured. */
    const double *values;
} XtfPortion;

typedef struct {
    XtfThreshold threshold;
    /* Matrices at the start of a portion, and matrices added to it at a time; at least 1. The authors use 5 and 4. */
    uint32_t n_start, n_step;
    double drop;  /* greatest share of pairs, 0 to 1, that may leave their cluster when a portion is extended */
    bool average; /* cluster the average of a portion's matrices, see average.c. Not with XTF_THRESHOLD_ABSOLUTE */
    /* Receives the portions, in order. */
    bool (*portion)(void *data, const XtfPortion *portion, GError **error);
    /* Receives the progress: `done` of `total` reads of matrices. May be NULL. */
    void (*progress)(void *data, uint64_t done, uint64_t total);
    void *data;
    atomic_bool *cancel; /* set by another thread to stop with XTF_ERROR_CANCELLED. May be NULL */
} XtfClusterOptions;

/* How well the clusters' values fit. The error of a value v in a cluster of mean m is |v - m| / v, or 1 if v alone is
 * 0. */
typedef struct {
    uint32_t portions;
    uint64_t clusters; /* number of clusters in all portions */
    uint64_t values;   /* of clusters: one for each cluster and matrix */
    uint64_t measured; /* values of pairs that were measured; only they have errors */
    uint64_t filled;   /* values of pairs that were not measured, but whose cluster has a value */
    double mean_error, greatest_error;
    double greatest_difference; /* |v - m|, in the unit of the values */
    uint64_t far_off;           /* measured values with an error above XTF_FAR_OFF */
} XtfClusterReport;

#define XTF_FAR_OFF 0.1

/* Finds all portions and fills `report`. Fails with XTF_ERROR_INVALID for wrong options, XTF_ERROR_UNSUPPORTED for 0 or
 * more than XTF_CLUSTER_MOST_PROCS processors, or an error of `source` or `options->portion`. */
bool xtf_cluster(const XtfMatrixSource *source, const XtfClusterOptions *options, XtfClusterReport *report,
                 GError **error);
