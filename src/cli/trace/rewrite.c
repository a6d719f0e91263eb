#include "src/cli/trace/rewrite.h"

#include "libxtf/trace.h"
#include "libxtf/writer.h"
#include "src/cli/trace/copy-trace.h"
#include "src/import/output.h"

static bool write_copy(XtfTrace *trace, const char *path, atomic_bool *cancel, GError **error)
{
    const XtfClock *clock = xtf_trace_clock(trace);
    const XtfWriterOptions options = {
        .resolution_num = clock->resolution_num, .resolution_den = clock->resolution_den, .origin = clock->origin};
    const XtfCopyOptions copy = {.cancel = cancel};
    g_autoptr(XtfWriter) writer = xtf_writer_create(path, &options, error);

    return writer && xtf_copy_trace(trace, writer, &copy, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

bool xtf_rewrite_small(const char *path, atomic_bool *cancel, GError **error)
{
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);
    XtfTraceInfo info;

    if (!trace)
        return false;
    xtf_trace_get_info(trace, &info);
    if (info.file_size > XTF_REWRITE_BYTES_MAX)
        return true;
    XtfOutput *output = xtf_output_begin(path, NULL, error);
    return output && xtf_output_end(output, write_copy(trace, output->path, cancel, error), error);
}
