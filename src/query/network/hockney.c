#include "src/query/network/hockney.h"

#include <math.h>

enum {
    SEGMENT_MIN = 3,
    PARAMETERS_OF_ONE = 2,
    PARAMETERS_OF_TWO = 5,
};
#define RESIDUALS_MIN 1e-24 /* relative squares: below is rounding */

/* Sums of the weighted normal equations; weights are 1 / t^2. Lengths are counted from `origin`, their weighted mean,
 * so that the two equations are independent. */
typedef struct {
    double weights, origin, squares, products, times;
} Sums;

static Sums add_up(const double *lengths, const double *times, uint32_t n)
{
    Sums sums = {0};

    for (uint32_t i = 0; i < n; i++) {
        double w = 1 / (times[i] * times[i]);
        sums.weights += w;
        sums.origin += w * lengths[i];
        sums.times += w * times[i];
    }
    sums.origin /= sums.weights;
    for (uint32_t i = 0; i < n; i++) {
        double w = 1 / (times[i] * times[i]), l = lengths[i] - sums.origin;
        sums.squares += w * l * l;
        sums.products += w * l * times[i];
    }
    return sums;
}

static double residuals(const double *lengths, const double *times, uint32_t n, const XtfHockney *fit)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        double beta = isnan(fit->beta) ? 0 : fit->beta;
        double rest = (times[i] - fit->alpha - beta * lengths[i]) / times[i];
        sum += rest * rest;
    }
    return sum;
}

void xtf_hockney_fit(const double *lengths, const double *times, uint32_t n, XtfHockney *fit)
{
    Sums sums = add_up(lengths, times, n);
    double mean = sums.times / sums.weights;

    *fit = (XtfHockney){.n = n, .alpha = mean, .alpha_error = NAN, .beta = NAN, .beta_error = NAN};
    if (n > 1 && sums.squares > 0) {
        fit->beta = fmax(sums.products / sums.squares, 0);
        fit->alpha = mean - fit->beta * sums.origin;
    }
    double rest = residuals(lengths, times, n, fit);
    fit->rms = sqrt(rest / n);
    if (n < SEGMENT_MIN)
        return;
    double variance = rest / (n - PARAMETERS_OF_ONE);
    fit->beta_error = sqrt(variance / sums.squares);
    fit->alpha_error = sqrt(variance / sums.weights + variance * sums.origin * sums.origin / sums.squares);
}

static double information(double rest, uint32_t n, unsigned parameters)
{
    return n * log(fmax(rest, RESIDUALS_MIN) / n) + parameters * log(n);
}

static double rest_of(const XtfHockney *fit)
{
    return fit->rms * fit->rms * fit->n;
}

unsigned xtf_hockney_fit_segments(const double *lengths, const double *times, uint32_t n, XtfHockney fits[static 2])
{
    unsigned segments = 1;

    xtf_hockney_fit(lengths, times, n, &fits[0]);
    double best = information(rest_of(&fits[0]), n, PARAMETERS_OF_ONE);
    for (uint32_t k = SEGMENT_MIN; n >= 2 * SEGMENT_MIN && k <= n - SEGMENT_MIN; k++) {
        XtfHockney left, right;
        xtf_hockney_fit(lengths, times, k, &left);
        xtf_hockney_fit(lengths + k, times + k, n - k, &right);
        double both = information(rest_of(&left) + rest_of(&right), n, PARAMETERS_OF_TWO);
        if (both >= best)
            continue;
        best = both;
        right.first = k;
        fits[0] = left;
        fits[1] = right;
        segments = 2;
    }
    return segments;
}
