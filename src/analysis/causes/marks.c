#include "src/analysis/causes/marks.h"

#include "libxtf/error.h"
#include "src/trace/select/parallel.h"

enum {
    AT_ONCE = 256,       /* points */
    CHECKPOINT_MIN = 64, /* times between two checkpoints, at least */
    MEETINGS_HEAD_WORDS = 2,
    DEPTHS = 8, /* of teams in teams that are told apart */
    CHECKPOINT_HEAD_WORDS = 2,
};

typedef struct {
    uint64_t ticks, last;
    bool touched;
} Sum;

typedef struct {
    XtfMarks *marks;
    const XtfPoints *points;
    uint32_t *processes; /* by location */
    XtfSteps *steps;
} Work;

/* What a thread has. */
typedef struct {
    const Work *work;
    XtfMeetings meetings;
    XtfOperationHeads heads;
    uint32_t outside;        /* number of what is outside of all calls, behind those of call paths */
    Sum *sums;               /* by call path */
    GArray *touched;         /* uint32_t: call paths that have any */
    GArray *entries, *later; /* XtfCallpathSum; XtfMeeting */
    uint64_t added;          /* times, since the last checkpoint */
    XtfOperationMember *members;
    uint32_t n_members;
    XtfPoint points[AT_ONCE];
    XtfMark out[AT_ONCE];
    XtfPointTimes times;
    uint64_t teams[DEPTHS],
        joins; /* the last TEAM or FORKED by depth, and JOINS, of the location; XTF_NO_POINT: none */
} Own;

/* ---- Sums. */

static void add(Own *own, uint32_t callpath, uint64_t ticks, uint64_t i)
{
    uint32_t number = MIN(callpath, own->outside);
    Sum *sum = &own->sums[number];

    if (!sum->touched)
        g_array_append_val(own->touched, number);
    *sum = (Sum){.ticks = sum->ticks + ticks, .last = i, .touched = true};
}

static bool put_checkpoint(Own *own, uint64_t i, uint64_t *at, GError **error)
{
    XtfSpool *spool = &own->work->marks->sums;
    const uint64_t head[CHECKPOINT_HEAD_WORDS] = {i, own->touched->len};
    size_t bytes = own->touched->len * sizeof(XtfCallpathSum);

    g_array_set_size(own->entries, 0);
    for (guint k = 0; k < own->touched->len; k++) {
        uint32_t number = g_array_index(own->touched, uint32_t, k);
        const XtfCallpathSum entry = {.ticks = own->sums[number].ticks,
                                      .last = own->sums[number].last,
                                      .callpath = number == own->outside ? UINT32_MAX : number};
        g_array_append_val(own->entries, entry);
    }
    own->added = 0;
    *at = xtf_spool_allot(spool, sizeof head + bytes);
    return xtf_spool_put(spool, *at, head, sizeof head, error) &&
           xtf_spool_put(spool, *at + sizeof head, own->entries->data, bytes, error);
}

/* ---- Meetings. */

/* The members of an operation that are of another process, each with the point at which it was met last; *from: the
 * first of these points. */
static bool find_meetings(Own *own, const XtfOperation *operation, uint32_t process, uint64_t *from, GError **error)
{
    *from = UINT64_MAX - 1;
    g_array_set_size(own->later, 0);
    for (uint32_t k = 0; k < operation->n_members; k++) {
        uint32_t other = own->work->processes[own->members[k].location];
        XtfMeeting meeting = {.member = k};
        if (other == process)
            continue;
        if (!xtf_meetings_last(&own->meetings, other, &meeting.at, error))
            return false;
        *from = meeting.at == XTF_NO_POINT || *from == XTF_NO_POINT ? XTF_NO_POINT : MIN(*from, meeting.at);
        if (meeting.at != XTF_NO_POINT)
            g_array_append_val(own->later, meeting);
    }
    return true;
}

static bool put_meetings(Own *own, uint64_t from, uint32_t n, uint64_t *at, GError **error)
{
    XtfSpool *spool = &own->work->marks->meetings;
    const uint64_t head[MEETINGS_HEAD_WORDS] = {from, n};
    size_t bytes = n * sizeof(XtfMeeting);

    *at = xtf_spool_allot(spool, sizeof head + bytes);
    return xtf_spool_put(spool, *at, head, sizeof head, error) &&
           xtf_spool_put(spool, *at + sizeof head, own->later->data, bytes, error);
}

/* The one that was waited for: its meetings with all members. Where there are none but itself, the point before. */
static bool mark_late(Own *own, const XtfOperation *operation, uint32_t location, uint64_t i, uint64_t *at,
                      GError **error)
{
    uint64_t from;
    uint32_t kept = 0;

    if (operation->n_members > own->n_members) {
        own->n_members = operation->n_members;
        own->members = g_renew(XtfOperationMember, own->members, own->n_members);
    }
    if (!xtf_operations_members(xtf_points_operations(own->work->points), operation, own->members, error) ||
        !find_meetings(own, operation, own->work->processes[location], &from, error))
        return false;
    if (from == UINT64_MAX - 1)
        from = i > 0 ? i - 1 : XTF_NO_POINT;
    for (guint k = 0; k < own->later->len; k++) {
        const XtfMeeting *meeting = &g_array_index(own->later, XtfMeeting, k);
        if (from == XTF_NO_POINT || meeting->at > from)
            g_array_index(own->later, XtfMeeting, kept++) = *meeting;
    }
    return put_meetings(own, from, kept, at, error);
}

static uint64_t *team_of(Own *own, const XtfPoint *point)
{
    return &own->teams[MIN(point->depth, DEPTHS - 1)];
}

static bool is_last(const XtfOperation *operation, const XtfPoint *point, uint32_t location)
{
    return operation->n_points > 0 && operation->late == location && operation->late_seq == point->seq;
}

static bool mark_since(Own *own, const XtfPoint *point, uint32_t location, uint64_t i, uint64_t *since, GError **error)
{
    XtfOperation operation;

    *since = XTF_NO_POINT;
    switch ((XtfPointSide)point->side) {
    case XTF_POINT_ALL:
    case XTF_POINT_ROOT:
    case XTF_POINT_LEAF:
    case XTF_POINT_PAIR:
        if (!xtf_operation_heads_get(&own->heads, point->instance, &operation, error))
            return false;
        if (is_last(&operation, point, location))
            return mark_late(own, &operation, location, i, since, error);
        break;
    case XTF_POINT_TEAM:
        if (!xtf_operation_heads_get(&own->heads, point->instance, &operation, error))
            return false;
        *since = *team_of(own, point);
        return !is_last(&operation, point, location) || put_meetings(own, *since, 0, since, error);
    case XTF_POINT_FORKS:
        *since = own->joins;
        return true;
    default:
        break;
    }
    return point->partner >= xtf_points_n_locations(own->work->points) ||
           xtf_meetings_last(&own->meetings, own->work->processes[point->partner], since, error);
}

/* ---- A location. */

static bool add_times(Own *own, const XtfPoint *point, uint64_t i, GError **error)
{
    const XtfCallpathTicks *times = xtf_point_times(&own->times, own->work->points, point, error);

    if (!times)
        return false;
    for (uint32_t k = 0; k < point->n_times; k++)
        add(own, times[k].callpath, times[k].ticks, i);
    own->added += point->n_times + 1;
    return true;
}

static void note_threads(Own *own, const XtfPoint *point, uint64_t i)
{
    if (point->side == XTF_POINT_TEAM || point->side == XTF_POINT_FORKED)
        *team_of(own, point) = i;
    if (point->side == XTF_POINT_JOINS)
        own->joins = i;
}

/* Goes over point `i`; `next` is its mark, and becomes that of the point behind it but for its meeting. */
static bool go_over(Own *own, const XtfPoint *point, uint32_t location, uint64_t i, XtfMark *next, GError **error)
{
    if (!mark_since(own, point, location, i, &next->since, error))
        return false;
    own->out[i % AT_ONCE] = *next;
    if (!xtf_meetings_add(&own->meetings, point, i, error) || !add_times(own, point, i, error))
        return false;
    note_threads(own, point, i);
    if (xtf_is_synchronising_wait(point)) {
        add(own, point->callpath, 0 - point->wait, i);
        next->last_wait = i;
        next->waited += point->wait;
    }
    return own->added < MAX(CHECKPOINT_MIN, own->touched->len) || put_checkpoint(own, i, &next->sums, error);
}

static void clear(Own *own)
{
    for (guint k = 0; k < own->touched->len; k++)
        own->sums[g_array_index(own->touched, uint32_t, k)] = (Sum){0};
    g_array_set_size(own->touched, 0);
    own->added = 0;
    own->joins = XTF_NO_POINT;
    for (unsigned depth = 0; depth < DEPTHS; depth++)
        own->teams[depth] = XTF_NO_POINT;
    xtf_meetings_clear(&own->meetings);
}

static bool mark_location(Own *own, uint32_t number, GError **error)
{
    const XtfPointLocation *location = xtf_points_location(own->work->points, number);
    XtfMark next = {.last_wait = XTF_NO_POINT, .sums = XTF_NO_POINT};

    clear(own);
    for (uint64_t done = 0; done < location->n; done += AT_ONCE) {
        uint64_t n = MIN(location->n - done, (uint64_t)AT_ONCE);
        if (!xtf_steps_go_on(own->work->steps, n, error) ||
            !xtf_points_read(own->work->points, location->first + done, n, own->points, error))
            return false;
        for (uint64_t i = 0; i < n; i++) {
            if (!go_over(own, &own->points[i], number, done + i, &next, error))
                return false;
        }
        if (!xtf_spool_put(&own->work->marks->marks, (location->first + done) * sizeof next, own->out, n * sizeof next,
                           error))
            return false;
    }
    return true;
}

/* ---- All of them. */

static void *begin(void *data)
{
    const Work *work = data;
    Own *own = g_new0(Own, 1);

    own->work = work;
    xtf_meetings_init(&own->meetings, work->points, work->processes);
    xtf_operation_heads_init(&own->heads, xtf_points_operations(work->points));
    own->outside = xtf_points_n_callpaths(work->points);
    own->sums = g_new0(Sum, (size_t)own->outside + 1);
    own->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    own->entries = g_array_new(FALSE, FALSE, sizeof(XtfCallpathSum));
    own->later = g_array_new(FALSE, FALSE, sizeof(XtfMeeting));
    return own;
}

static bool mark(void *own, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Work *work = data;

    for (uint32_t i = first; i < end; i++) {
        if (!mark_location(own, i, error))
            return false;
        xtf_points_rest_sometimes(work->points, i);
    }
    return true;
}

static void join(void *data, void *unused)
{
    Own *own = data;

    (void)unused;
    xtf_meetings_finish(&own->meetings);
    g_free(own->sums);
    g_free(own->members);
    g_array_unref(own->touched);
    g_array_unref(own->entries);
    g_array_unref(own->later);
    xtf_point_times_finish(&own->times);
    g_free(own);
}

bool xtf_marks_find(XtfMarks *marks, const XtfPoints *points, XtfSteps *steps, GError **error)
{
    const XtfParallelWork how = {.step = 1, .begin = begin, .work = mark, .join = join};
    uint32_t n = xtf_points_n_locations(points);
    g_autofree uint32_t *processes = g_new0(uint32_t, MAX(n, 1));
    Work work = {.marks = marks, .points = points, .processes = processes, .steps = steps};

    xtf_steps_begin(steps, "meetings", xtf_points_n(points));
    *marks = XTF_MARKS_NONE;
    for (uint32_t i = 1; i < n; i++) {
        processes[i] =
            processes[i - 1] + (xtf_points_location(points, i)->proc != xtf_points_location(points, i - 1)->proc);
        xtf_points_rest_sometimes(points, i);
    }
    return xtf_spool_open(&marks->marks, error) && xtf_spool_open(&marks->sums, error) &&
           xtf_spool_open(&marks->meetings, error) && xtf_parallel(&how, &work, n, error);
}

void xtf_marks_finish(XtfMarks *marks)
{
    xtf_spool_close(&marks->marks);
    xtf_spool_close(&marks->sums);
    xtf_spool_close(&marks->meetings);
}

/* ---- Reading. */

bool xtf_marks_read(const XtfMarks *marks, uint64_t first, uint64_t n, XtfMark *to, GError **error)
{
    return xtf_spool_get(&marks->marks, first * sizeof *to, to, n * sizeof *to, error);
}

/* A head of two words, a number and how many entries follow. */
static bool read_list(const XtfSpool *spool, uint64_t at, uint64_t *number, GArray *entries, GError **error)
{
    uint64_t head[2];

    if (!xtf_spool_get(spool, at, head, sizeof head, error))
        return false;
    *number = head[0];
    g_array_set_size(entries, (guint)head[1]);
    return xtf_spool_get(spool, at + sizeof head, entries->data, head[1] * g_array_get_element_size(entries), error);
}

bool xtf_marks_checkpoint(const XtfMarks *marks, uint64_t at, XtfCheckpoint *checkpoint, GError **error)
{
    return read_list(&marks->sums, at, &checkpoint->point, checkpoint->all, error);
}

bool xtf_marks_meetings(const XtfMarks *marks, uint64_t at, uint64_t *from, GArray *later, GError **error)
{
    return read_list(&marks->meetings, at, from, later, error);
}
