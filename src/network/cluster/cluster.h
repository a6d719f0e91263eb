/*
 * Clusters of pairs of processors that communicate alike.
 *
 * A test of a network measures how long a message takes, for each pair of processors (a matrix) and for a row of
 * message lengths (the matrices). Pairs are put together whose values are alike in all matrices of a portion, a range
 * of lengths; a cluster has one value a length, the mean of its pairs'. The method is that of A. N. Salnikov and D. Y.
 * Andreev (Moscow State University, 2009), in six steps; docs/NETWORK.md has them, and says what the authors left open
 * and what was decided here:
 *
 * 1, 2  clusters of one matrix: ranges.h
 * 3, 4  clusters that the first matrices agree on: intersections.h
 * 5     more matrices refine them; if that drops too many pairs, the portion ends before these matrices
 * 6     the next portion begins there
 *
 * Memory: 4 (first + other + 4) bytes a pair, the vectors that differ, and where values are averaged 32 MiB.
 * Matrices are read one at a time, each two or three times.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "src/network/cluster/ranges.h"

enum {
    XTF_CLUSTER_MOST_PROCS = 32768, /* so that pairs are counted in 30 bits */
};

/* Where matrices come from. */
typedef struct {
    uint32_t n_procs, n_matrices;
    /* Reads matrix `matrix`, n_procs x n_procs values, the receivers of the first sender first. */
    bool (*read)(void *data, uint32_t matrix, double *values, GError **error);
    void *data;
} XtfMatrixSource;

/* Matrices that one partition of the pairs stands for. The memory is the clustering's. */
typedef struct {
    uint32_t left, right; /* matrices [left, right) */
    uint32_t n_clusters;
    /* Of each pair, in the order of the clusters' values: by their sum over the matrices, then by their first pair. */
    const uint32_t *clusters;
    /* n_clusters times right - left, a cluster's values side by side. NaN: no pair of the cluster was measured. */
    const double *values;
} XtfPortion;

typedef struct {
    XtfThreshold threshold;
    uint32_t first, other; /* matrices that are read at once; at least 1. The authors': 5, 4 */
    double drop;           /* the share of pairs, 0 to 1, that may be dropped where a portion is extended */
    bool average;          /* clusters of the mean of a portion's matrices, see average.h; not with ABSOLUTE */
    /* Takes the portions one after another. */
    bool (*portion)(void *data, const XtfPortion *portion, GError **error);
    /* `done` of `total` matrices were read. May be NULL. */
    void (*progress)(void *data, uint64_t done, uint64_t total);
    void *data;
    atomic_bool *cancel; /* set by anybody: stops with XTF_ERROR_CANCELLED. May be NULL */
} XtfClusterOptions;

/* What clusters stand for, and how well. The error of a value v that m stands for is |v - m| / v; 1 if only v is 0. */
typedef struct {
    uint32_t portions;
    uint64_t clusters; /* of all portions together */
    uint64_t values;   /* that the clusters have: a cluster and a matrix each */
    uint64_t measured; /* values of pairs; those that are not measured have no errors */
    uint64_t filled;   /* values that were not measured, where the pair's cluster has one */
    double mean_error, greatest_error;
    double greatest_difference; /* |v - m|, in the unit of the values */
    uint64_t far_off;           /* values whose error is more than XTF_FAR_OFF */
} XtfClusterReport;

#define XTF_FAR_OFF 0.1

/* XTF_ERROR_INVALID: options that make no sense. Else the errors of `source` and `options->portion`. */
bool xtf_cluster(const XtfMatrixSource *source, const XtfClusterOptions *options, XtfClusterReport *report,
                 GError **error);
