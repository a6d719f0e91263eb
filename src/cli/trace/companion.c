#include "src/cli/trace/companion.h"

#include <stdio.h>

#include "libxtf/error.h"
#include "libxtf/merge.h"
#include "libxtf/trace.h"
#include "libxtf/writer.h"
#include "src/cli/ui/print.h"

char *xtf_companion_base(const char *path)
{
    g_autofree char *anchor = g_build_filename(path, XTF_ANCHOR_NAME, NULL);

    return g_file_test(anchor, G_FILE_TEST_EXISTS) ? g_steal_pointer(&anchor) : g_strdup(path);
}

char *xtf_companion_beside(const char *path)
{
    g_autofree char *base = xtf_companion_base(path);

    return g_strconcat(base, XTF_COMPANION_SUFFIX, NULL);
}

char *xtf_companion_advice(const char *path)
{
    return g_strdup_printf("xtf analyze -o '%s" XTF_COMPANION_SUFFIX "' writes the analysis beside it", path);
}

/* Opens the companion that the user named. If it is not an XTF file, the error must not suggest that the trace is none.
 */
static XtfTrace *open_given(const char *path, const XtfSourceOptions *source_options, GError **error)
{
    GError *problem = NULL;
    XtfTrace *trace = xtf_trace_open_companion(source_options->companion, path, source_options->open, &problem);

    if (!trace) {
        int code = g_error_matches(problem, XTF_ERROR, XTF_ERROR_NOT_XTF) ? XTF_ERROR_INVALID : problem->code;
        xtf_fail(error, code, "cannot be an analysis of '%s': %s", path, problem->message);
        g_error_free(problem);
    }
    return trace;
}

void xtf_companion_remark(const GError *reason)
{
    xtf_print_line(stderr, "xtf: remark: an analysis beside the trace is not used: %s", reason->message);
}

/* Reports why a companion is not used, as the options say. Owns the reason. */
static void report_unused(GError *reason, const XtfSourceOptions *source_options)
{
    if (source_options->left_out) {
        g_propagate_error(source_options->left_out, reason);
        return;
    }
    if (!source_options->quiet)
        xtf_companion_remark(reason);
    g_error_free(reason);
}

void xtf_companion_report_left(const char *folder, const XtfSourceOptions *source_options)
{
    g_autofree char *beside = g_build_filename(folder, XTF_ANCHOR_NAME XTF_COMPANION_SUFFIX, NULL);
    GError *reason = NULL;

    if (source_options->no_companion || !g_file_test(beside, G_FILE_TEST_EXISTS))
        return;
    xtf_fail(&reason, XTF_ERROR_INVALID, "%s: the folder has no " XTF_ANCHOR_NAME " any more", beside);
    report_unused(reason, source_options);
}

XtfTrace *xtf_companion_open(const char *path, const XtfSourceOptions *source_options, GError **error)
{
    g_autofree char *beside = xtf_companion_beside(path);
    GError *problem = NULL;

    if (source_options->companion)
        return open_given(path, source_options, error);
    if (source_options->no_companion || !g_file_test(beside, G_FILE_TEST_EXISTS))
        return xtf_trace_open(path, source_options->open, error);
    XtfTrace *trace = xtf_trace_open_companion(beside, path, source_options->open, &problem);
    if (trace)
        return trace;
    trace = xtf_trace_open(path, source_options->open, error);
    if (trace)
        report_unused(problem, source_options);
    else
        g_error_free(problem);
    return trace;
}
