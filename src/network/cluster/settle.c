/*
 * A portion's results: a value of each cluster at each length, the errors, and the final numbers of clusters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/network/cluster/cluster-private.h"

typedef struct {
    double *values; /* right - left values for each cluster, as in XtfPortion */
    uint32_t n, n_steps;
    double *sums, *firsts; /* by cluster, for one matrix */
    uint64_t *counts;
} Means;

/* Computes the clusters' means of one matrix, over measured values. Sums differences to the cluster's first value, so
 * that equal values have exactly their own mean. */
static void compute_means(const XtfClusterJob *job, const uint32_t *clusters, Means *means, uint32_t step)
{
    for (uint32_t c = 0; c < means->n; c++) {
        means->sums[c] = 0;
        means->counts[c] = 0;
    }
    for (size_t pair = 0; pair < job->n_pairs; pair++) {
        uint32_t c = clusters[pair];
        if (xtf_is_measured(job->values[pair])) {
            if (means->counts[c]++ == 0)
                means->firsts[c] = job->values[pair];
            means->sums[c] += job->values[pair] - means->firsts[c];
        }
    }
    for (uint32_t c = 0; c < means->n; c++)
        means->values[(size_t)c * means->n_steps + step] =
            means->counts[c] > 0 ? means->firsts[c] + means->sums[c] / (double)means->counts[c] : NAN;
}

static void add_errors(XtfClusterJob *job, const uint32_t *clusters, const Means *means, uint32_t step)
{
    XtfClusterReport *report = &job->report;

    for (size_t pair = 0; pair < job->n_pairs; pair++) {
        double value = job->values[pair], mean = means->values[(size_t)clusters[pair] * means->n_steps + step];
        if (!xtf_is_measured(value)) {
            report->filled += !isnan(mean);
            continue;
        }
        double difference = fabs(value - mean), error = value > 0 ? difference / value : difference > 0;
        report->measured++;
        job->error_sum += error;
        report->far_off += error > XTF_FAR_OFF;
        report->greatest_error = MAX(report->greatest_error, error);
        report->greatest_difference = MAX(report->greatest_difference, difference);
    }
}

/* ---- Final numbers. */

typedef struct {
    double sum; /* of the cluster's values; infinite if it has none */
    size_t first_pair;
    uint32_t cluster;
} Rank;

static int compare_ranks(const void *left, const void *right)
{
    const Rank *a = left, *b = right;

    if (a->sum != b->sum)
        return a->sum < b->sum ? -1 : 1;
    return a->first_pair < b->first_pair ? -1 : a->first_pair > b->first_pair;
}

static Rank *rank_clusters(const XtfClusterJob *job, const uint32_t *clusters, const Means *means)
{
    Rank *ranks = g_new(Rank, means->n);

    for (uint32_t c = 0; c < means->n; c++) {
        bool any = false;
        ranks[c] = (Rank){.cluster = c};
        for (uint32_t step = 0; step < means->n_steps; step++) {
            double value = means->values[(size_t)c * means->n_steps + step];
            any |= !isnan(value);
            ranks[c].sum += isnan(value) ? 0 : value;
        }
        ranks[c].sum = any ? ranks[c].sum : INFINITY;
    }
    for (size_t pair = job->n_pairs; pair-- > 0;)
        ranks[clusters[pair]].first_pair = pair;
    qsort(ranks, means->n, sizeof *ranks, compare_ranks);
    return ranks;
}

/* Renumbers clusters by the sum of their values, then by their first pair, and reorders the values. */
static void renumber_clusters(const XtfClusterJob *job, uint32_t *clusters, Means *means)
{
    g_autofree Rank *ranks = rank_clusters(job, clusters, means);
    g_autofree uint32_t *numbers = g_new(uint32_t, means->n);
    double *sorted = g_new(double, (size_t)means->n * means->n_steps);

    for (uint32_t i = 0; i < means->n; i++) {
        numbers[ranks[i].cluster] = i;
        memcpy(&sorted[(size_t)i * means->n_steps], &means->values[(size_t)ranks[i].cluster * means->n_steps],
               means->n_steps * sizeof *sorted);
    }
    for (size_t pair = 0; pair < job->n_pairs; pair++)
        clusters[pair] = numbers[clusters[pair]];
    g_free(means->values);
    means->values = sorted;
}

bool xtf_cluster_settle(XtfClusterJob *job, uint32_t left, uint32_t right, uint32_t *clusters, uint32_t n_clusters,
                        GError **error)
{
    Means means = {.n = n_clusters, .n_steps = right - left};
    g_autofree double *sums = means.sums = g_new(double, n_clusters);
    g_autofree double *firsts = means.firsts = g_new(double, n_clusters);
    g_autofree uint64_t *counts = means.counts = g_new(uint64_t, n_clusters);
    bool good = true;

    means.values = g_new(double, (size_t)n_clusters *means.n_steps);
    for (uint32_t step = 0; good && step < means.n_steps; step++) {
        good = xtf_cluster_read(job, left + step, error);
        if (good) {
            compute_means(job, clusters, &means, step);
            add_errors(job, clusters, &means, step);
        }
    }
    if (good) {
        renumber_clusters(job, clusters, &means);
        const XtfPortion portion = {left, right, n_clusters, clusters, means.values};
        job->report.portions++;
        job->report.clusters += n_clusters;
        job->report.values += (uint64_t)n_clusters * means.n_steps;
        good = job->options->portion(job->options->data, &portion, error);
    }
    g_free(means.values);
    return good;
}
