/*
 * Measures the errors of predictions of scaling models by the noise of the measured values: the table of docs/SCALE.md.
 * Also counts how often bands contain the truth.
 *
 * usage: scaling-noise [TRIALS]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/base/doubles.h"
#include "libxtf/base/splitmix.h"
#include "src/studies/fit/band.h"

enum { POINTS = 5, FAR = 512, NOISES = 4, TRIALS_MAX = 100000 };

static const double processes[POINTS] = {4, 8, 16, 32, 64}, noises[NOISES] = {0, 0.01, 0.03, 0.05};

static const struct {
    const char *name;
    double constant, factor;
    XtfScalingTerm term;
} truths[] = {
    {"1 + 0.05 log2(p)", 1, 0.05, {0, 1, 1}}, {"1 + 0.05 p", 1, 0.05, {1, 1, 0}},
    {"1 + 0.05 p^(3/2)", 1, 0.05, {3, 2, 0}}, {"1 + 0.05 p log2(p)", 1, 0.05, {1, 1, 1}},
    {"0.1 + 10/p", 0.1, 10, {-1, 1, 0}},      {"1", 1, 0, {0, 1, 0}},
};

/* Returns a random number of about normal distribution, with a mean of 0 and a standard deviation of 1. */
static double random_normal(uint64_t *seed)
{
    double sum = 0;

    for (int i = 0; i < 12; i++) {
        *seed = xtf_splitmix_step(*seed, 1);
        sum += (double)(*seed >> 11) / 9007199254740992.0;
    }
    return sum - 6;
}

static double true_value(unsigned truth, double p)
{
    return truths[truth].constant + truths[truth].factor * xtf_scaling_term_at(&truths[truth].term, p);
}

/* Prints the median and the 90th percentile of the relative errors, and how many bands contain the truth. */
static void print_errors(unsigned truth, double noise, unsigned trials, double *errors)
{
    static XtfScalingPoints points;
    static XtfScalingSamples samples;
    double far = true_value(truth, FAR), values[POINTS];
    uint64_t seed = 1;
    unsigned contained = 0;

    xtf_scaling_points_init(&points, processes, POINTS, truths[truth].term.numerator < 0);
    for (unsigned k = 0; k < trials; k++) {
        XtfScalingModel model;
        for (unsigned i = 0; i < POINTS; i++)
            values[i] = true_value(truth, processes[i]) * (1 + noise * random_normal(&seed));
        xtf_scaling_fit(&points, values, &model);
        errors[k] = fabs(xtf_scaling_at(&model, FAR) - far) / far;
        xtf_scaling_sample(&points, values, &model, k, &samples);
        XtfScalingBand band = xtf_scaling_band(&samples, FAR);
        contained += band.low <= far * (1 + 1e-9) && far * (1 - 1e-9) <= band.high;
    }
    qsort(errors, trials, sizeof *errors, xtf_compare_doubles);
    printf("  %5.1f %5.1f %3.0f%%", 100 * errors[trials / 2], 100 * errors[trials * 9 / 10],
           100.0 * contained / trials);
}

int main(int argc, char **argv)
{
    static double errors[TRIALS_MAX];
    int trials = argc > 1 ? atoi(argv[1]) : 1000;

    if (trials < 1 || trials > TRIALS_MAX) {
        fprintf(stderr, "scaling-noise: the number of trials is from 1 to %d\n", TRIALS_MAX);
        return 2;
    }
    printf("# error at p = %d, in percent: median, 90th percentile; bands that contain the truth\n%-20s", FAR,
           "# noise");
    for (unsigned i = 0; i < NOISES; i++)
        printf("  %16.0f%%", 100 * noises[i]);
    putchar('\n');
    for (unsigned truth = 0; truth < sizeof truths / sizeof *truths; truth++) {
        printf("%-20s", truths[truth].name);
        for (unsigned i = 0; i < NOISES; i++)
            print_errors(truth, noises[i], (unsigned)trials, errors);
        putchar('\n');
    }
    return 0;
}
