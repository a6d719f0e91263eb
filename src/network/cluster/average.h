/*
 * The mean of matrices, so that noise falls before values are compared.
 *
 * Each matrix is divided by its median, of the values that are measured and not 0. A pair's mean is that of the middle
 * half of its values: of k sorted values those from k / 4 to k - k / 4.
 */
#pragma once

#include "src/network/cluster/cluster-private.h"

enum {
    XTF_AVERAGE_BYTES = 32 << 20, /* matrices are read once more for each of them */
};

/* Of the matrices [left, right). NaN where a pair was measured in none of them. */
bool xtf_cluster_average(XtfClusterJob *job, uint32_t left, uint32_t right, double *averages, GError **error);
