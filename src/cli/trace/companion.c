#include "src/cli/trace/companion.h"

#include <stdio.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/ui/print.h"

char *xtf_companion_beside(const char *path)
{
    return g_strconcat(path, XTF_COMPANION_SUFFIX, NULL);
}

char *xtf_companion_advice(const char *path)
{
    return g_strdup_printf("xtf analyze -o '%s" XTF_COMPANION_SUFFIX "' writes the analysis beside it", path);
}

/* The one that was asked for. That it is no XTF file says nothing of the trace. */
static XtfTrace *open_given(const char *path, const XtfSourceOptions *how, GError **error)
{
    GError *problem = NULL;
    XtfTrace *trace = xtf_trace_open_companion(how->companion, path, how->open, &problem);

    if (!trace) {
        int code = g_error_matches(problem, XTF_ERROR, XTF_ERROR_NOT_XTF) ? XTF_ERROR_INVALID : problem->code;
        xtf_fail(error, code, "it cannot be an analysis of '%s': %s", path, problem->message);
        g_error_free(problem);
    }
    return trace;
}

void xtf_companion_remark(const GError *reason)
{
    xtf_print_line(stderr, "xtf: remark: an analysis beside the trace is not used: %s", reason->message);
}

XtfTrace *xtf_companion_open(const char *path, const XtfSourceOptions *how, GError **error)
{
    g_autofree char *beside = xtf_companion_beside(path);
    GError *problem = NULL;

    if (how->companion)
        return open_given(path, how, error);
    if (how->alone || !g_file_test(beside, G_FILE_TEST_EXISTS))
        return xtf_trace_open(path, how->open, error);
    XtfTrace *trace = xtf_trace_open_companion(beside, path, how->open, &problem);
    if (trace)
        return trace;
    trace = xtf_trace_open(path, how->open, error);
    if (trace && how->left_out) {
        g_propagate_error(how->left_out, problem);
        return trace;
    }
    if (trace && !how->quiet)
        xtf_companion_remark(problem);
    g_error_free(problem);
    return trace;
}
