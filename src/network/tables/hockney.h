/*
 * Hockney's model of a message of L bytes: t = alpha + beta L.
 * (R. W. Hockney: The communication challenge for MPP: Intel Paragon and Meiko CS-2, Parallel Computing 20, 1994.)
 *
 * alpha and beta are those of the least sum of ((t - alpha - beta L) / t)^2, with beta at least 0; their standard
 * errors are those of weighted least squares. A curve may have a break, where a library goes from its eager protocol to
 * its rendezvous: two segments of at least 3 different lengths each, if they lower n log(residuals / n) + parameters
 * log n (BIC), with 2 parameters of one segment, and 5 of two: the place of the break is one. There may be several
 * values of one length, as of repeated measurements; they are on one side of a break. Both are O(n).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t first, n; /* values of the segment */
    double alpha, alpha_error, beta, beta_error;
    double rms; /* root of the mean of the squares above: relative to the times */
} XtfHockney;

/* A figure that cannot be told is NaN: errors of fewer than 3 different lengths, beta of one. Times are above 0; n is
 * at least 1. Lengths do not fall. */
void xtf_hockney_fit(const double *lengths, const double *times, uint32_t n, XtfHockney *fit);

/* Whether beta can be told: what is below its own standard error cannot. */
static inline bool xtf_hockney_has_beta(const XtfHockney *fit)
{
    return fit->beta > 0 && !(fit->beta_error > fit->beta);
}

/* Returns the number of segments, 1 or 2. */
unsigned xtf_hockney_fit_segments(const double *lengths, const double *times, uint32_t n, XtfHockney fits[static 2]);
