/*
 * Clusters of the average of several matrices, in which noise is smaller.
 *
 * Each matrix is divided by the median of its measured values above 0. The average of a pair is the mean of the middle
 * half of its k sorted values: from k / 4 to k - k / 4.
 */
#include "src/network/cluster/cluster-private.h"

#include <math.h>
#include <stdlib.h>

#include "libxtf/base/doubles.h"
#include "libxtf/error.h"

enum {
    AVERAGE_BYTES = 32 << 20, /* memory for values: each block of pairs needs a read of all matrices */
    SHORT_COLUMN = 64,        /* number of values up to which insertion sort is faster than qsort() */
};

/* ---- Averages. */

/* Returns the median of the measured values above 0 in the matrix that was read last; 1 if there are none. */
static double median_of(XtfClusterJob *job)
{
    XtfOrder *order = &job->order;
    size_t zeros = 0;

    xtf_order_sort(order, job->values);
    while (zeros < order->n && !(job->values[order->pairs[zeros]] > 0))
        zeros++;
    return zeros < order->n ? job->values[order->pairs[zeros + (order->n - zeros) / 2]] : 1;
}

/* Sorts the values of one pair. There are seldom many: one for each length. */
static void sort_column(double *values, size_t n)
{
    if (n > SHORT_COLUMN) {
        qsort(values, n, sizeof *values, xtf_compare_doubles);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        double value = values[i];
        size_t j = i;
        for (; j > 0 && values[j - 1] > value; j--)
            values[j] = values[j - 1];
        values[j] = value;
    }
}

static double middle_mean(double *values, size_t n)
{
    double sum = 0;

    if (n == 0)
        return NAN;
    sort_column(values, n);
    for (size_t i = n / 4; i < n - n / 4; i++)
        sum += values[i];
    return sum / (double)(n - n / 4 * 2);
}

/* Computes the averages of the pairs [from, to). `columns` has place for their values, pair by pair. */
static bool average_pairs(XtfClusterJob *job, uint32_t left, uint32_t right, size_t from, size_t to, double *columns,
                          double *averages, GError **error)
{
    size_t n_steps = right - left;

    for (size_t step = 0; step < n_steps; step++) {
        if (!xtf_cluster_read(job, left + (uint32_t)step, error))
            return false;
        double median = median_of(job);
        for (size_t pair = from; pair < to; pair++)
            columns[(pair - from) * n_steps + step] = job->values[pair] / median;
    }
    for (size_t pair = from; pair < to; pair++) {
        double *column = &columns[(pair - from) * n_steps];
        size_t n = 0;
        for (size_t step = 0; step < n_steps; step++) {
            if (xtf_is_measured(column[step]))
                column[n++] = column[step];
        }
        averages[pair] = middle_mean(column, n);
    }
    return true;
}

/* Computes the averages of all pairs over the matrices [left, right). NaN if a pair was measured in none of them. */
static bool find_averages(XtfClusterJob *job, uint32_t left, uint32_t right, double *averages, GError **error)
{
    size_t n_at_once = CLAMP(AVERAGE_BYTES / sizeof(double) / (right - left), 1, job->n_pairs);
    g_autofree double *columns = g_new(double, n_at_once *(right - left));

    job->n_to_read += (job->n_pairs + n_at_once - 1) / n_at_once * (right - left);
    for (size_t from = 0; from < job->n_pairs; from += n_at_once) {
        if (!average_pairs(job, left, right, from, MIN(from + n_at_once, job->n_pairs), columns, averages, error))
            return false;
    }
    return true;
}

/* ---- Portions. */

typedef struct {
    double least, greatest;
} Range;

/* True if a range still fits the limit with one more value. */
static bool value_fits(const XtfRangeLimit *limit, const Range *range, double value)
{
    return xtf_range_fits(limit, value, range->least) && xtf_range_fits(limit, range->greatest, value);
}

/* Applies steps 1 and 2 to averages. Returns the number of clusters. The last one has the pairs that were not measured,
 * if any. */
static uint32_t label_averages(XtfClusterJob *job, const double *averages, XtfRangeLimit *limit, uint32_t *clusters)
{
    uint32_t n = 0;

    xtf_order_sort(&job->order, averages);
    *limit = xtf_range_limit(&job->options->threshold, &job->order, averages);
    xtf_ranges_label(&job->order, averages, limit, job->source->n_procs, clusters);
    for (size_t pair = 0; pair < job->n_pairs; pair++)
        n = clusters[pair] != XTF_LABEL_UNMEASURED ? MAX(n, clusters[pair] + 1) : n;
    for (size_t pair = 0; pair < job->n_pairs; pair++)
        clusters[pair] = clusters[pair] == XTF_LABEL_UNMEASURED ? n : clusters[pair];
    return n + (job->order.n < job->n_pairs);
}

/* Counts the pairs that leave their cluster in the matrices [from, to): their average does not fit the cluster's range.
 * A pair also leaves if it was measured only in these matrices, or only in the earlier ones. */
static bool count_leaving(XtfClusterJob *job, uint32_t from, uint32_t to, const uint32_t *clusters, const Range *ranges,
                          const XtfRangeLimit *limit, size_t *leaving, GError **error)
{
    g_autofree double *averages = g_new(double, job->n_pairs);

    *leaving = 0;
    if (!find_averages(job, from, to, averages, error))
        return false;
    for (size_t pair = 0; pair < job->n_pairs; pair++) {
        const Range *range = &ranges[clusters[pair]];
        bool measured = !isnan(averages[pair]), was_measured = !isinf(range->least);
        *leaving += measured != was_measured || (measured && !value_fits(limit, range, averages[pair]));
    }
    return true;
}

static Range *find_ranges(const XtfClusterJob *job, const double *averages, const uint32_t *clusters,
                          uint32_t n_clusters)
{
    Range *ranges = g_new(Range, n_clusters);

    for (uint32_t c = 0; c < n_clusters; c++)
        ranges[c] = (Range){.least = INFINITY, .greatest = -INFINITY};
    for (size_t pair = 0; pair < job->n_pairs; pair++) {
        Range *range = &ranges[clusters[pair]];
        if (!isnan(averages[pair])) {
            range->least = MIN(range->least, averages[pair]);
            range->greatest = MAX(range->greatest, averages[pair]);
        }
    }
    return ranges;
}

/* Extends the portion, which ends at *right, while few enough pairs leave the clusters of `averages`. */
static bool extend_portion(XtfClusterJob *job, const double *averages, const uint32_t *clusters, uint32_t n_clusters,
                           const XtfRangeLimit *limit, uint32_t *right, GError **error)
{
    g_autofree Range *ranges = find_ranges(job, averages, clusters, n_clusters);
    const uint32_t n = job->source->n_matrices;

    while (*right < n) {
        uint32_t to = *right + MIN(job->options->n_step, n - *right);
        size_t leaving;
        if (!count_leaving(job, *right, to, clusters, ranges, limit, &leaving, error))
            return false;
        if ((double)leaving > job->options->drop * (double)job->n_pairs)
            break;
        *right = to;
    }
    return true;
}

bool xtf_cluster_by_average(XtfClusterJob *job, uint32_t left, uint32_t *right, uint32_t *clusters,
                            uint32_t *n_clusters, GError **error)
{
    g_autofree double *averages = g_new(double, job->n_pairs);
    uint32_t first = MIN(job->options->n_start, job->source->n_matrices - left);
    XtfRangeLimit limit;

    *right = left + first;
    if (!find_averages(job, left, *right, averages, error))
        return false;
    *n_clusters = label_averages(job, averages, &limit, clusters);
    if (!extend_portion(job, averages, clusters, *n_clusters, &limit, right, error))
        return false;
    if (*right == left + first)
        return true;
    if (!find_averages(job, left, *right, averages, error))
        return false;
    *n_clusters = label_averages(job, averages, &limit, clusters);
    return true;
}
