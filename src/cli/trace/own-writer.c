#include "src/cli/trace/own-writer.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"

/* Whether nobody has written to the file since it was opened to be read: its writer is there now, so nobody can. */
static bool is_latest(XtfTrace *trace, const char *source, const char *path, GError **error)
{
    g_autoptr(XtfTrace) now = xtf_trace_open(path, NULL, error);
    XtfTraceInfo then, info;

    if (!now)
        return false;
    xtf_trace_get_info(trace, &then);
    xtf_trace_get_info(now, &info);
    return (then.commit == info.commit && then.epoch == info.epoch) ||
           xtf_fail(error, XTF_ERROR_STALE, "%s was written meanwhile: try again", source);
}

XtfWriter *xtf_cli_writer_of(XtfTrace *trace, const char *source, const char *path, const char *otherwise,
                             GError **error)
{
    g_autofree char *named = g_canonicalize_filename(source, NULL);
    XtfTraceInfo info;

    xtf_trace_get_info(trace, &info);
    if (strcmp(named, path) != 0) {
        xtf_fail(error, XTF_ERROR_INVALID, "%s is no .xtf file: %s", source, otherwise);
        return NULL;
    }
    if (!info.closed) {
        xtf_fail(error, XTF_ERROR_INVALID, "%s: its writer has not closed it: %s of what is there", source, otherwise);
        return NULL;
    }
    /* Nobody follows a closed file: what the commit before named is kept for those who have it open, and no more. */
    const XtfWriterOptions options = {.keep_commits = 2, .keep_seconds = -1};
    g_autoptr(XtfWriter) writer = xtf_writer_open(path, &options, error);
    if (!writer) {
        if (error && *error) {
            char *message = g_strdup_printf("%s (%s)", (*error)->message, otherwise);
            g_free((*error)->message);
            (*error)->message = message;
        }
        return NULL;
    }
    return is_latest(trace, source, path, error) ? g_steal_pointer(&writer) : NULL;
}
