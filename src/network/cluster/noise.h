/*
 * How much the values of a test scatter, and the threshold that follows.
 *
 * From one length to the next all times change by much the same factor; what a pair's change is off from that is noise.
 * So the noise is a robust standard deviation of ln(value at the next length / value) over the pairs, divided by the
 * square root of 2 since two values have their part in it; and the median over up to XTF_NOISE_STEPS steps of length.
 *
 * A range must hold all values of a class, its extremes too: of N normal values these are some 2 sqrt(2 ln N) standard
 * deviations apart, which is 8 for 128 processors and 9 for 512. docs/NETWORK.md shows what other factors lead to.
 */
#pragma once

#include "src/network/cluster/cluster.h"

enum {
    XTF_NOISE_STEPS = 5,
    XTF_NOISE_FACTOR = 10,
};

/* The least relative threshold that is chosen: classes closer than that are seldom told from what differs from pair to
 * pair for good; and the one of a single length, where noise cannot be seen. */
#define XTF_THRESHOLD_LEAST 0.08
#define XTF_THRESHOLD_ALONE 0.15

/* NaN if there are fewer than two matrices, or no pair that was measured in two. */
bool xtf_cluster_noise(const XtfMatrixSource *source, const atomic_bool *cancel, double *noise, GError **error);

/* For matrices with this noise. An average over n matrices has a part of it, the square root of 1 / n. */
XtfThreshold xtf_cluster_threshold(double noise, bool average, uint32_t n_matrices);
