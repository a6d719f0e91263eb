#include "src/analysis/analyze/analyze.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/analysis/causes/delays.h"
#include "src/analysis/ideal/ideal.h"
#include "src/analysis/waits/collect.h"
#include "src/analysis/waits/rows.h"
#include "src/model/properties.h"
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
    for (unsigned tag = XTF_MODEL_WAITS; tag < XTF_N_ALL_SCHEMAS; tag++)
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

/* Writes the table of analyses. `analyses`: its rows before. */
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
    for (unsigned tag = XTF_MODEL_WAITS; tag < XTF_N_ALL_SCHEMAS; tag++)
        if (!add_analysis(writer, table, xtf_model_schema(tag)->name, clocks, tool, error))
            return false;
    return keep_others(analyses, writer, table, error);
}

/* Clears the rows of an earlier analysis, which a different build may have written with other fields. Clearing the call
 * paths also removes rows of unknown derived types that refer to them, as the numbers of call paths change. */
static bool clear_earlier(XtfWriter *writer, GError **error)
{
    uint32_t id;

    for (unsigned tag = XTF_MODEL_WAITS; tag < XTF_N_ALL_SCHEMAS; tag++) {
        if (!xtf_writer_replace_schema(writer, xtf_model_schema(tag), &id, error))
            return false;
    }
    return xtf_writer_replace_schema(writer, xtf_model_schema(XTF_MODEL_CONTEXTS), &id, error);
}

/* Returns freed memory to the system: each step needs blocks of different sizes. */
static void trim_heap(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static bool find_causes(XtfReplay *replay, XtfPoints *points, XtfWriter *writer, XtfSteps *steps,
                        XtfCausesCounts *counts, GError **error)
{
    g_autoptr(XtfDelays) delays = NULL;

    return xtf_causes_find(xtf_replay_context(replay), points, steps, &delays, counts, error) &&
           xtf_delays_write(points, delays, writer, steps, error);
}

/* Finds the causes of waits, then the critical path. */
static bool analyze_backward(XtfReplay *replay, XtfPoints *points, XtfWriter *writer, XtfSteps *steps,
                             XtfAnalyzeReport *report, GError **error)
{
    if (!find_causes(replay, points, writer, steps, &report->causes, error))
        return false;
    xtf_points_page_out_results(points);
    trim_heap();
    bool good = xtf_critical_write(points, writer, steps, &report->path, error);
    trim_heap();
    return good;
}

/* Finds waits and their causes. One run of the replay serves both the waits and the ideal run. The ideal run is written
 * first, so that its memory is free for the later steps. */
static bool analyze_replay(XtfReplay *replay, XtfRawPoints *raw, XtfWriter *writer, XtfSteps *steps,
                           XtfAnalyzeReport *report, GError **error)
{
    g_autoptr(XtfIdeal) ideal = xtf_ideal_new(replay, error);
    if (!ideal || !xtf_find_waits(replay, raw, xtf_ideal_consumer(ideal), steps, &report->found, error))
        return false;
    xtf_replay_end_runs(replay);
    trim_heap();
    if (!xtf_ideal_write(ideal, writer, steps, &report->ideal, error))
        return false;
    g_clear_pointer(&ideal, xtf_ideal_free);
    trim_heap();
    g_autoptr(XtfPoints) points = xtf_points_collect(replay, raw, steps, error);
    if (!points)
        return false;
    xtf_raw_points_finish(raw);
    trim_heap();
    return analyze_backward(replay, points, writer, steps, report, error) &&
           xtf_waits_write(points, writer, steps, &report->found, error);
}

bool xtf_analyze(XtfTrace *trace, XtfWriter *writer, const char *tool, const XtfAnalyzeOptions *options,
                 XtfAnalyzeReport *report, GError **error)
{
    XtfSteps steps = {
        .cancel = options->cancel, .progress = options->progress, .progress_data = options->progress_data};
    const XtfReplayOptions replay_options = {
        .calls = true, .cancel = options->cancel, .progress = xtf_steps_show, .progress_data = &steps};
    XtfRawPoints raw;
    uint32_t n_locations = 0;
    bool is_network;

    if (!xtf_trace_counts_bytes(trace, &is_network, error))
        return false;
    if (is_network)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "the trace holds measurements of a network: it has no waits to analyze");
    /* Tables that cannot be replaced cause an error before the long work. A later error loses no data, as nothing is
     * committed. */
    g_autoptr(GArray) analyses = xtf_analyses_read(trace, error);
    if (!analyses)
        return false;
    xtf_steps_begin(&steps, "reading", 0);
    g_autoptr(XtfReplay) replay = xtf_replay_new(trace, &replay_options, error);
    if (!replay || !clear_earlier(writer, error))
        return false;
    trim_heap();
    for (uint32_t i = 0; i < xtf_replay_n_processes(replay); i++)
        n_locations += xtf_replay_process(replay, i)->n_locations;
    bool good =
        xtf_raw_points_init(&raw, n_locations, error) && analyze_replay(replay, &raw, writer, &steps, report, error);
    xtf_raw_points_finish(&raw);
    return good && write_analyses(trace, analyses, writer, tool, error);
}
