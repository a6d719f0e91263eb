#include "src/analysis/analyze/analyze-private.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "src/analysis/causes/delays.h"
#include "src/analysis/ideal/ideal.h"
#include "src/analysis/waits/collect.h"
#include "src/analysis/waits/rows.h"
#include "src/model/schemas.h"
#include "src/trace/select/parallel.h"

enum { SHARES_MAX = 256 }; /* threads of the replay */

/* Clears the rows of an earlier analysis, which a different build may have written with other fields. Clearing the call
 * paths also removes rows of unknown derived types that refer to them, as the numbers of call paths change. */
bool xtf_analyze_clear(XtfWriter *writer, GError **error)
{
    uint32_t id;

    for (unsigned tag = XTF_MODEL_WAITS; tag < XTF_MODEL_AFTER_ANALYSIS; tag++) {
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
    uint32_t n_shares = CLAMP(xtf_replay_n_processes(replay), 1, MIN(xtf_parallel_threads(), SHARES_MAX));
    g_autofree uint32_t *borders = xtf_replay_divide(replay, n_shares);
    g_autoptr(XtfIdeal) ideal = xtf_ideal_new(replay, borders, n_shares, error);
    if (!ideal ||
        !xtf_find_waits(replay, borders, n_shares, raw, xtf_ideal_consumer(ideal), steps, &report->found, error))
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
    report->levels = xtf_callpath_log_cut(xtf_replay_callpaths(replay));
    xtf_raw_points_finish(raw);
    trim_heap();
    return analyze_backward(replay, points, writer, steps, report, error) &&
           xtf_waits_write(points, writer, steps, &report->found, error);
}

bool xtf_analyze_window(XtfTrace *trace, XtfRunWindow window, XtfWriter *writer, XtfSteps *steps,
                        XtfAnalyzeReport *report, GError **error)
{
    const XtfReplayOptions options = {
        .window = window, .calls = true, .cancel = steps->cancel, .progress = xtf_steps_show, .progress_data = steps};
    XtfRawPoints raw;
    uint32_t n_locations = 0;

    xtf_steps_begin(steps, "reading", 0);
    g_autoptr(XtfReplay) replay = xtf_replay_new(trace, &options, error);
    if (!replay || !xtf_analyze_clear(writer, error))
        return false;
    trim_heap();
    for (uint32_t i = 0; i < xtf_replay_n_processes(replay); i++)
        n_locations += xtf_replay_process(replay, i)->n_locations;
    bool good =
        xtf_raw_points_init(&raw, n_locations, error) && analyze_replay(replay, &raw, writer, steps, report, error);
    xtf_raw_points_finish(&raw);
    return good;
}
