#include "src/cli/trace/analyze-source.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/cli/trace/write-analysis.h"
#include "src/trace/context/analyses.h"

static bool find_analysed(XtfTrace *trace, bool *analysed, GError **error)
{
    g_autofree bool *outdated = NULL;

    if (!xtf_analyses_find_outdated(trace, &outdated, error))
        return false;
    *analysed = !outdated && xtf_trace_find_schema(trace, XTF_DERIVED_WAITS);
    return true;
}

bool xtf_cli_analyze_source(const char *source, const XtfSourceOptions *options, GError **error)
{
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, options, &path, error);
    XtfAnalyzeReport report;
    bool analysed;

    if (!trace || !find_analysed(trace, &analysed, error))
        return false;
    const XtfAnalysisJob job = {.trace = trace, .source = path, .path = path, .quiet = options->quiet};
    return analysed || xtf_cli_write_analysis(&job, &report, error);
}
