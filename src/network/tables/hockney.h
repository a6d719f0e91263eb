/*
 * Hockney's model of a message of L bytes: t = alpha + beta L. (R. W. Hockney: The communication challenge for MPP:
 * Intel Paragon and Meiko CS-2, Parallel Computing 20, 1994.)
 *
 * The fit minimizes the sum of ((t - alpha - beta L) / t)^2 with beta at least 0. The standard errors are the usual
 * ones of weighted least squares. A length may have several values, as in repeated measurements.
 *
 * A curve may have a break, where a library changes from its eager protocol to its rendezvous protocol. Then it has two
 * segments of at least 3 different lengths each. All values of a length are in one segment. Two segments are chosen if
 * they lower Bayes' information criterion (BIC): n log(residuals / n) + parameters log n. One segment has 2 parameters,
 * two segments have 5: the place of the break is a parameter, too. Both functions take O(n) time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t first, n; /* values of the segment */
    double alpha, alpha_error, beta, beta_error;
    double rms; /* root mean square of the relative errors */
} XtfHockney;

/* Fits one line to n values, n at least 1. Lengths ascend or are equal, and times are above 0. Unknown figures are NaN:
 * errors for fewer than 3 different lengths, beta for one length. */
void xtf_hockney_fit(const double *lengths, const double *times, uint32_t n, XtfHockney *fit);

/* True if beta is known: above 0, and not below its standard error. The error may be unknown. */
static inline bool xtf_hockney_has_beta(const XtfHockney *fit)
{
    return fit->beta > 0 && !(fit->beta_error > fit->beta);
}

/* Fits one or two segments. Returns their number. */
unsigned xtf_hockney_fit_segments(const double *lengths, const double *times, uint32_t n, XtfHockney fits[static 2]);
