#include "src/network/cluster/cluster.h"

#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/network/cluster/cluster-private.h"
#include "src/network/cluster/intersections.h"

/* Applies steps 1 and 2 to one matrix. */
static bool label_matrix(XtfClusterJob *job, uint32_t matrix, uint32_t *labels, GError **error)
{
    if (!xtf_cluster_read(job, matrix, error))
        return false;
    xtf_order_sort(&job->order, job->values);
    XtfRangeLimit limit = xtf_range_limit(&job->options->threshold, &job->order, job->values);
    xtf_ranges_label(&job->order, job->values, &limit, job->source->n_procs, labels);
    return true;
}

/* Adds the labels of the matrices [from, to) to `labels`, a new array for each. */
static bool label_matrices(XtfClusterJob *job, uint32_t from, uint32_t to, GPtrArray *labels, GError **error)
{
    for (uint32_t matrix = from; matrix < to; matrix++) {
        uint32_t *matrix_labels = g_new(uint32_t, job->n_pairs);
        g_ptr_array_add(labels, matrix_labels);
        if (!label_matrix(job, matrix, matrix_labels, error))
            return false;
    }
    return true;
}

static uint32_t intersect_labels(const XtfClusterJob *job, const GPtrArray *labels, bool refine, uint32_t *clusters)
{
    return xtf_intersections_cluster((const uint32_t *const *)labels->pdata, labels->len, refine, job->n_pairs,
                                     clusters);
}

/* Applies step 5: refines `clusters` by the matrices [right, to). Leaves them unchanged if that drops too many
 * pairs. */
static bool refine_clusters(XtfClusterJob *job, uint32_t right, uint32_t to, uint32_t *clusters, uint32_t *n_clusters,
                            bool *extended, GError **error)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);
    g_autofree uint32_t *refined = g_new(uint32_t, job->n_pairs);

    g_ptr_array_add(labels, g_memdup2(clusters, job->n_pairs * sizeof *clusters));
    if (!label_matrices(job, right, to, labels, error))
        return false;
    uint32_t n = intersect_labels(job, labels, true, refined);
    size_t dropped = xtf_intersections_dropped(clusters, *n_clusters, refined, n, job->n_pairs);
    *extended = (double)dropped <= job->options->drop * (double)job->n_pairs;
    if (*extended) {
        memcpy(clusters, refined, job->n_pairs * sizeof *clusters);
        *n_clusters = n;
    }
    return true;
}

/* Finds the end of the portion that begins at `left`, and its clusters. */
static bool cluster_by_intersections(XtfClusterJob *job, uint32_t left, uint32_t *right, uint32_t *clusters,
                                     uint32_t *n_clusters, GError **error)
{
    const uint32_t n = job->source->n_matrices;
    bool extended = true;

    *right = left + MIN(job->options->n_start, n - left);
    { /* frees the labels before more are made */
        g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);
        if (!label_matrices(job, left, *right, labels, error))
            return false;
        *n_clusters = intersect_labels(job, labels, false, clusters);
    }
    while (*right < n && extended) {
        uint32_t to = *right + MIN(job->options->n_step, n - *right);
        if (!refine_clusters(job, *right, to, clusters, n_clusters, &extended, error))
            return false;
        if (extended)
            *right = to;
    }
    return true;
}

/* ---- The whole. */

static bool options_are_sound(const XtfMatrixSource *source, const XtfClusterOptions *options, GError **error)
{
    const XtfThreshold *threshold = &options->threshold;

    if (source->n_procs == 0 || source->n_procs > XTF_CLUSTER_MOST_PROCS)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot cluster %" PRIu32 " processors: 1 to %d are supported",
                        source->n_procs, XTF_CLUSTER_MOST_PROCS);
    if (!isfinite(threshold->value) || threshold->value < 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "the threshold must be a number that is not negative");
    if (options->n_start == 0 || options->n_step == 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "`first` and `other` must be at least 1");
    if (!(options->drop >= 0 && options->drop <= 1))
        return xtf_fail(error, XTF_ERROR_INVALID, "the share of pairs that may be dropped must be 0 to 1");
    if (options->average && threshold->kind == XTF_THRESHOLD_ABSOLUTE)
        return xtf_fail(error, XTF_ERROR_INVALID, "the average of several lengths cannot have an absolute threshold");
    return true;
}

static bool cluster_portion(XtfClusterJob *job, uint32_t left, uint32_t *right, GError **error)
{
    g_autofree uint32_t *clusters = g_new(uint32_t, job->n_pairs);
    uint32_t n_clusters;

    return (job->options->average ? xtf_cluster_by_average(job, left, right, clusters, &n_clusters, error)
                                  : cluster_by_intersections(job, left, right, clusters, &n_clusters, error)) &&
           xtf_cluster_settle(job, left, *right, clusters, n_clusters, error);
}

bool xtf_cluster(const XtfMatrixSource *source, const XtfClusterOptions *options, XtfClusterReport *report,
                 GError **error)
{
    XtfClusterJob job = {.source = source, .options = options};
    bool good = true;

    if (!options_are_sound(source, options, error))
        return false;
    job.n_pairs = (size_t)source->n_procs * source->n_procs;
    job.n_to_read = (uint64_t)source->n_matrices * 2;
    job.values = g_try_new(double, job.n_pairs);
    if (!job.values)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "not enough memory for a matrix of %" PRIu32 " processors",
                        source->n_procs);
    xtf_order_init(&job.order, job.n_pairs);
    for (uint32_t left = 0, right = 0; good && left < source->n_matrices; left = right)
        good = cluster_portion(&job, left, &right, error);
    if (good) {
        if (job.report.measured > 0)
            job.report.mean_error = job.error_sum / (double)job.report.measured;
        *report = job.report;
    }
    xtf_order_finish(&job.order);
    g_free(job.values);
    return good;
}
