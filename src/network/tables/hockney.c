#include "src/network/tables/hockney.h"

#include <float.h>
#include <glib.h>
#include <math.h>

enum {
    LENGTHS_MIN = 3, /* different lengths for standard errors, and for a segment */
    PARAMETERS_ONE = 2,
    PARAMETERS_TWO = 5,
};
#define RESIDUALS_MIN 1e-24 /* sum of relative squares; smaller sums are rounding errors */

/* Sums of a weighted fit that grows by one value at a time; weights are 1 / t^2. The sums are of squared distances from
 * the means (D. H. D. West: Updating mean and variance estimates, CACM 22, 1979). So no digits are lost to differences
 * of large sums, even for long curves or close lengths. */
typedef struct {
    uint32_t n, lengths; /* number of values, and of different lengths */
    double last;         /* length of the last value */
    double weights;      /* sum of the values' weights */
    double length, time; /* weighted means of all values */
    double ll, lt, tt;   /* weighted sums of products of the distances from the means */
    double residual;     /* weighted sum of squared residuals of the best line, which may fall */
} Sums;

static void extend_sums(Sums *sums, double length, double time)
{
    double weight = 1 / (time * time), weights = sums->weights + weight;
    double share = weight / weights, factor = share * sums->weights;
    double dl = length - sums->length, dt = time - sums->time;

    if (sums->ll > 0) {
        double off = dt - sums->lt / sums->ll * dl; /* distance from the line so far */
        sums->residual += factor * off * off / (1 + factor * dl * dl / sums->ll);
    } else if (dl == 0)
        sums->residual += factor * dt * dt;
    /* Else a line through the mean at the first length and this value has the same residual. */
    sums->ll += factor * dl * dl;
    sums->lt += factor * dl * dt;
    sums->tt += factor * dt * dt;
    sums->length += share * dl;
    sums->time += share * dt;
    sums->weights = weights;
    sums->lengths += sums->n == 0 || length != sums->last;
    sums->last = length;
    sums->n++;
}

/* True if the lengths differ by more than rounding errors. For equal lengths, ll is exactly 0. */
static bool has_slope(const Sums *sums)
{
    double rounding = DBL_EPSILON * sums->length;

    return sums->lengths > 1 && sums->ll > rounding * rounding * sums->weights;
}

/* Returns the residual of the best line that does not fall. */
static double minimal_residual(const Sums *sums)
{
    return has_slope(sums) && sums->lt > 0 ? sums->residual : sums->tt;
}

void xtf_hockney_fit(const double *lengths, const double *times, uint32_t n, XtfHockney *fit)
{
    Sums sums = {0};

    for (uint32_t i = 0; i < n; i++)
        extend_sums(&sums, lengths[i], times[i]);
    *fit = (XtfHockney){.n = n, .alpha = sums.time, .alpha_error = NAN, .beta = NAN, .beta_error = NAN};
    fit->rms = sqrt(minimal_residual(&sums) / n);
    if (!has_slope(&sums))
        return;
    fit->beta = fmax(sums.lt / sums.ll, 0);
    fit->alpha = sums.time - fit->beta * sums.length;
    if (sums.lengths < LENGTHS_MIN)
        return;
    double variance = minimal_residual(&sums) / (n - PARAMETERS_ONE);
    fit->beta_error = sqrt(variance / sums.ll);
    fit->alpha_error = sqrt(variance / sums.weights + variance * sums.length * sums.length / sums.ll);
}

static double compute_bic(double residual, uint32_t n, unsigned parameters)
{
    return n * log(fmax(residual, RESIDUALS_MIN) / n) + parameters * log(n);
}

/* Returns the number of values before the break with the least BIC, or 0 if no break lowers the BIC. Passes over the
 * values once from each side. */
static uint32_t find_break(const double *lengths, const double *times, uint32_t n)
{
    /* Residuals of the best lines through the values from an index to the end. */
    g_autofree double *right_residuals = g_new(double, (size_t)n + 1);
    Sums left = {0}, right = {0};
    uint32_t break_index = 0;

    for (uint32_t i = n; i-- > 0;) {
        extend_sums(&right, lengths[i], times[i]);
        right_residuals[i] = right.lengths < LENGTHS_MIN ? INFINITY : minimal_residual(&right);
    }
    double best = compute_bic(minimal_residual(&right), n, PARAMETERS_ONE);
    for (uint32_t i = 1; i < n; i++) {
        extend_sums(&left, lengths[i - 1], times[i - 1]);
        if (left.lengths < LENGTHS_MIN || lengths[i] == lengths[i - 1])
            continue;
        double two_segments = compute_bic(minimal_residual(&left) + right_residuals[i], n, PARAMETERS_TWO);
        if (two_segments < best) {
            best = two_segments;
            break_index = i;
        }
    }
    return break_index;
}

unsigned xtf_hockney_fit_segments(const double *lengths, const double *times, uint32_t n, XtfHockney fits[static 2])
{
    uint32_t break_index = find_break(lengths, times, n);

    if (break_index == 0) {
        xtf_hockney_fit(lengths, times, n, &fits[0]);
        return 1;
    }
    xtf_hockney_fit(lengths, times, break_index, &fits[0]);
    xtf_hockney_fit(lengths + break_index, times + break_index, n - break_index, &fits[1]);
    fits[1].first = break_index;
    return 2;
}
