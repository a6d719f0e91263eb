/*
 * Bands of scaling models by a bootstrap: the range of the middle 80 % of a model's values, were the run measured
 * again.
 *
 * The true value lies in a band in 50 to 89 of 100 cases (docs/SCALE.md). Bands are worst for a term that grows so
 * slowly that noise hides it.
 *
 * A sample has, at each point, the model's value times a relative error of a randomly chosen point. Errors are enlarged
 * by sqrt(n / (n - parameters)), since a fit makes them smaller. (B. Efron, R. Tibshirani: An introduction to the
 * bootstrap, 1993, chapter 9.) A sample is fitted as the measured values were, and may get another term. So a band
 * shows that the term is uncertain, too.
 */
#pragma once

#include "src/studies/fit/model.h"

enum { XTF_SCALING_SAMPLES = 200 };

typedef struct {
    XtfScalingModel models[XTF_SCALING_SAMPLES];
} XtfScalingSamples;

typedef struct {
    double low, high; /* 10th and 90th percentile */
} XtfScalingBand;

/* Draws samples and fits them. The same seed gives the same samples. */
void xtf_scaling_sample(const XtfScalingPoints *points, const double *values, const XtfScalingModel *model,
                        uint64_t seed, XtfScalingSamples *samples);

/* Returns the band of the samples' values for p processes. */
XtfScalingBand xtf_scaling_band(const XtfScalingSamples *samples, double p);

/* Returns the band of XTF_SCALING_SAMPLES numbers, which it sorts. */
XtfScalingBand xtf_scaling_band_of(double *numbers);
