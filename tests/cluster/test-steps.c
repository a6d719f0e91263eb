/* The steps of clustering one by one, on matrices computed by hand. test_cluster.py compares the whole with a naive
 * program. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/network/cluster/cluster.h"
#include "src/network/cluster/intersections.h"
#include "src/network/cluster/noise.h"

static void label_matrix(const double *values, uint32_t n_procs, XtfThreshold threshold, uint32_t *labels)
{
    XtfOrder order;

    xtf_order_init(&order, (size_t)n_procs * n_procs);
    xtf_order_sort(&order, values);
    XtfRangeLimit limit = xtf_range_limit(&threshold, &order, values);
    xtf_ranges_label(&order, values, &limit, n_procs, labels);
    xtf_order_finish(&order);
}

static void expect_labels(const uint32_t *labels, const uint32_t *wanted, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr_expect_eq(labels[i], wanted[i], "label %zu is %u", i, labels[i]);
}

/* The diagonal is 0. The range from 16 to 26 has more values than that from 15 to 25, so 15 stays alone. */
Test(cluster, ranges)
{
    const double values[] = {0, 15, 16, 25, 0, 26, 26, 45, 0};
    const uint32_t wanted[] = {0, 1, 2, 2, 0, 2, 2, 3, 0};
    uint32_t labels[9];

    label_matrix(values, 3, (XtfThreshold){XTF_THRESHOLD_ABSOLUTE, 10}, labels);
    expect_labels(labels, wanted, 9);
}

/* 110 is 10 % above 100. A range moves right only if it then has more values. */
Test(cluster, relative_ranges)
{
    const double values[] = {0, 100, 110, 0};
    const uint32_t together[] = {0, 1, 1, 0}, apart[] = {0, 1, 2, 0};
    uint32_t labels[4];

    label_matrix(values, 2, (XtfThreshold){XTF_THRESHOLD_RELATIVE, 0.101}, labels);
    expect_labels(labels, together, 4);
    label_matrix(values, 2, (XtfThreshold){XTF_THRESHOLD_RELATIVE, 0.099}, labels);
    expect_labels(labels, apart, 4);
}

/* The threshold is a tenth of the span of the values, from 100 to 200: 10. */
Test(cluster, precision)
{
    const double values[] = {0, 100, 110, 121, 0, 131, 190, 200, 0};
    const uint32_t wanted[] = {0, 1, 1, 2, 0, 2, 3, 3, 0};
    uint32_t labels[9];

    label_matrix(values, 3, (XtfThreshold){XTF_THRESHOLD_PRECISION, 0.1}, labels);
    expect_labels(labels, wanted, 9);
}

Test(cluster, unmeasured_values)
{
    const double values[] = {NAN, -1, 9.9692099683868690e+36, INFINITY, -0.0, 5, 5, 5, 0};
    const uint32_t no = XTF_LABEL_UNMEASURED, wanted[] = {no, no, no, no, 0, 1, 1, 1, 0};
    uint32_t labels[9];

    label_matrix(values, 3, (XtfThreshold){XTF_THRESHOLD_RELATIVE, 0}, labels);
    expect_labels(labels, wanted, 9);
}

/* Six pairs have (0, 0, 0). Their cluster takes pairs that differ in one place, but not (0, 1, 1), which joins (2,
 * 1, 1). */
Test(cluster, intersections)
{
    const uint32_t a[] = {0, 0, 0, 0, 0, 0, 0, 2, 1, 2}, b[] = {0, 0, 0, 0, 0, 0, 1, 1, 0, 1},
                   c[] = {0, 0, 0, 0, 0, 0, 1, 1, 0, 1}, wanted[] = {0, 0, 0, 0, 0, 0, 1, 1, 0, 1};
    const uint32_t *const labels[] = {a, b, c};
    uint32_t clusters[10];

    cr_assert_eq(xtf_intersections_cluster(labels, 3, false, 10, clusters), 2);
    expect_labels(clusters, wanted, 10);
}

/* A refinement keeps the old partition: pair 8 differs only in the first place and stays separate. */
Test(cluster, refining)
{
    const uint32_t a[] = {0, 0, 0, 0, 0, 0, 0, 0, 1}, b[] = {0, 0, 0, 0, 0, 3, 3, 3, 0},
                   c[] = {0, 0, 0, 0, 5, 6, 6, 6, 0}, wanted[] = {0, 0, 0, 0, 0, 1, 1, 1, 2};
    const uint32_t *const labels[] = {a, b, c};
    uint32_t clusters[9];

    cr_assert_eq(xtf_intersections_cluster(labels, 3, true, 9, clusters), 3);
    expect_labels(clusters, wanted, 9);
    cr_expect_eq(xtf_intersections_dropped(a, 2, clusters, 3, 9), 3);
}

/* If the only matrix could have an error, all pairs would be one cluster. */
Test(cluster, one_matrix_allows_no_error)
{
    const uint32_t a[] = {4, 5, 4};
    const uint32_t *const labels[] = {a};
    const uint32_t wanted[] = {0, 1, 0};
    uint32_t clusters[3];

    cr_assert_eq(xtf_intersections_cluster(labels, 1, false, 3, clusters), 2);
    expect_labels(clusters, wanted, 3);
}

/* ---- All steps. */

typedef struct {
    const double *values;
    size_t n_pairs;
    uint32_t fails_at, n_portions;
} Memory;

static bool read_matrix(void *data, uint32_t matrix, double *values, GError **error)
{
    const Memory *memory = data;

    if (matrix == memory->fails_at)
        return xtf_fail(error, XTF_ERROR_IO, "no such matrix");
    memcpy(values, &memory->values[matrix * memory->n_pairs], memory->n_pairs * sizeof *values);
    return true;
}

static bool take_portion(void *data, const XtfPortion *portion, GError **error)
{
    Memory *memory = data;

    memory->n_portions++;
    return true;
}

static const XtfClusterOptions plain = {
    .threshold = {XTF_THRESHOLD_RELATIVE, 0.1}, .n_start = 5, .n_step = 4, .drop = 0.05, .portion = take_portion};

static bool cluster_matrices(Memory *memory, uint32_t n_procs, uint32_t n_matrices, XtfClusterOptions options,
                             XtfClusterReport *report, GError **error)
{
    const XtfMatrixSource source = {n_procs, n_matrices, read_matrix, memory};

    memory->n_pairs = (size_t)n_procs * n_procs;
    options.data = memory;
    return xtf_cluster(&source, &options, report, error);
}

Test(cluster, errors_of_cluster_values)
{
    const double values[] = {0, 9, 11, 0, 0, 9, 11, 0};
    Memory memory = {.values = values, .fails_at = UINT32_MAX};
    XtfClusterOptions options = plain;
    XtfClusterReport report;

    options.threshold.value = 0.5;
    cr_assert(cluster_matrices(&memory, 2, 2, options, &report, NULL));
    cr_expect_eq(report.portions, 1);
    cr_expect_eq(report.clusters, 2);
    cr_expect_eq(report.values, 4);
    cr_expect_eq(report.measured, 8);
    cr_expect_float_eq(report.mean_error, (1.0 / 9 + 1.0 / 11) / 4, 1e-15);
    cr_expect_float_eq(report.greatest_error, 1.0 / 9, 1e-15);
    cr_expect_float_eq(report.greatest_difference, 1, 1e-15);
    cr_expect_eq(report.far_off, 2);
}

Test(cluster, one_process_or_no_matrix)
{
    const double values[] = {0, 0, 0};
    Memory memory = {.values = values, .fails_at = UINT32_MAX};
    XtfClusterReport report;

    cr_assert(cluster_matrices(&memory, 1, 3, plain, &report, NULL));
    cr_expect(report.portions == 1 && report.clusters == 1 && report.mean_error == 0);
    cr_assert(cluster_matrices(&memory, 7, 0, plain, &report, NULL));
    cr_expect(report.portions == 0 && report.measured == 0 && memory.n_portions == 1);
}

Test(cluster, failures_and_wrong_options)
{
    const double values[12] = {0};
    Memory memory = {.values = values, .fails_at = 2};
    XtfClusterOptions wrong = plain;
    XtfClusterReport report;
    atomic_bool cancel = true;
    g_autoptr(GError) error = NULL;

    cr_assert_not(cluster_matrices(&memory, 2, 3, plain, &report, &error));
    cr_expect(g_error_matches(error, XTF_ERROR, XTF_ERROR_IO));
    g_clear_error(&error);
    wrong.cancel = &cancel;
    cr_assert_not(cluster_matrices(&memory, 2, 2, wrong, &report, &error));
    cr_expect(g_error_matches(error, XTF_ERROR, XTF_ERROR_CANCELLED));
    wrong = plain;
    wrong.threshold.value = NAN;
    cr_expect_not(cluster_matrices(&memory, 2, 2, wrong, &report, NULL));
    wrong = plain;
    wrong.n_start = 0;
    cr_expect_not(cluster_matrices(&memory, 2, 2, wrong, &report, NULL));
    wrong = plain;
    wrong.drop = 1.5;
    cr_expect_not(cluster_matrices(&memory, 2, 2, wrong, &report, NULL));
    cr_expect_not(cluster_matrices(&memory, XTF_CLUSTER_MOST_PROCS + 1, 2, plain, &report, NULL));
    cr_expect_not(cluster_matrices(&memory, 0, 2, plain, &report, NULL));
}

/* In the first network all values double, and one pair deviates by a tenth more: the median deviation is 0. In the
 * second both pairs deviate by a tenth. */
Test(cluster, noise)
{
    const double values[] = {0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 2, 2.2, 2, 0, 2, 2, 2, 0};
    const double scattered[] = {0, 1, 1, 0, 0, exp(0.1), exp(-0.1), 0};
    Memory memory = {.values = values, .fails_at = UINT32_MAX, .n_pairs = 9};
    XtfMatrixSource source = {3, 2, read_matrix, &memory};
    double noise;

    cr_assert(xtf_cluster_noise(&source, NULL, &noise, NULL));
    cr_expect_float_eq(noise, 0, 1e-15);
    memory.values = scattered;
    memory.n_pairs = 4;
    source.n_procs = 2;
    cr_assert(xtf_cluster_noise(&source, NULL, &noise, NULL));
    cr_expect_float_eq(noise, 0.1 * 1.4826 / sqrt(2), 1e-12);
    source.n_matrices = 1;
    cr_assert(xtf_cluster_noise(&source, NULL, &noise, NULL));
    cr_expect(isnan(noise));
    cr_expect_float_eq(xtf_cluster_threshold(NAN, false, 1).value, XTF_THRESHOLD_ONE_LENGTH, 0);
    cr_expect_float_eq(xtf_cluster_threshold(0.03, false, 16).value, 0.3, 1e-15);
    cr_expect_float_eq(xtf_cluster_threshold(0.04, true, 16).value, 0.1, 1e-15);
    cr_expect_float_eq(xtf_cluster_threshold(0.001, false, 16).value, XTF_THRESHOLD_LEAST, 0);
}
