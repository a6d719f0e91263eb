#include "src/cli/trace/own-writer.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"

/* True if no process has written to the file since `trace` was opened. The writer already holds the file's lock, so
 * none can now. */
static bool is_latest(XtfTrace *trace, const char *source, const char *path, GError **error)
{
    g_autoptr(XtfTrace) now = xtf_trace_open(path, NULL, error);
    XtfTraceInfo old_info, info;

    if (!now)
        return false;
    xtf_trace_get_info(trace, &old_info);
    xtf_trace_get_info(now, &info);
    return (old_info.commit == info.commit && old_info.epoch == info.epoch) ||
           xtf_fail(error, XTF_ERROR_STALE, "another process has just written to %s: try again", source);
}

void xtf_cli_add_advice(GError **error, const char *advice)
{
    if (!error || !*error)
        return;
    char *message = g_strdup_printf("%s (%s)", (*error)->message, advice);
    g_free((*error)->message);
    (*error)->message = message;
}

XtfWriter *xtf_cli_writer_of(XtfTrace *trace, const char *source, const char *path, const char *otherwise,
                             GError **error)
{
    g_autofree char *source_path = g_canonicalize_filename(source, NULL);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    if (strcmp(source_path, path) != 0) {
        xtf_fail(error, XTF_ERROR_INVALID, "%s is not an .xtf file: %s", source, otherwise);
        return NULL;
    }
    if (!info.closed) {
        xtf_fail(error, XTF_ERROR_INVALID,
                 "%s: cannot be changed, as its writer has not closed it: %s of its present state", source, otherwise);
        return NULL;
    }
    /* No mount follows a closed file. So only the last two commits are kept, for readers that have it open. */
    const XtfWriterOptions options = {.keep_commits = 2, .keep_seconds = -1};
    g_autoptr(XtfWriter) writer = xtf_writer_open(path, &options, error);
    if (!writer) {
        xtf_cli_add_advice(error, otherwise);
        return NULL;
    }
    return is_latest(trace, source, path, error) ? g_steal_pointer(&writer) : NULL;
}
