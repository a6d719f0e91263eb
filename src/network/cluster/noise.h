/*
 * Noise of a test's values, and the threshold that follows from it.
 *
 * From one length to the next, all times change by much the same factor. The deviation of a pair's change from this
 * factor is noise. The noise of a step of length is a robust standard deviation over the pairs of ln(value at the next
 * length / value). It is divided by the square root of 2, because both values contribute noise. The noise of a test is
 * the median of up to XTF_NOISE_STEPS steps.
 *
 * A range must hold all values of a class, with its extremes. The extremes of N normal values are some 2 sqrt(2 ln N)
 * standard deviations apart: 8 for 128 processors, 9 for 512. The effect of other factors is in docs/NETWORK.md.
 */
#pragma once

#include "src/network/cluster/cluster.h"

enum {
    XTF_NOISE_STEPS = 5,
    XTF_NOISE_FACTOR = 10,
};

/* Least relative threshold that is chosen: closer classes can seldom be separated from permanent differences between
 * pairs. */
#define XTF_THRESHOLD_LEAST 0.08
/* Threshold for a test of one length, where noise cannot be measured. */
#define XTF_THRESHOLD_ONE_LENGTH 0.15

/* Computes the noise: NaN if there are fewer than two matrices, or no pair was measured at both lengths of a step. */
bool xtf_cluster_noise(const XtfMatrixSource *source, const atomic_bool *cancel, double *noise, GError **error);

/* Returns the threshold for matrices with this noise. With `average`, the noise falls by the square root of
 * n_matrices. */
XtfThreshold xtf_cluster_threshold(double noise, bool average, uint32_t n_matrices);
