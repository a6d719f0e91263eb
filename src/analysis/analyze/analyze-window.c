#include "src/analysis/analyze/analyze-private.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "src/analysis/causes/delays.h"
#include "src/analysis/ideal/ideal.h"
#include "src/analysis/ranks/exchange.h"
#include "src/analysis/rows/rank-rows.h"
#include "src/analysis/steps/beside.h"
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

/* Rows that one thread writes while others work: first of the ideal run, later of delays and waits. */
typedef struct {
    XtfIdeal *ideal;
    XtfPoints *points;
    XtfDelays *delays;
    XtfWorld *world;   /* NULL: no job */
    XtfWriter *writer; /* of the file, or of this rank's rows */
    uint32_t *borders; /* in a job: the first location of each rank, and behind them the number of locations */
    XtfAnalyzeReport *report;
    XtfBeside beside;
} Rows;

static bool write_ideal(void *data, XtfSteps *steps, GError **error)
{
    Rows *rows = data;
    bool good = xtf_ideal_write(rows->ideal, rows->writer, steps, &rows->report->ideal, error);

    g_clear_pointer(&rows->ideal, xtf_ideal_free);
    trim_heap();
    return good;
}

static bool write_waits(void *data, XtfSteps *steps, GError **error)
{
    Rows *rows = data;
    bool is_first = !rows->world || xtf_world_rank(rows->world) == 0;
    bool good = (!is_first || xtf_waits_write_callpaths(rows->points, rows->writer, error)) &&
                xtf_delays_write(rows->points, rows->delays, rows->writer, steps, error);

    g_clear_pointer(&rows->delays, xtf_delays_free);
    return good && xtf_waits_write(rows->points, rows->writer, steps, &rows->report->found, error);
}

/* Finds the critical path while another thread writes the waits, then writes the path. */
static bool find_path(Rows *rows, XtfSteps *steps, GError **error)
{
    if (!xtf_beside_start(&rows->beside, steps, write_waits, rows, error))
        return false;
    g_autoptr(XtfCritical) path = xtf_critical_find(rows->points, NULL, steps, &rows->report->path, error);
    if (!xtf_beside_finish(&rows->beside, path ? error : NULL) || !path)
        return false;
    trim_heap();
    return xtf_critical_write(path, rows->writer, steps, error);
}

/* Does the same in a job, whose messages are of one thread. Then rank 0 gets the rows of all ranks. */
static bool find_path_in_ranks(Rows *rows, XtfSteps *steps, GError **error)
{
    XtfWorld *world = rows->world;
    GError *own = NULL;

    write_waits(rows, steps, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    xtf_waits_join(world, &rows->report->found);
    own = NULL;
    g_autoptr(XtfCritical) path = xtf_critical_find(rows->points, world, steps, &rows->report->path, error);
    if (!path)
        return false;
    xtf_critical_write(path, rows->writer, steps, &own);
    return xtf_world_have_succeeded(world, own, error) && xtf_rank_rows_gather(world, rows->writer, error);
}

/* Finds the causes of waits, then the critical path. */
static bool analyze_backward(XtfReplay *replay, Rows *rows, XtfSteps *steps, GError **error)
{
    XtfWorld *world = rows->world;
    GError *own = NULL;

    if (!xtf_causes_find(xtf_replay_context(replay), rows->points, world, rows->borders, steps, &rows->delays,
                         &rows->report->causes, error))
        return false;
    xtf_beside_finish(&rows->beside, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    xtf_points_page_out_results(rows->points);
    trim_heap();
    return world ? find_path_in_ranks(rows, steps, error) : find_path(rows, steps, error);
}

/* Finds waits and the ideal run, by one run of the replay. In a job, rank 0 then knows when the ideal run ends. */
static bool find_waits(XtfReplay *replay, XtfRawPoints *raw, XtfIdeal **ideal, XtfSteps *steps, XtfFound *found,
                       GError **error)
{
    XtfWorld *world = xtf_replay_world(replay);
    uint32_t n_threads = CLAMP(xtf_replay_n_processes(replay), 1, MIN(xtf_parallel_threads(), SHARES_MAX));
    uint32_t n_shares = world ? xtf_world_size(world) : n_threads;
    g_autofree uint32_t *borders = xtf_replay_divide(replay, n_shares);
    const uint32_t whole[] = {0, xtf_replay_n_processes(replay)};
    GError *own = NULL;

    *ideal = xtf_ideal_new(replay, world ? whole : borders, world ? 1 : n_shares, &own);
    if (*ideal)
        xtf_find_waits(replay, borders, n_shares, raw, xtf_ideal_consumer(*ideal), steps, found, &own);
    return xtf_world_have_succeeded(world, own, error) && (!world || xtf_ideal_join_ends(*ideal, world, error));
}

/* Collects the points of waits. In a job each rank has the points of its own locations. */
static bool collect_points(XtfReplay *replay, XtfRawPoints *raw, Rows *rows, XtfSteps *steps, GError **error)
{
    XtfWorld *world = rows->world;
    GError *own = NULL;

    rows->points = xtf_points_collect(replay, raw, steps, &own);
    if (!xtf_world_have_succeeded(world, own, error))
        return false;
    if (world)
        return xtf_points_exchange(rows->points, world, rows->borders, error);
    xtf_callpath_log_number(xtf_replay_callpaths(replay));
    return true;
}

/* Finds causes of the waits and the critical path, and writes all rows. */
static bool analyze_waits(XtfReplay *replay, XtfRawPoints *raw, Rows *rows, XtfSteps *steps, GError **error)
{
    bool good = collect_points(replay, raw, rows, steps, error);

    xtf_raw_points_finish(raw);
    if (!good)
        return false;
    rows->report->levels = xtf_callpath_log_cut(xtf_replay_callpaths(replay));
    rows->report->roots = xtf_callpath_log_cut_roots(xtf_replay_callpaths(replay));
    trim_heap();
    return analyze_backward(replay, rows, steps, error);
}

/* Writes the rows of the ideal run beside the next steps, or at once if there is one thread. */
static bool start_ideal(Rows *rows, XtfSteps *steps, GError **error)
{
    GError *own = NULL;

    xtf_beside_start(&rows->beside, steps, write_ideal, rows, &own);
    return xtf_world_have_succeeded(rows->world, own, error);
}

/* Finds waits and their causes. One thread writes the ideal run meanwhile, and frees its memory for the later steps. */
static bool analyze_replay(XtfReplay *replay, XtfRawPoints *raw, XtfWriter *writer, XtfSteps *steps,
                           XtfAnalyzeReport *report, GError **error)
{
    XtfWorld *world = xtf_replay_world(replay);
    g_autofree uint32_t *borders = world ? xtf_find_first_locations(replay, xtf_world_size(world)) : NULL;
    Rows rows = {.world = world, .writer = writer, .borders = borders, .report = report};

    bool good = find_waits(replay, raw, &rows.ideal, steps, &report->found, error) &&
                xtf_find_other_waits(replay, raw, steps, error);
    if (good) {
        xtf_replay_end_runs(replay);
        trim_heap();
    }
    good = good && start_ideal(&rows, steps, error) && analyze_waits(replay, raw, &rows, steps, error);
    xtf_beside_finish(&rows.beside, NULL);
    xtf_ideal_free(rows.ideal);
    xtf_delays_free(rows.delays);
    xtf_points_free(rows.points);
    return good;
}

/* Opens the raw points of a replay. The pairs of each rank of a job have numbers of their own. */
static bool open_raw_points(const XtfReplay *replay, XtfRawPoints *raw, GError **error)
{
    const XtfWorld *world = xtf_replay_world(replay);
    uint32_t n_locations = 0;

    for (uint32_t i = 0; i < xtf_replay_n_processes(replay); i++)
        n_locations += xtf_replay_process(replay, i)->n_locations;
    bool good = xtf_raw_points_init(raw, n_locations, error);
    if (world) {
        raw->next_pair = xtf_world_rank(world);
        raw->pair_step = xtf_world_size(world);
    }
    return good;
}

bool xtf_analyze_window(XtfTrace *trace, XtfRunWindow window, XtfWorld *world, XtfWriter *writer, XtfSteps *steps,
                        XtfAnalyzeReport *report, GError **error)
{
    const XtfReplayOptions options = {.window = window,
                                      .calls = true,
                                      .world = world,
                                      .cancel = steps->cancel,
                                      .progress = xtf_steps_show,
                                      .progress_data = steps};
    XtfRawPoints raw;
    GError *own = NULL;

    xtf_steps_begin(steps, "reading", 0);
    g_autoptr(XtfReplay) replay = xtf_replay_new(trace, &options, error);
    if (!replay)
        return false;
    trim_heap();
    g_autoptr(XtfWriter) of_rank = NULL;
    if (open_raw_points(replay, &raw, &own) && writer)
        xtf_analyze_clear(writer, &own);
    bool good = xtf_world_have_succeeded(world, own, error) &&
                (!world || xtf_rank_rows_begin(world, writer, &of_rank, error)) &&
                analyze_replay(replay, &raw, of_rank ? of_rank : writer, steps, report, error);
    xtf_raw_points_finish(&raw);
    return good;
}
