#include "libxtf/error.h"
#include "src/network/cluster/cluster-private.h"

bool xtf_cluster_read(XtfClusterJob *job, uint32_t matrix, GError **error)
{
    const XtfClusterOptions *options = job->options;

    if (options->cancel && atomic_load_explicit(options->cancel, memory_order_relaxed))
        return xtf_fail(error, XTF_ERROR_CANCELLED, "interrupted");
    if (!job->source->read(job->source->data, matrix, job->values, error))
        return false;
    job->n_read++;
    job->n_to_read = MAX(job->n_to_read, job->n_read);
    if (options->progress)
        options->progress(options->data, job->n_read, job->n_to_read);
    return true;
}
