#include "src/analysis/waits/collect.h"

#include "src/analysis/waits/find.h"
#include "src/analysis/waits/points-private.h"
#include "src/model/wait-kinds.h"
#include "src/trace/select/parallel.h"

enum {
    POINTS_AT_ONCE = 256,
    TIMES_AT_ONCE = 4096,
};

/* What a thread has. */
typedef struct {
    XtfPoints *points;
    XtfSteps *steps;
    XtfCallpathCache cache;
    XtfCallpathTotals sums; /* of calls since the point before */
    XtfPoint out[POINTS_AT_ONCE];
    uint32_t n_out;
    uint64_t next_out;       /* number of the first of them */
    XtfCallpathTicks *times; /* TIMES_AT_ONCE of them, or more */
    uint32_t n_times, room;
} Own;

typedef struct {
    XtfPoints *points;
    const XtfRawPoints *raw;
    XtfSteps *steps;
} Work;

/* Looked at within a location too: one may have all the calls and points of a trace. */
static bool goes_on(void *data, uint64_t n_rows, GError **error)
{
    const Own *own = data;

    return xtf_steps_go_on(own->steps, 0, error); /* points are what is counted */
}

/* ---- Time by call path. */

static bool flush_times(Own *own, uint64_t *at, GError **error)
{
    size_t bytes = own->n_times * sizeof *own->times;

    *at = xtf_spool_allot(&own->points->times, bytes);
    own->n_times = 0;
    return xtf_spool_put(&own->points->times, *at, own->times, bytes, error);
}

static int compare_callpaths(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Points that wait for their times know where in the buffer these lie. */
static bool flush_points(Own *own, GError **error)
{
    uint64_t at;

    if (own->n_out == 0)
        return true;
    if (!flush_times(own, &at, error))
        return false;
    for (uint32_t i = 0; i < own->n_out; i++)
        own->out[i].times = at + own->out[i].times * sizeof *own->times;
    uint64_t first = own->next_out;
    size_t n = own->n_out;
    own->next_out += n;
    own->n_out = 0;
    return xtf_spool_put(&own->points->points, first * sizeof *own->out, own->out, n * sizeof *own->out, error);
}

static bool put_point(Own *own, const XtfPoint *point, GError **error)
{
    XtfCallpathTotals *sums = &own->sums;
    uint32_t n = sums->n_touched, *touched = sums->touched;

    if (own->n_out == POINTS_AT_ONCE || (own->n_times > 0 && own->n_times + n > TIMES_AT_ONCE))
        if (!flush_points(own, error))
            return false;
    if (own->n_times + n > own->room) {
        own->room = own->n_times + n;
        own->times = g_renew(XtfCallpathTicks, own->times, own->room);
    }
    XtfPoint *to = &own->out[own->n_out++];
    *to = *point;
    to->times = own->n_times;
    to->n_times = n;
    if (n > 1)
        qsort(touched, n, sizeof *touched, compare_callpaths);
    for (uint32_t i = 0; i < n; i++)
        own->times[own->n_times++] =
            (XtfCallpathTicks){.ticks = xtf_callpath_totals_take(sums, touched[i]), .callpath = touched[i]};
    sums->n_touched = 0;
    return true;
}

/* ---- A location. */

/* The times up to a point: as the replay has them, or, where the replay does not know of the points, by a walk. */
typedef struct {
    XtfReplayTimes *times;
    XtfReplayWalk *walk; /* NULL: by the replay */
} Times;

static bool go_to(Own *own, const Times *times, XtfPoint *point, GError **error)
{
    XtfReplayCall call;

    if (!times->walk)
        return xtf_replay_times_until(times->times, point->seq, &own->sums, error);
    if (!xtf_replay_walk_to(times->walk, point->time, point->seq, &call, error))
        return false;
    if (point->side >= XTF_POINT_FORKED) /* threads that fork and join */
        xtf_replay_walk_split(times->walk, point->time);
    /* A thread that was forked is in the parallel region: its record is the ENTER. */
    if (point->side == XTF_POINT_FORKED && !xtf_replay_walk_to(times->walk, point->time, point->seq + 1, &call, error))
        return false;
    point->callpath = call.callpath;
    return true;
}

static bool put_end(Own *own, const Times *times, uint64_t time, GError **error)
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
    bool good = times->walk ? xtf_replay_walk_end(times->walk, error) : go_to(own, times, &end, error);

    return good && put_point(own, &end, error);
}

/* The waits of a location do not overlap and are in the order of time, whatever a trace says. */
static void settle(XtfPoint *point, uint64_t *last, uint64_t *rows)
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
    int64_t most = point->time > *last ? (int64_t)(point->time - *last) : 0;
    point->completion = MIN(point->completion, most);
    *rows += point->completion > 0;
    *last = MAX(*last, point->time);
}

static bool put_points(Own *own, XtfRawReader *reader, const Times *times, XtfPointLocation *location, GError **error)
{
    uint64_t last = 0, rows = 0;
    XtfPoint point;
    bool found;

    for (;;) {
        if (!xtf_raw_reader_next(reader, &point, &found, error))
            return false;
        if (!found)
            return put_end(own, times, location->end, error);
        if (!go_to(own, times, &point, error))
            return false;
        settle(&point, &last, &rows);
        if (!put_point(own, &point, error) ||
            (++location->n % POINTS_AT_ONCE == 0 && !xtf_steps_go_on(own->steps, POINTS_AT_ONCE, error)))
            return false;
    }
}

static bool put_location(Own *own, const Work *work, uint32_t number, const Times *times, GError **error)
{
    XtfPointLocation *location = &own->points->locations[number];
    XtfRawReader reader;

    own->next_out = location->first;
    bool good = xtf_raw_reader_init(&reader, work->raw, number, error) &&
                put_points(own, &reader, times, location, error) && flush_points(own, error);
    xtf_raw_reader_finish(&reader);
    return good && xtf_steps_go_on(own->steps, ++location->n % POINTS_AT_ONCE, error);
}

static bool walk_location(Own *own, const Work *work, uint32_t number, GError **error)
{
    const XtfPointLocation *location = &own->points->locations[number];
    const XtfReplayWalkShared shared = {.types = xtf_replay_call_types(own->points->replay),
                                        .callpaths = own->points->callpaths,
                                        .cache = &own->cache,
                                        .sums = &own->sums,
                                        .went = goes_on,
                                        .data = own};
    XtfReplayWalk walk;
    XtfArray calls;
    bool any;

    if (!xtf_points_calls(own->points, location, &calls, &any, error))
        return false;
    xtf_replay_walk_init(&walk, &shared, any ? &calls : NULL, location->begin, location->end);
    const Times times = {.walk = &walk};
    bool good = put_location(own, work, number, &times, error);
    xtf_replay_walk_finish(&walk);
    return good;
}

static bool collect_location(Own *own, const Work *work, uint32_t number, GError **error)
{
    const XtfPointLocation *location = &own->points->locations[number];
    XtfReplayTimes times;

    if (location->begin > location->end)
        return true;
    if (work->raw->locations[number].kinds)
        return walk_location(own, work, number, error);
    xtf_replay_times_init(&times, own->points->replay, number);
    const Times known = {.times = &times};
    bool good = put_location(own, work, number, &known, error);
    xtf_replay_times_finish(&times);
    return good;
}

/* ---- All of them. */

static void *begin(void *data)
{
    const Work *work = data;
    Own *own = g_new0(Own, 1);

    own->points = work->points;
    own->steps = work->steps;
    xtf_callpath_cache_init(&own->cache);
    own->room = TIMES_AT_ONCE;
    own->times = g_new(XtfCallpathTicks, own->room);
    return own;
}

static bool work_on(void *own, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Work *work = data;

    for (uint32_t i = first; i < end; i++) {
        if (!collect_location(own, data, i, error))
            return false;
        xtf_points_rest_sometimes(work->points, i);
    }
    return true;
}

static void join(void *data, void *unused)
{
    Own *own = data;

    xtf_callpath_cache_finish(&own->cache);
    xtf_callpath_totals_finish(&own->sums);
    g_free(own->times);
    g_free(own);
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
            xtf_points_rest_sometimes(points, at);
        }
    return true;
}

XtfPoints *xtf_points_collect(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error)
{
    g_autoptr(XtfPoints) points = g_new0(XtfPoints, 1);
    const XtfParallelWork how = {.step = 1, .begin = begin, .work = work_on, .join = join};
    Work work = {.points = points, .raw = raw, .steps = steps};

    points->replay = replay;
    points->callpaths = xtf_replay_callpaths(replay);
    points->points = points->times = XTF_SPOOL_NONE;
    points->operations = raw->operations;
    raw->operations = XTF_OPERATIONS_NONE;
    if (!xtf_spool_open(&points->points, error) || !xtf_spool_open(&points->times, error) ||
        !find_locations(points, raw, error))
        return NULL;
    xtf_steps_begin(steps, "points of waits", points->n);
    if (!xtf_parallel(&how, &work, points->n_locations, error))
        return NULL;
    xtf_callpath_log_number(points->callpaths);
    return g_steal_pointer(&points);
}
