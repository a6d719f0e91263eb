#include "src/network/results/cluster-network.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "src/network/cluster/noise.h"
#include "src/network/results/clustered-writer.h"
#include "src/network/results/file.h"

XtfNetworkValue xtf_network_value_of(const XtfNetwork *network, const char *path)
{
    static const XtfNetworkValue order[] = {XTF_NETWORK_MEDIAN, XTF_NETWORK_AVERAGE, XTF_NETWORK_MIN,
                                            XTF_NETWORK_DEVIATION, XTF_NETWORK_AMOUNT};

    for (unsigned value = 0; value < XTF_NETWORK_REPEAT; value++) {
        if (network->files[value] && strcmp(network->files[value]->netcdf.path, path) == 0)
            return value;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(order); i++) {
        if (network->files[order[i]])
            return order[i];
    }
    return XTF_NETWORK_MEDIAN;
}

typedef struct {
    XtfNetwork *network;
    XtfNetworkValue value;
    const XtfClusterOptions *clustering;
    XtfClusteredWriter *writer; /* or NULL */
} Job;

static bool read_matrix(void *data, uint32_t matrix, double *values, GError **error)
{
    const Job *job = data;
    return xtf_network_read(job->network, job->value, matrix, values, error);
}

static bool write_portion(void *data, const XtfPortion *portion, GError **error)
{
    const Job *job = data;
    return !job->writer || xtf_clustered_writer_add(job->writer, portion, error);
}

static void forward_progress(void *data, uint64_t done, uint64_t total)
{
    const Job *job = data;
    if (job->clustering->progress)
        job->clustering->progress(job->clustering->data, done, total);
}

static uint64_t file_bytes(const char *path)
{
    struct stat status;
    return path && stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static char *describe_method(const XtfClusterOptions *clustering, const XtfNetworkClusterOptions *options)
{
    return g_strdup_printf("%s: %sfirst %" PRIu32 ", other %" PRIu32 ", drop %g", options->program,
                           clustering->average ? "average, " : "", clustering->n_start, clustering->n_step,
                           clustering->drop);
}

static bool cluster_matrices(Job *job, const XtfClusterOptions *clustering, const XtfNetworkClusterOptions *options,
                             XtfNetworkClusterReport *report, GError **error)
{
    const XtfMatrixSource source = {job->network->processes, job->network->lengths, read_matrix, job};
    g_autofree char *method = describe_method(clustering, options);
    XtfClusterOptions complete = *clustering;

    if (options->choose) {
        if (!xtf_cluster_noise(&source, clustering->cancel, &report->noise, error))
            return false;
        complete.threshold = xtf_cluster_threshold(report->noise, clustering->average, source.n_matrices);
    }
    report->threshold = complete.threshold;
    complete.portion = write_portion;
    complete.progress = forward_progress;
    complete.data = job;
    if (!xtf_cluster(&source, &complete, &report->clusters, error))
        return false;
    const XtfClusteredFacts facts = {report->threshold, method, report->clusters};
    return !job->writer || xtf_clustered_writer_end(job->writer, &facts, error);
}

bool xtf_network_cluster(XtfNetwork *network, const XtfClusterOptions *clustering,
                         const XtfNetworkClusterOptions *options, XtfNetworkClusterReport *report, GError **error)
{
    Job job = {.network = network, .value = options->value, .clustering = clustering};
    XtfNetworkClusterReport result_report = {.noise = NAN};

    if (options->value == XTF_NETWORK_REPEAT || !network->files[options->value])
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the result has no %s values to cluster",
                        xtf_network_values[options->value]);
    g_autoptr(XtfClusteredWriter) writer = NULL;
    if (options->info.path) {
        writer = xtf_clustered_writer_new(network, options->value, &options->info, &options->data, error);
        if (!writer)
            return false;
    }
    job.writer = writer;
    if (!cluster_matrices(&job, clustering, options, &result_report, error))
        return false;
    result_report.before = file_bytes(network->files[options->value]->netcdf.path);
    result_report.after = file_bytes(options->info.path) + file_bytes(options->data.path);
    *report = result_report;
    return true;
}
