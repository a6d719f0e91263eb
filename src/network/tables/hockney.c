#include "src/network/tables/hockney.h"

#include <float.h>
#include <glib.h>
#include <math.h>

enum {
    LENGTHS_MIN = 3, /* for errors, and of a segment */
    PARAMETERS_OF_ONE = 2,
    PARAMETERS_OF_TWO = 5,
};
#define RESIDUALS_MIN 1e-24 /* relative squares: below is rounding */

/* A fit that grows by one value at a time; weights are 1 / t^2. Sums of squares are kept as such (D. H. D. West:
 * Updating mean and variance estimates, CACM 22, 1979), so that a long curve, or lengths that are near each other, lose
 * no digits by differences of large sums. */
typedef struct {
    uint32_t n, lengths; /* values; different lengths among them */
    double last;         /* length */
    double weights;      /* their sum */
    double length, time; /* weighted means */
    double ll, lt, tt;   /* weighted sums of products of the distances from the means */
    double rest;         /* weighted sum of squares that the best line leaves, rising or not */
} Sums;

static void add(Sums *sums, double length, double time)
{
    double weight = 1 / (time * time), weights = sums->weights + weight;
    double share = weight / weights, factor = share * sums->weights;
    double dl = length - sums->length, dt = time - sums->time;

    if (sums->ll > 0) {
        double off = dt - sums->lt / sums->ll * dl; /* what the line so far is off */
        sums->rest += factor * off * off / (1 + factor * dl * dl / sums->ll);
    } else if (dl == 0)
        sums->rest += factor * dt * dt; /* else a line through both lengths leaves no more than before */
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

/* Whether the lengths are apart by more than rounding; the sums of equal ones are 0. */
static bool has_slope(const Sums *sums)
{
    double rounding = DBL_EPSILON * sums->length;

    return sums->lengths > 1 && sums->ll > rounding * rounding * sums->weights;
}

/* Of the best line that does not fall. */
static double rest_of(const Sums *sums)
{
    return has_slope(sums) && sums->lt > 0 ? sums->rest : sums->tt;
}

void xtf_hockney_fit(const double *lengths, const double *times, uint32_t n, XtfHockney *fit)
{
    Sums sums = {0};

    for (uint32_t i = 0; i < n; i++)
        add(&sums, lengths[i], times[i]);
    *fit = (XtfHockney){.n = n, .alpha = sums.time, .alpha_error = NAN, .beta = NAN, .beta_error = NAN};
    fit->rms = sqrt(rest_of(&sums) / n);
    if (!has_slope(&sums))
        return;
    fit->beta = fmax(sums.lt / sums.ll, 0);
    fit->alpha = sums.time - fit->beta * sums.length;
    if (sums.lengths < LENGTHS_MIN)
        return;
    double variance = rest_of(&sums) / (n - PARAMETERS_OF_ONE);
    fit->beta_error = sqrt(variance / sums.ll);
    fit->alpha_error = sqrt(variance / sums.weights + variance * sums.length * sums.length / sums.ll);
}

static double information(double rest, uint32_t n, unsigned parameters)
{
    return n * log(fmax(rest, RESIDUALS_MIN) / n) + parameters * log(n);
}

/* The number of values before the break that lowers the information most; 0: none does. One pass from each side. */
static uint32_t find_break(const double *lengths, const double *times, uint32_t n)
{
    g_autofree double *behind = g_new(double, (size_t)n + 1); /* what a line leaves of the values from there on */
    Sums left = {0}, right = {0};
    uint32_t found = 0;

    for (uint32_t i = n; i-- > 0;) {
        add(&right, lengths[i], times[i]);
        behind[i] = right.lengths < LENGTHS_MIN ? INFINITY : rest_of(&right);
    }
    double best = information(rest_of(&right), n, PARAMETERS_OF_ONE);
    for (uint32_t i = 1; i < n; i++) {
        add(&left, lengths[i - 1], times[i - 1]);
        if (left.lengths < LENGTHS_MIN || lengths[i] == lengths[i - 1])
            continue;
        double both = information(rest_of(&left) + behind[i], n, PARAMETERS_OF_TWO);
        if (both < best) {
            best = both;
            found = i;
        }
    }
    return found;
}

unsigned xtf_hockney_fit_segments(const double *lengths, const double *times, uint32_t n, XtfHockney fits[static 2])
{
    uint32_t at = find_break(lengths, times, n);

    if (at == 0) {
        xtf_hockney_fit(lengths, times, n, &fits[0]);
        return 1;
    }
    xtf_hockney_fit(lengths, times, at, &fits[0]);
    xtf_hockney_fit(lengths + at, times + at, n - at, &fits[1]);
    fits[1].first = at;
    return 2;
}
