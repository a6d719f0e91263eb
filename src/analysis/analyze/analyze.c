#include "src/analysis/analyze/analyze-private.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/properties.h"
#include "src/model/schemas.h"
#include "src/trace/context/analyses.h"

/* Records the clocks that a derived type was computed with. */
static bool add_analysis(XtfWriter *writer, XtfTableWriter *table, const char *records, uint64_t clocks,
                         const char *tool, GError **error)
{
    uint32_t name, by;

    if (!xtf_writer_add_string(writer, records, &name, error) || !xtf_writer_add_string(writer, tool, &by, error))
        return false;
    const XtfAnalysisRow row = {.records = name, .clocks = clocks, .tool = by};
    return xtf_table_writer_append(table, &row, NULL, error);
}

static bool is_ours(const char *records)
{
    for (unsigned tag = XTF_MODEL_WAITS; tag < XTF_MODEL_AFTER_ANALYSIS; tag++)
        if (g_str_equal(xtf_model_schema(tag)->name, records))
            return true;
    return false;
}

/* Keeps the entries of derived types that other programs wrote. Without an entry their rows would count as current. */
static bool keep_others(const GArray *analyses, XtfWriter *writer, XtfTableWriter *table, GError **error)
{
    for (guint i = 0; i < analyses->len; i++) {
        const XtfAnalysisEntry *entry = xtf_analyses_at(analyses, i);
        if (!is_ours(entry->records) && !add_analysis(writer, table, entry->records, entry->clocks, entry->tool, error))
            return false;
    }
    return true;
}

/* Writes the table of analyses. `analyses`: the table's rows before this analysis. */
static bool write_analyses(XtfTrace *trace, const GArray *analyses, XtfWriter *writer, const char *tool, GError **error)
{
    uint64_t clocks;
    uint32_t id;

    if (!xtf_trace_clocks_digest(trace, &clocks, error) ||
        !xtf_writer_replace_schema(writer, xtf_model_schema(XTF_MODEL_ANALYSES), &id, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(writer, id, error);
    if (!table)
        return false;
    for (unsigned tag = XTF_MODEL_WAITS; tag < XTF_MODEL_AFTER_ANALYSIS; tag++)
        if (!add_analysis(writer, table, xtf_model_schema(tag)->name, clocks, tool, error))
            return false;
    return keep_others(analyses, writer, table, error);
}

static bool analyze_runs_or_whole(XtfTrace *trace, XtfWorld *world, XtfWriter *writer, XtfSteps *steps,
                                  XtfAnalyzeReport *report, GError **error)
{
    XtfRunGaps gaps;

    if (!xtf_run_gaps_load(&gaps, trace, error))
        return false;
    bool good = gaps.n > 0 ? xtf_analyze_runs(trace, &gaps, world, writer, steps, report, error)
                           : xtf_analyze_window(trace, (XtfRunWindow){0}, world, writer, steps, report, error);
    xtf_run_gaps_finish(&gaps);
    return good;
}

bool xtf_analyze(XtfTrace *trace, XtfWriter *writer, const char *tool, const XtfAnalyzeOptions *options,
                 XtfAnalyzeReport *report, GError **error)
{
    XtfSteps steps = {
        .cancel = options->cancel, .progress = options->progress, .progress_data = options->progress_data};
    bool is_network;

    if (!xtf_trace_counts_bytes(trace, &is_network, error))
        return false;
    if (is_network)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "the trace holds measurements of a network: it has no waits to analyze");
    /* Tables that cannot be replaced cause an error before the long work. A later error loses no data, as nothing is
     * committed. */
    g_autoptr(GArray) analyses = xtf_analyses_read(trace, error);
    if (!analyses || !analyze_runs_or_whole(trace, options->world, writer, &steps, report, error))
        return false;
    if (!writer)
        return true;
    g_autofree char *cut = report->levels ? xtf_analyses_cut_tool(tool, report->levels) : NULL;
    return write_analyses(trace, analyses, writer, cut ? cut : tool, error);
}
