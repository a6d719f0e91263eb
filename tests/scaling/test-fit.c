/* Scaling models: fits find known functions, and noise moves predictions and bands as little as promised. Limits equal
 * the results of a search through all whole numbers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "libxtf/base/doubles.h"
#include "libxtf/base/splitmix.h"
#include "src/studies/fit/band.h"
#include "src/studies/fit/laws.h"
#include "src/studies/fit/limit.h"

static const double powers[] = {4, 8, 16, 32, 64, 128};

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

typedef struct {
    double constant, factor;
    XtfScalingTerm term;
} Truth;

static double true_value(const Truth *truth, double p)
{
    return truth->constant + truth->factor * xtf_scaling_term_at(&truth->term, p);
}

/* Sets the values of a truth with relative noise. */
static void make_values(const Truth *truth, const XtfScalingPoints *points, double noise, uint64_t *seed,
                        double *values)
{
    for (unsigned i = 0; i < points->n; i++)
        values[i] = true_value(truth, points->processes[i]) * (1 + noise * random_normal(seed));
}

Test(scaling, finds_each_term_without_noise)
{
    for (unsigned falls = 0; falls < 2; falls++) {
        static XtfScalingPoints points;
        xtf_scaling_points_init(&points, powers, 6, falls);
        cr_assert_gt(points.n_terms, 50u);
        for (unsigned term = 0; term < points.n_terms; term++) {
            const Truth truth = {0.5, 2, points.terms[term]};
            double values[6];
            uint64_t seed = 1;
            XtfScalingModel model;
            make_values(&truth, &points, 0, &seed, values);
            xtf_scaling_fit(&points, values, &model);
            double far = true_value(&truth, 4096);
            cr_expect_float_eq(xtf_scaling_at(&model, 4096), far, 1e-6 * far, "term %u", term);
            cr_expect_float_eq(model.constant, 0.5, 1e-6, "term %u", term);
            cr_expect(memcmp(&model.term, &truth.term, sizeof truth.term) == 0, "term %u", term);
        }
    }
}

Test(scaling, no_term_is_listed_twice)
{
    XtfScalingTerm terms[XTF_SCALING_TERMS_MAX];

    for (unsigned set = 0; set < 4; set++) {
        unsigned n = xtf_scaling_terms(set, terms);
        for (unsigned i = 0; i < n; i++) {
            cr_expect(terms[i].numerator || terms[i].log, "set %u: term %u is constant", set, i);
            for (unsigned j = 0; j < i; j++)
                cr_expect(fabs(xtf_scaling_term_at(&terms[i], 7) - xtf_scaling_term_at(&terms[j], 7)) > 1e-9);
        }
    }
}

Test(scaling, constants_and_zeros_have_no_term)
{
    static XtfScalingPoints points;
    const double constant[] = {3, 3, 3, 3, 3, 3}, zeros[6] = {0};
    XtfScalingModel model;

    xtf_scaling_points_init(&points, powers, 6, true);
    xtf_scaling_fit(&points, constant, &model);
    cr_expect_eq(model.factor, 0);
    cr_expect_float_eq(model.constant, 3, 1e-12);
    xtf_scaling_fit(&points, zeros, &model);
    cr_expect_eq(model.factor, 0);
    cr_expect_eq(model.constant, 0);
    cr_expect_eq(model.smape, 0);
}

/* A region that two of six runs lack must not become a model of nearly nothing. */
Test(scaling, a_missing_value_does_not_outweigh_the_others)
{
    static XtfScalingPoints points;
    const double values[] = {0, 2, 2.1, 0, 1.9, 2};
    XtfScalingModel model;

    xtf_scaling_points_init(&points, powers, 6, true);
    xtf_scaling_fit(&points, values, &model);
    cr_expect_gt(xtf_scaling_at(&model, 64), 0.5);
    cr_expect_gt(model.smape, 0.3);
}

/* The medians of the errors at 8 times the most processes, of five points with 1 % noise. */
Test(scaling, noise_moves_predictions_little)
{
    static const struct {
        Truth truth;
        bool falls;
        double most; /* of the median error */
    } cases[] = {
        {{1, 0.05, {0, 1, 1}}, false, 0.025}, {{1, 0.05, {1, 1, 0}}, false, 0.045}, {{1, 0.05, {3, 2, 0}}, false, 0.02},
        {{1, 0.05, {1, 1, 1}}, false, 0.02},  {{0.1, 10, {-1, 1, 0}}, true, 0.031}, {{1, 0, {0, 1, 0}}, false, 0.01},
    };
    uint64_t seed = 7;

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        static XtfScalingPoints points;
        double values[5], errors[401];
        double far = true_value(&cases[i].truth, 512);
        xtf_scaling_points_init(&points, powers, 5, cases[i].falls);
        for (unsigned k = 0; k < 401; k++) {
            XtfScalingModel model;
            make_values(&cases[i].truth, &points, 0.01, &seed, values);
            xtf_scaling_fit(&points, values, &model);
            errors[k] = fabs(xtf_scaling_at(&model, 512) - far) / far;
        }
        qsort(errors, 401, sizeof *errors, xtf_compare_doubles);
        cr_expect_lt(errors[200], cases[i].most, "case %u: median error %g", i, errors[200]);
    }
}

/* With positive exponents alone, falling values get a model that is wrong by far. */
Test(scaling, falling_values_need_negative_exponents)
{
    static XtfScalingPoints points;
    const Truth truth = {0.1, 10, {-1, 1, 0}};
    double values[5], far = true_value(&truth, 512);
    uint64_t seed = 1;
    XtfScalingModel model;

    xtf_scaling_points_init(&points, powers, 5, false);
    make_values(&truth, &points, 0, &seed, values);
    xtf_scaling_fit(&points, values, &model);
    cr_expect_gt(fabs(xtf_scaling_at(&model, 512) - far) / far, 1);
}

Test(scaling, bands_contain_the_truth)
{
    static XtfScalingPoints points;
    static XtfScalingSamples samples;
    const Truth truth = {0.1, 10, {-1, 1, 0}};
    double values[6], far = true_value(&truth, 512), width = 0;
    unsigned contained = 0;
    uint64_t seed = 3;

    xtf_scaling_points_init(&points, powers, 6, true);
    for (unsigned k = 0; k < 200; k++) {
        XtfScalingModel model;
        make_values(&truth, &points, 0.02, &seed, values);
        xtf_scaling_fit(&points, values, &model);
        xtf_scaling_sample(&points, values, &model, k, &samples);
        XtfScalingBand band = xtf_scaling_band(&samples, 512);
        cr_assert_leq(band.low, band.high);
        contained += band.low <= far && far <= band.high;
        width += (band.high - band.low) / far;
    }
    cr_expect_geq(contained, 140u, "%u of 200 bands", contained);
    cr_expect_leq(contained, 180u, "%u of 200 bands", contained);
    cr_expect_lt(width / 200, 0.2);
}

Test(scaling, the_same_seed_gives_the_same_samples)
{
    static XtfScalingPoints points;
    static XtfScalingSamples a, b;
    const double values[] = {5, 4, 3.5, 3, 2.9, 2.8};
    XtfScalingModel model;

    xtf_scaling_points_init(&points, powers, 6, true);
    xtf_scaling_fit(&points, values, &model);
    xtf_scaling_sample(&points, values, &model, 11, &a);
    xtf_scaling_sample(&points, values, &model, 11, &b);
    cr_expect(memcmp(&a, &b, sizeof a) == 0);
    xtf_scaling_sample(&points, values, &model, 12, &b);
    cr_expect(memcmp(&a, &b, sizeof a) != 0);
}

/* ---- Limits, against a search through all whole numbers. */

static double naive_least(const XtfScalingSum *sum, double from, double to)
{
    double best = from;

    for (double p = from; p <= to; p++) {
        if (xtf_scaling_sum_at(sum, p) < xtf_scaling_sum_at(sum, best))
            best = p;
    }
    return best;
}

static double naive_inefficient(const XtfScalingSum *sum, XtfScalingKind kind, double base, double to, double least)
{
    for (double p = base; p <= to; p++) {
        if (xtf_scaling_efficiency(sum, kind, base, p) < least)
            return p;
    }
    return 0;
}

Test(scaling, limits_are_those_of_a_full_search)
{
    static const Truth parts[][3] = {
        {{0, 100, {-1, 1, 0}}, {0, 0.05, {0, 1, 1}}, {0.2, 0.001, {1, 1, 0}}},
        {{0, 5, {-1, 2, 0}}, {1, 0, {0, 1, 0}}, {0, 0.01, {1, 1, 1}}},
        {{0, 1000, {-1, 1, 0}}, {0, 1, {-2, 1, 0}}, {0, 3, {0, 1, 2}}},
        {{0, 2, {-1, 1, 0}}, {0, 1, {1, 1, 0}}, {0, 1, {2, 1, 0}}}, /* slower from the first process on */
    };

    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        XtfScalingSum sum = {0};
        for (unsigned k = 0; k < 3; k++) {
            const XtfScalingModel model = {
                .term = parts[i][k].term, .constant = parts[i][k].constant, .factor = parts[i][k].factor};
            xtf_scaling_sum_add(&sum, &model);
        }
        cr_expect_eq(xtf_scaling_least(&sum, 4, 5000), naive_least(&sum, 4, 5000), "case %u", i);
        cr_expect_eq(xtf_scaling_inefficient(&sum, XTF_SCALING_STRONG, 4, 5000, 0.5),
                     naive_inefficient(&sum, XTF_SCALING_STRONG, 4, 5000, 0.5), "case %u", i);
        cr_expect_eq(xtf_scaling_inefficient(&sum, XTF_SCALING_WEAK, 4, 5000, 0.7),
                     naive_inefficient(&sum, XTF_SCALING_WEAK, 4, 5000, 0.7), "case %u", i);
    }
}

Test(scaling, a_falling_sum_is_least_at_the_end)
{
    XtfScalingSum sum = {0};
    const XtfScalingModel model = {.term = {-1, 1, 0}, .factor = 10};

    xtf_scaling_sum_add(&sum, &model);
    cr_expect_eq(xtf_scaling_least(&sum, 4, 1000), 1000);
    cr_expect_eq(xtf_scaling_inefficient(&sum, XTF_SCALING_STRONG, 4, 1000, 0.5), 0);
}

Test(scaling, models_of_one_term_are_added)
{
    XtfScalingSum sum = {0};
    const XtfScalingModel a = {.term = {1, 1, 0}, .constant = 1, .factor = 2};
    const XtfScalingModel b = {.term = {1, 1, 0}, .constant = 10, .factor = 3};
    const XtfScalingModel c = {.term = {0, 1, 0}, .constant = 100};

    xtf_scaling_sum_add(&sum, &a);
    xtf_scaling_sum_add(&sum, &b);
    xtf_scaling_sum_add(&sum, &c);
    cr_expect_eq(sum.n, 1u);
    cr_expect_float_eq(xtf_scaling_sum_at(&sum, 7), 111 + 35, 1e-9);
}

/* ---- Laws. */

Test(scaling, laws_find_their_own_serial_part)
{
    static XtfScalingPoints points;
    double strong[6], weak[6];
    XtfAmdahl amdahl;

    xtf_scaling_points_init(&points, powers, 6, true);
    for (unsigned i = 0; i < 6; i++) {
        strong[i] = 200 * (0.05 + 0.95 / powers[i]);
        weak[i] = 10 * powers[i] / (powers[i] - 0.1 * (powers[i] - 1));
    }
    xtf_amdahl_fit(&points, strong, &amdahl);
    cr_expect_float_eq(amdahl.serial, 0.05, 1e-9);
    cr_expect_float_eq(amdahl.time, 200, 1e-6);
    for (unsigned i = 0; i < 6; i++)
        cr_expect_float_eq(xtf_karp_flatt(200 / strong[i], powers[i]), 0.05, 1e-9);
    cr_expect(isnan(xtf_karp_flatt(1, 1)));
    /* The run on 4 processes counts as perfect, though it is not. */
    double serial = xtf_gustafson_fit(&points, weak);
    cr_expect_gt(serial, 0.015);
    cr_expect_lt(serial, 0.1);
}

Test(scaling, gustafson_from_one_process_on)
{
    static XtfScalingPoints points;
    static const double processes[] = {1, 2, 4, 8};
    double times[4];

    xtf_scaling_points_init(&points, processes, 4, false);
    for (unsigned i = 0; i < 4; i++)
        times[i] = 10 * processes[i] / (processes[i] - 0.1 * (processes[i] - 1));
    cr_expect_float_eq(xtf_gustafson_fit(&points, times), 0.1, 1e-9);
}

Test(scaling, terms_are_printed_as_formulas)
{
    static const struct {
        XtfScalingTerm term;
        const char *text;
    } cases[] = {{{0, 1, 0}, "1"},       {{1, 1, 0}, "p"},         {{-1, 1, 0}, "p^-1"},
                 {{3, 2, 0}, "p^(3/2)"}, {{0, 1, 2}, "log2(p)^2"}, {{5, 4, 1}, "p^(5/4)*log2(p)"},
                 {{2, 1, 0}, "p^2"},     {{-1, 2, 0}, "p^(-1/2)"}, {{1, 1, 1}, "p*log2(p)"}};
    char text[XTF_SCALING_TERM_TEXT];

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        xtf_scaling_term_print(&cases[i].term, text);
        cr_expect_str_eq(text, cases[i].text);
    }
}
