#include "src/cli/trace/analyze-source.h"

#include "libxtf/vocabulary.h"
#include "src/analysis/analyze/analyze.h"
#include "src/cli/trace/companion.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/progress.h"
#include "src/query/context/analyses.h"

static bool is_analysed(XtfTrace *trace, bool *analysed, GError **error)
{
    g_autofree bool *outdated = NULL;

    if (!xtf_analyses_find_outdated(trace, &outdated, error))
        return false;
    *analysed = !outdated && xtf_trace_find_schema(trace, XTF_DERIVED_WAITS);
    return true;
}

static bool analyze(XtfTrace *trace, const char *path, bool quiet, GError **error)
{
    g_autoptr(XtfProgress) progress = xtf_progress_new("analysing", "rows", quiet);
    g_autofree char *otherwise = xtf_companion_advice(path);
    g_autoptr(XtfWriter) writer = xtf_cli_writer_of(trace, path, path, otherwise, error);
    XtfAnalyzeReport report;
    XtfInterrupts interrupts;

    if (!writer)
        return false;
    const XtfAnalyzeOptions options = {
        .cancel = xtf_interrupts_catch(&interrupts), .progress = xtf_progress_step, .progress_data = progress};
    bool good = xtf_analyze(trace, writer, "xtf analyze " XTF_VERSION, &options, &report, error) &&
                xtf_writer_close(g_steal_pointer(&writer), error);
    xtf_interrupts_release(&interrupts);
    return good;
}

bool xtf_cli_analyze_source(const char *source, const char *cache_folder, bool quiet, GError **error)
{
    const XtfSourceOptions how = {.cache_folder = cache_folder, .quiet = quiet};
    g_autofree char *path = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, &how, &path, error);
    bool analysed;

    return trace && is_analysed(trace, &analysed, error) && (analysed || analyze(trace, path, quiet, error));
}
