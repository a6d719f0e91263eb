#include "src/analysis/path/path.h"

#include <string.h>

#include "src/analysis/path/moves.h"
#include "src/analysis/rows/row-sink.h"
#include "src/analysis/rows/row-sorter.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"
#include "src/trace/calls/callpath-times.h"
#include "src/trace/select/parallel.h"

enum {
    POINTS_AT_ONCE = 4096,
    SEGMENTS_AT_ONCE = 256,
};

struct XtfCritical {
    const XtfPoints *points;
    XtfSteps *steps;
    XtfRowSorter activity; /* rows of `activity` */
    XtfPathMoves moves;
    XtfSpool segments;        /* XtfPathSegment, the latest first */
    XtfRowSorter by_location; /* XtfPathSegment, the earliest first */
    XtfRowSorter rows;        /* of `critical` */
    XtfPathCounts *counts;
};

/* ---- Back along the waits. */

static bool needs_nobody(const XtfPoint *point)
{
    return point->side == XTF_POINT_ALONE || point->side == XTF_POINT_FORKED;
}

/* True if a wait does not count as activity. Waits without messages count as activity, with two exceptions. Waits at
 * barriers of teams do not count, as in Scalasca. Waits in one-sided communication and of POSIX threads, which
 * Scalasca's analyser does not read, move the path by our own choice. */
static bool is_passive(const XtfPoint *point)
{
    return point->wait > 0 &&
           (!needs_nobody(point) || point->leads || xtf_wait_kinds[point->kind].rule == XTF_WAIT_TEAM) &&
           !xtf_is_awaited(point) && point->side != XTF_POINT_END;
}

/* True if the point is the fork of a thread. The thread began at its fork, where the path continues on the forking
 * thread. */
static bool is_fork(const XtfPoint *point)
{
    return needs_nobody(point) && xtf_wait_kinds[point->kind].of_fork && point->wait > 0;
}

/* True if the path leaves its location at this wait. A wait in MPI_Finalize does not move the path, which begins
 * there. */
static bool moves_path(const XtfPoint *point)
{
    return (is_passive(point) || is_fork(point) || point->created) && point->partner != UINT32_MAX &&
           point->side != XTF_POINT_WORLD;
}

/* Returns the move at a point that moves the path. */
static XtfPathMove move_of(const XtfPoint *point)
{
    return (XtfPathMove){.seq = point->seq,
                         .wait = {.end = point->end - (is_fork(point) ? point->wait : 0),
                                  .culprit = point->partner,
                                  .culprit_seq = point->partner_seq}};
}

static bool find_wait(void *data, uint32_t location, uint64_t end, uint64_t seq, XtfPathWait *wait, bool *found,
                      GError **error)
{
    const XtfCritical *run = data;

    return xtf_steps_advance(run->steps, 1, error) &&
           xtf_path_moves_find(&run->moves, location, end, seq, wait, found, error);
}

static bool add_segment(void *data, const XtfPathSegment *segment, GError **error)
{
    XtfCritical *run = data;

    run->counts->segments++;
    run->counts->length += segment->end - segment->begin;
    return xtf_spool_put(&run->segments, xtf_spool_allot(&run->segments, sizeof *segment), segment, sizeof *segment,
                         error);
}

/* Finds where the walk begins: at the last MPI_Finalize to be entered, or at the last record of all. */
static bool find_end(const XtfPoints *points, XtfPathWalk *walk)
{
    bool finalized = false;

    for (uint32_t i = 0; i < walk->n_locations; i++) {
        const XtfPointLocation *location = xtf_points_location(points, i);
        xtf_points_page_out_sometimes(points, i);
        if (location->begin > location->end || (finalized && !location->finalize.found))
            continue;
        bool first = location->finalize.found && !finalized;
        uint64_t end = location->finalize.found ? location->finalize.enter : location->end;
        if (!first && walk->last != XTF_PATH_NOWHERE && end <= walk->end)
            continue;
        finalized = location->finalize.found;
        walk->last = i;
        walk->end = end;
    }
    return finalized;
}

static bool walk_back(XtfCritical *run, GError **error)
{
    uint32_t n = xtf_points_n_locations(run->points);
    g_autofree uint64_t *starts = g_new(uint64_t, n + 1);
    XtfPathWalk walk = {.n_locations = n,
                        .starts = starts,
                        .last = XTF_PATH_NOWHERE,
                        .seq = UINT64_MAX,
                        .find_wait = find_wait,
                        .add_segment = add_segment,
                        .data = run};

    for (uint32_t i = 0; i < n; i++) {
        const XtfPointLocation *location = xtf_points_location(run->points, i);
        starts[i] = location->init.found ? location->init.enter : location->begin;
        xtf_points_page_out_sometimes(run->points, i);
    }
    run->counts->finalized = find_end(run->points, &walk);
    xtf_steps_begin(run->steps, "critical path", 0);
    return walk.last == XTF_PATH_NOWHERE || xtf_path_walk(&walk, &run->counts->circles, error);
}

/* ---- Forward along the path. */

static uint32_t context_of(void *data, uint32_t parent, uint32_t region, uint32_t depth)
{
    return xtf_points_callpath_of(data, parent, region, depth);
}

/* Returns a time on the location's own clock, as rows have it. */
static uint64_t local_time(const XtfPointLocation *location, uint64_t time)
{
    return xtf_clock_map_to_local(location->clock, time);
}

static bool put_row(XtfCritical *run, const XtfPathSegment *segment, const XtfCallpathTime *time, bool first,
                    GError **error)
{
    const XtfPointLocation *location = xtf_points_location(run->points, segment->location);
    bool ends = segment->next == XTF_PATH_NOWHERE, outside = time->callpath == XTF_OUTSIDE_CALLS;
    const XtfPointLocation *next = ends ? NULL : xtf_points_location(run->points, segment->next);
    const XtfCriticalRow row = {
        .time = local_time(location, segment->end),
        .seq = segment->seq,
        .region = outside ? XTF_NONE32 : xtf_points_callpath_region(run->points, time->callpath),
        .duration = segment->end - segment->begin,
        .context = time->callpath,
        .amount = time->ticks,
        .next_process = ends ? XTF_NONE32 : (uint32_t)next->proc,
        .next_thread = ends ? XTF_NONE32 : (uint32_t)next->thread,
        .segments = first,
    };

    return xtf_row_sorter_add(&run->rows, segment->location, &row, error);
}

/* The state of a worker that finds the times of segments. */
typedef struct {
    XtfCritical *run;
    XtfCallpathTimes times;
    uint32_t n_asked;
} Worker;

static void *create_worker(void *data)
{
    Worker *worker = g_new0(Worker, 1);
    XtfCritical *run = data;

    worker->run = run;
    xtf_callpath_times_init(&worker->times, xtf_points_call_types(run->points)->frames, context_of,
                            (void *)run->points);
    return worker;
}

static void free_worker(void *data, void *run)
{
    Worker *worker = data;

    xtf_callpath_times_finish(&worker->times);
    g_free(worker);
}

static bool put_segment(void *data, uint32_t number, const void *row, GError **error)
{
    Worker *worker = data;
    XtfCritical *run = worker->run;
    XtfCallpathTimes *times = &worker->times;
    const XtfPointLocation *location = xtf_points_location(run->points, number);
    XtfPathSegment segment;
    bool first = true, has_calls;
    XtfArray calls;

    memcpy(&segment, row, sizeof segment);
    xtf_points_page_out_sometimes(run->points, worker->n_asked++);
    xtf_callpath_times_clear(times);
    if (!xtf_steps_advance(run->steps, 1, error) ||
        !xtf_points_calls(run->points, location, &calls, &has_calls, error) ||
        !xtf_callpath_times_add(times, has_calls ? &calls : NULL, segment.begin, segment.end, error))
        return false;
    for (guint i = 0; i < times->entries->len; i++, first = false) {
        if (!put_row(run, &segment, &g_array_index(times->entries, XtfCallpathTime, i), first, error))
            return false;
    }
    return !times->outside.ticks || put_row(run, &segment, &times->outside, first, error);
}

static bool put_groups(void *worker, void *data, uint32_t first, uint32_t end, GError **error)
{
    XtfCritical *run = data;

    for (uint32_t i = first; i < end; i++)
        if (!xtf_row_sorter_read_group(&run->by_location, i, put_segment, worker, error))
            return false;
    return true;
}

/* Sorts the segments by location, in the order of time. */
static bool sort_segments(XtfCritical *run, GError **error)
{
    XtfPathSegment segments[SEGMENTS_AT_ONCE];

    for (uint64_t left = run->segments.end / sizeof *segments; left > 0;) {
        uint64_t n = MIN(left, (uint64_t)SEGMENTS_AT_ONCE);
        left -= n;
        if (!xtf_spool_get(&run->segments, left * sizeof *segments, segments, n * sizeof *segments, error))
            return false;
        while (n-- > 0)
            if (!xtf_row_sorter_add(&run->by_location, segments[n].location, &segments[n], error))
                return false;
    }
    return true;
}

/* Finds the rows of the segments. Each core finds the times of other locations. The rows of a location are
 * in the order of time, whichever thread has found them. */
static bool put_segments(XtfCritical *run, GError **error)
{
    const XtfParallelWork parallel = {.step = 1, .begin = create_worker, .work = put_groups, .join = free_worker};

    xtf_steps_begin(run->steps, "segments of the path", run->counts->segments);
    if (!sort_segments(run, error) || !xtf_parallel(&parallel, run, run->by_location.n_groups, error))
        return false;
    xtf_row_sorter_finish(&run->by_location);
    return true;
}

/* ---- Activity. */

typedef struct {
    uint64_t total, waited;
} Activity;

/* The activity of a location by call path; the last entry is time outside of calls. Zero unless in `touched`. */
typedef struct {
    GArray *all;     /* Activity */
    GArray *touched; /* uint32_t */
    XtfPointTimes *times;
} Activities;

static Activity *activity_of(const Activities *activities, uint32_t callpath)
{
    uint32_t i = MIN(callpath, activities->all->len - 1);
    Activity *activity = &g_array_index(activities->all, Activity, i);

    if (!activity->total && !activity->waited)
        g_array_append_val(activities->touched, i);
    return activity;
}

static gint compare_callpaths(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool add_point(const XtfCritical *run, const XtfPoint *point, const Activities *activities, GError **error)
{
    const XtfCallpathTicks *times = xtf_point_times(activities->times, run->points, point, error);

    if (!times)
        return false;
    for (uint32_t i = 0; i < point->n_times; i++)
        activity_of(activities, times[i].callpath)->total += times[i].ticks;
    if (is_passive(point))
        activity_of(activities, point->callpath)->waited += point->wait;
    return true;
}

static bool put_activities(XtfCritical *run, uint32_t number, const Activities *activities, GError **error)
{
    const XtfPointLocation *location = xtf_points_location(run->points, number);
    bool good = true;

    g_array_sort(activities->touched, compare_callpaths);
    for (guint k = 0; good && k < activities->touched->len; k++) {
        uint32_t i = g_array_index(activities->touched, uint32_t, k);
        Activity *activity = &g_array_index(activities->all, Activity, i);
        bool outside = i == activities->all->len - 1;
        const XtfActivityRow row = {
            .time = local_time(location, location->end),
            .region = outside ? XTF_NONE32 : xtf_points_callpath_region(run->points, i),
            .context = outside ? XTF_NONE32 : i,
            .total = activity->total,
            .waited = MIN(activity->waited, activity->total),
        };
        *activity = (Activity){0};
        good = row.total == 0 || xtf_row_sorter_add(&run->activity, number, &row, error);
    }
    g_array_set_size(activities->touched, 0);
    return good;
}

static bool add_location_path(XtfCritical *run, uint32_t number, const Activities *activities, GError **error)
{
    const XtfPointLocation *location = xtf_points_location(run->points, number);
    g_autofree XtfPoint *points = g_new(XtfPoint, POINTS_AT_ONCE);
    g_autofree XtfPathMove *moves = g_new(XtfPathMove, POINTS_AT_ONCE);

    for (uint64_t done = 0; done < location->n;) {
        uint64_t n = MIN(location->n - done, (uint64_t)POINTS_AT_ONCE);
        uint32_t n_moves = 0;
        if (!xtf_steps_advance(run->steps, n, error) ||
            !xtf_points_read(run->points, location->first + done, n, points, error))
            return false;
        for (uint64_t i = 0; i < n; i++) {
            if (!add_point(run, &points[i], activities, error))
                return false;
            if (moves_path(&points[i]))
                moves[n_moves++] = move_of(&points[i]);
        }
        if (!xtf_path_moves_add(&run->moves, number, moves, n_moves, error))
            return false;
        done += n;
    }
    return put_activities(run, number, activities, error);
}

static bool add_all_locations(XtfCritical *run, GError **error)
{
    XtfPointTimes times = {0};
    const Activities activities = {
        .all = g_array_new(FALSE, TRUE, sizeof(Activity)),
        .touched = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .times = &times,
    };
    bool good = true;

    xtf_steps_begin(run->steps, "activity beside the path", xtf_points_n(run->points));
    g_array_set_size(activities.all, xtf_points_n_callpaths(run->points) + 1);
    for (uint32_t i = 0; good && i < xtf_points_n_locations(run->points); i++) {
        good = add_location_path(run, i, &activities, error);
        xtf_points_page_out_sometimes(run->points, i);
    }
    g_array_unref(activities.all);
    g_array_unref(activities.touched);
    xtf_point_times_finish(&times);
    return good;
}

/* ---- */

/* Finds the activity, and the waits that move the path. In a job rank 0 gets them of all ranks. */
static bool find_moves(XtfCritical *run, XtfWorld *world, GError **error)
{
    const uint32_t borders[] = {0, xtf_points_n_locations(run->points)};
    GError *own = NULL;

    if (xtf_row_sorter_init(&run->activity, borders, 1, sizeof(XtfActivityRow), &own) &&
        xtf_path_moves_init(&run->moves, borders[1], &own))
        add_all_locations(run, &own);
    return xtf_world_have_succeeded(world, own, error) && (!world || xtf_path_moves_gather(&run->moves, world, error));
}

static bool find_segments(XtfCritical *run, GError **error)
{
    const uint32_t borders[] = {0, xtf_points_n_locations(run->points)};

    return xtf_spool_open(&run->segments, error) &&
           xtf_row_sorter_init(&run->by_location, borders, 1, sizeof(XtfPathSegment), error) &&
           xtf_row_sorter_init(&run->rows, borders, 1, sizeof(XtfCriticalRow), error) && walk_back(run, error) &&
           put_segments(run, error);
}

XtfCritical *xtf_critical_find(const XtfPoints *points, XtfWorld *world, XtfSteps *steps, XtfPathCounts *counts,
                               GError **error)
{
    g_autoptr(XtfCritical) run = g_new(XtfCritical, 1);
    GError *own = NULL;

    *run = (XtfCritical){.points = points,
                         .steps = steps,
                         .activity = {.spool = XTF_SPOOL_NONE},
                         .moves = XTF_PATH_MOVES_NONE,
                         .segments = XTF_SPOOL_NONE,
                         .by_location = {.spool = XTF_SPOOL_NONE},
                         .rows = {.spool = XTF_SPOOL_NONE},
                         .counts = counts};
    *counts = (XtfPathCounts){0};
    if (!find_moves(run, world, error))
        return NULL;
    if (!world || xtf_world_rank(world) == 0)
        find_segments(run, &own);
    return xtf_world_have_succeeded(world, own, error) ? g_steal_pointer(&run) : NULL;
}

void xtf_critical_free(XtfCritical *run)
{
    if (!run)
        return;
    xtf_path_moves_finish(&run->moves);
    xtf_row_sorter_finish(&run->activity);
    xtf_row_sorter_finish(&run->by_location);
    xtf_row_sorter_finish(&run->rows);
    xtf_spool_close(&run->segments);
    g_free(run);
}

static uint64_t id_of(const void *points, uint32_t location)
{
    return xtf_points_location(points, location)->id;
}

typedef struct {
    const XtfPoints *points;
    XtfRowSink *sink;
} ActivitySink;

static bool append_activity(void *data, uint32_t location, const void *row, GError **error)
{
    const ActivitySink *to = data;

    return xtf_row_sink_append(to->sink, id_of(to->points, location), row, error);
}

static bool append_activities(void *data, XtfRowSink *sink, GError **error)
{
    XtfCritical *run = data;
    ActivitySink to = {run->points, sink};

    return xtf_row_sorter_read(&run->activity, append_activity, &to, error);
}

static bool write_path_rows(XtfCritical *run, XtfWriter *writer, XtfSteps *steps, GError **error)
{
    uint32_t schema;

    xtf_steps_begin(steps, "writing the path", xtf_row_sorter_n(&run->rows));
    return xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_CRITICAL), &schema, error) &&
           xtf_row_sorter_write(&run->rows, writer, schema, id_of, run->points, steps, error);
}

bool xtf_critical_write(XtfCritical *run, XtfWriter *writer, XtfSteps *steps, GError **error)
{
    return write_path_rows(run, writer, steps, error) &&
           xtf_row_sink_write(writer, XTF_MODEL_ACTIVITY, append_activities, run, error);
}
