#include "src/analysis/waits/collect.h"

#include "src/analysis/waits/find.h"
#include "src/analysis/waits/points-private.h"
#include "src/model/wait-kinds.h"
#include "src/trace/select/parallel.h"

enum {
    POINTS_AT_ONCE = 256,
    TIMES_AT_ONCE = 4096,
};

/* The state of one worker. */
typedef struct {
    XtfPoints *points;
    XtfSteps *steps;
    XtfCallpathCache cache;
    XtfCallpathTotals sums; /* of calls since the previous point */
    XtfPoint out[POINTS_AT_ONCE];
    uint32_t n_out;
    uint64_t next_out;       /* number of out[0] */
    XtfCallpathTicks *times; /* at least TIMES_AT_ONCE */
    uint32_t n_times, room;
} Worker;

typedef struct {
    XtfPoints *points;
    const XtfRawPoints *raw;
    XtfSteps *steps;
} Work;

/* Checks for an interrupt within a location, too: one location may have all the calls and points of a trace. */
static bool check_interrupt(void *data, uint64_t n_rows, GError **error)
{
    const Worker *worker = data;

    return xtf_steps_advance(worker->steps, 0, error); /* 0: the step counts points, not rows of calls */
}

/* ---- Time by call path. */

static int compare_callpaths(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Writes the buffered points and their times. */
static bool flush_points(Worker *worker, GError **error)
{
    uint64_t first = worker->next_out;
    uint32_t n = worker->n_out, n_times = worker->n_times;

    if (n == 0)
        return true;
    worker->next_out += n;
    worker->n_out = worker->n_times = 0;
    return xtf_points_put(worker->points, first, worker->out, n, worker->times, n_times, error);
}

static bool put_point(Worker *worker, const XtfPoint *point, GError **error)
{
    XtfCallpathTotals *sums = &worker->sums;
    uint32_t n = sums->n_touched, *touched = sums->touched;

    if (worker->n_out == POINTS_AT_ONCE || (worker->n_times > 0 && worker->n_times + n > TIMES_AT_ONCE))
        if (!flush_points(worker, error))
            return false;
    if (worker->n_times + n > worker->room) {
        worker->room = worker->n_times + n;
        worker->times = g_renew(XtfCallpathTicks, worker->times, worker->room);
    }
    XtfPoint *to = &worker->out[worker->n_out++];
    *to = *point;
    to->times = worker->n_times;
    to->n_times = n;
    if (n > 1)
        qsort(touched, n, sizeof *touched, compare_callpaths);
    for (uint32_t i = 0; i < n; i++)
        worker->times[worker->n_times++] =
            (XtfCallpathTicks){.ticks = xtf_callpath_totals_take(sums, touched[i]), .callpath = touched[i]};
    sums->n_touched = 0;
    return true;
}

/* ---- A location. */

/* The source of the times up to a point: the replay or, for points that the replay does not have, a walk. */
typedef struct {
    XtfReplayTimes *times;
    XtfReplayWalk *walk; /* NULL: use `times` */
} Times;

static bool walk_to_point(Worker *worker, const Times *times, XtfPoint *point, GError **error)
{
    XtfReplayCall call;

    if (!times->walk)
        return xtf_replay_times_until(times->times, point->seq, &worker->sums, error);
    if (!xtf_replay_walk_to(times->walk, point->time, point->seq, &call, error))
        return false;
    if (point->side >= XTF_POINT_FORKED) /* a thread forks or joins */
        xtf_replay_walk_split(times->walk, point->time);
    /* A forked thread is already in the parallel region: its record is the ENTER. */
    if (point->side == XTF_POINT_FORKED && !xtf_replay_walk_to(times->walk, point->time, point->seq + 1, &call, error))
        return false;
    point->callpath = call.callpath;
    return true;
}

static bool put_end(Worker *worker, const Times *times, uint64_t time, GError **error)
{
    XtfPoint end = {.seq = UINT64_MAX,
                    .time = time,
                    .enter = time,
                    .leave = time,
                    .end = time,
                    .instance = UINT64_MAX,
                    .match = UINT64_MAX,
                    .bytes = UINT64_MAX,
                    .partner = UINT32_MAX,
                    .region = UINT32_MAX,
                    .callpath = UINT32_MAX,
                    .comm = UINT32_MAX,
                    .tag = UINT32_MAX,
                    .side = XTF_POINT_END};
    bool good = times->walk ? xtf_replay_walk_end(times->walk, error) : walk_to_point(worker, times, &end, error);

    return good && put_point(worker, &end, error);
}

/* Shortens the point's waits so that a location's waits are in time order and do not overlap, and numbers their
 * rows. `last` is the end of the previous wait. */
static void clip_waits(XtfPoint *point, uint64_t *last, uint64_t *rows)
{
    if (point->wait > 0) {
        uint64_t begin = MAX(point->end - point->wait, *last);
        point->wait = point->end > begin ? point->end - begin : 0;
        *last = MAX(*last, point->end);
    }
    point->part = point->part > 0 ? point->wait : 0;
    point->row = *rows;
    *rows += point->wait > 0;
    if (xtf_is_awaited(point) || xtf_found_completion(point) == XTF_N_WAIT_KINDS)
        return;
    int64_t completion_max = point->time > *last ? (int64_t)(point->time - *last) : 0;
    point->completion = MIN(point->completion, completion_max);
    *rows += point->completion > 0;
    *last = MAX(*last, point->time);
}

static bool put_points(Worker *worker, XtfRawReader *reader, const Times *times, XtfPointLocation *location,
                       GError **error)
{
    uint64_t last = 0, rows = 0;
    XtfPoint point;
    bool found;

    for (;;) {
        if (!xtf_raw_reader_next(reader, &point, &found, error))
            return false;
        if (!found)
            return put_end(worker, times, location->end, error);
        if (!walk_to_point(worker, times, &point, error))
            return false;
        clip_waits(&point, &last, &rows);
        if (!put_point(worker, &point, error) ||
            (++location->n % POINTS_AT_ONCE == 0 && !xtf_steps_advance(worker->steps, POINTS_AT_ONCE, error)))
            return false;
    }
}

static bool put_location(Worker *worker, const Work *work, uint32_t number, const Times *times, GError **error)
{
    XtfPointLocation *location = &worker->points->locations[number];
    XtfRawReader reader;

    worker->next_out = location->first;
    bool good = xtf_raw_reader_init(&reader, work->raw, number, error) &&
                put_points(worker, &reader, times, location, error) && flush_points(worker, error);
    xtf_raw_reader_finish(&reader);
    return good && xtf_steps_advance(worker->steps, ++location->n % POINTS_AT_ONCE, error);
}

static bool walk_location(Worker *worker, const Work *work, uint32_t number, GError **error)
{
    const XtfPointLocation *location = &worker->points->locations[number];
    const XtfReplayWalkShared shared = {.types = xtf_replay_call_types(worker->points->replay),
                                        .callpaths = worker->points->callpaths,
                                        .cache = &worker->cache,
                                        .sums = &worker->sums,
                                        .went = check_interrupt,
                                        .data = worker};
    XtfReplayWalk walk;
    XtfArray calls;
    bool any;

    if (!xtf_points_calls(worker->points, location, &calls, &any, error))
        return false;
    xtf_replay_walk_init(&walk, &shared, any ? &calls : NULL, location->begin, location->end);
    walk.window = xtf_replay_window(worker->points->replay);
    const Times times = {.walk = &walk};
    bool good = put_location(worker, work, number, &times, error);
    xtf_replay_walk_finish(&walk);
    return good;
}

static bool collect_location(Worker *worker, const Work *work, uint32_t number, GError **error)
{
    const XtfPointLocation *location = &worker->points->locations[number];
    XtfReplayTimes times;

    if (location->begin > location->end)
        return true;
    if (work->raw->locations[number].kinds)
        return walk_location(worker, work, number, error);
    xtf_replay_times_init(&times, worker->points->replay, number);
    const Times known = {.times = &times};
    bool good = put_location(worker, work, number, &known, error);
    xtf_replay_times_finish(&times);
    return good;
}

/* ---- All locations. */

static void *create_collector(void *data)
{
    const Work *work = data;
    Worker *worker = g_new0(Worker, 1);

    worker->points = work->points;
    worker->steps = work->steps;
    xtf_callpath_cache_init(&worker->cache);
    worker->room = TIMES_AT_ONCE;
    worker->times = g_new(XtfCallpathTicks, worker->room);
    return worker;
}

static bool collect_locations(void *worker, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Work *work = data;

    for (uint32_t i = first; i < end; i++) {
        if (!collect_location(worker, data, i, error))
            return false;
        xtf_points_page_out_sometimes(work->points, i);
    }
    return true;
}

static void free_collector(void *data, void *unused)
{
    Worker *worker = data;

    xtf_callpath_cache_finish(&worker->cache);
    xtf_callpath_totals_finish(&worker->sums);
    g_free(worker->times);
    g_free(worker);
}

static bool find_locations(XtfPoints *points, const XtfRawPoints *raw, GError **error)
{
    XtfTraceContext *context = xtf_replay_context(points->replay);
    const XtfLocations *all = xtf_trace_context_locations(context, error);
    uint32_t at = 0;

    if (!all)
        return false;
    points->n_locations = all->n;
    points->locations = xtf_paged_grow(&points->paged, ((size_t)all->n + 1) * sizeof *points->locations);
    for (uint32_t p = 0; p < xtf_replay_n_processes(points->replay); p++)
        for (uint32_t l = 0; l < xtf_replay_process(points->replay, p)->n_locations; l++, at++) {
            XtfPointLocation *location = &points->locations[at];
            XtfReplayBounds bounds;
            xtf_replay_bounds(points->replay, p, l, &bounds);
            location->id = all->all[at].id;
            location->proc = all->all[at].proc;
            location->thread = all->all[at].thread;
            location->init = bounds.init;
            location->finalize = bounds.finalize;
            location->begin = bounds.begin;
            location->end = bounds.end;
            location->clock = bounds.clock;
            location->calls = bounds.calls;
            location->first = points->n;
            points->n += raw->locations[at].total + (bounds.begin <= bounds.end);
            xtf_points_page_out_sometimes(points, at);
        }
    return true;
}

XtfPoints *xtf_points_collect(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error)
{
    g_autoptr(XtfPoints) points = g_new0(XtfPoints, 1);
    const XtfParallelWork parallel = {
        .step = 1, .begin = create_collector, .work = collect_locations, .join = free_collector};
    Work work = {.points = points, .raw = raw, .steps = steps};

    g_mutex_init(&points->lock);
    points->replay = replay;
    points->callpaths = xtf_replay_callpaths(replay);
    points->points = points->times = XTF_SPOOL_NONE;
    points->operations = raw->operations;
    raw->operations = XTF_OPERATIONS_NONE;
    if (!xtf_spool_open(&points->points, error) || !xtf_spool_open(&points->times, error) ||
        !find_locations(points, raw, error))
        return NULL;
    xtf_steps_begin(steps, "points of waits", points->n);
    if (!xtf_parallel(&parallel, &work, points->n_locations, error))
        return NULL;
    return g_steal_pointer(&points);
}
