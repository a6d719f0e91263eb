#include "src/cli/copy/rewrite.h"

#include "libxtf/trace.h"
#include "libxtf/writer.h"
#include "src/cli/copy/copy-trace.h"
#include "src/import/output.h"

typedef struct {
    atomic_bool *cancel; /* cancelled by the user */
    atomic_bool stop;
    gint64 deadline; /* time by g_get_monotonic_time() at which copying is given up */
} Bound;

static void check_deadline(uint64_t done, uint64_t total, void *data)
{
    Bound *bound = data;

    if (atomic_load(bound->cancel) || g_get_monotonic_time() > bound->deadline)
        atomic_store(&bound->stop, true);
}

static bool write_copy(XtfTrace *trace, const XtfOutput *output, atomic_bool *cancel, GError **error)
{
    const XtfClock *clock = xtf_trace_clock(trace);
    const XtfWriterOptions options = {
        .resolution_num = clock->resolution_num, .resolution_den = clock->resolution_den, .origin = clock->origin};
    Bound bound = {.cancel = cancel, .deadline = g_get_monotonic_time() + XTF_REWRITE_US_MAX};
    const XtfCopyOptions copy = {.cancel = &bound.stop, .progress = check_deadline, .progress_data = &bound};
    g_autoptr(XtfWriter) writer = xtf_output_writer(output, &options, error);

    return writer && xtf_copy_trace(trace, writer, &copy, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

static uint64_t count_rows(const XtfTrace *trace)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++)
        n += xtf_trace_n_rows(trace, i);
    return n;
}

bool xtf_rewrite_small(const char *path, atomic_bool *cancel, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (!trace)
        return false;
    if (count_rows(trace) > XTF_REWRITE_ROWS_MAX)
        return true;
    XtfOutput *output = xtf_output_begin(path, NULL, error);
    return output && xtf_output_end(output, write_copy(trace, output, cancel, error), error);
}
