#include "src/analysis/causes/intervals/prefixes.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/trace/select/parallel.h"

enum {
    AT_ONCE = 256,       /* points that are read at once */
    CHECKPOINT_MIN = 64, /* least number of times by call path that are added between two checkpoints */
    DEPTHS = 8,          /* levels of nested teams that have a slot; deeper ones share the last */
    LIST_AT_ONCE = 1008, /* bytes of entries that are read with the head of a list */
};

typedef struct {
    uint64_t ticks, last;
    bool touched;
} Sum;

typedef struct {
    XtfPrefixes *prefixes;
    const XtfPoints *points;
    uint32_t *processes; /* by location */
    XtfSteps *steps;
} Work;

/* The state of one worker. */
typedef struct {
    const Work *work;
    XtfMeetings meetings;
    XtfOperationHeads heads;
    uint32_t outside;        /* number for time outside of all calls, after all call paths */
    Sum *sums;               /* by call path */
    GArray *touched;         /* uint32_t: call paths that have sums */
    GArray *entries, *later; /* XtfCallpathSum; XtfMeeting */
    GByteArray *list;        /* the list that is stored */
    uint64_t added;          /* times added since the last checkpoint */
    XtfOperationMember *members;
    uint32_t n_members;
    XtfPoint points[AT_ONCE];
    XtfPrefix out[AT_ONCE];
    XtfPointTimes times;
    uint64_t teams[DEPTHS],
        joins; /* the location's last TEAM or FORKED by depth, and its last JOINS; XTF_NO_POINT: none */
} Worker;

/* ---- Sums. */

static void add_prefix_ticks(Worker *worker, uint32_t callpath, uint64_t ticks, uint64_t i)
{
    uint32_t number = MIN(callpath, worker->outside);
    Sum *sum = &worker->sums[number];

    if (!sum->touched)
        g_array_append_val(worker->touched, number);
    *sum = (Sum){.ticks = sum->ticks + ticks, .last = i, .touched = true};
}

/* Stores a list: a head of two words, which are `number` and the length, then the entries. */
static bool put_list(Worker *worker, XtfSpool *spool, uint64_t number, const GArray *entries, uint32_t n, uint64_t *at,
                     GError **error)
{
    const uint64_t head[] = {number, n};
    GByteArray *list = worker->list;

    g_byte_array_set_size(list, 0);
    g_byte_array_append(list, (const uint8_t *)head, sizeof head);
    g_byte_array_append(list, (const uint8_t *)entries->data, n * g_array_get_element_size((GArray *)entries));
    *at = xtf_spool_allot(spool, list->len);
    return xtf_spool_put(spool, *at, list->data, list->len, error);
}

static bool put_checkpoint(Worker *worker, uint64_t i, uint64_t *at, GError **error)
{
    g_array_set_size(worker->entries, 0);
    for (guint k = 0; k < worker->touched->len; k++) {
        uint32_t number = g_array_index(worker->touched, uint32_t, k);
        const XtfCallpathSum entry = {.ticks = worker->sums[number].ticks,
                                      .last = worker->sums[number].last,
                                      .callpath = number == worker->outside ? UINT32_MAX : number};
        g_array_append_val(worker->entries, entry);
    }
    worker->added = 0;
    return put_list(worker, &worker->work->prefixes->sums, i, worker->entries, worker->entries->len, at, error);
}

/* ---- Meetings. */

/* Collects the operation's members of other processes, each with the point of the last meeting. *from: the first of
 * these points. */
static bool find_meetings(Worker *worker, const XtfOperation *operation, uint32_t process, uint64_t *from,
                          GError **error)
{
    *from = UINT64_MAX - 1;
    g_array_set_size(worker->later, 0);
    for (uint32_t k = 0; k < operation->n_members; k++) {
        uint32_t other_process = worker->work->processes[worker->members[k].location];
        XtfMeeting meeting = {.member = k};
        if (other_process == process)
            continue;
        if (!xtf_meetings_last(&worker->meetings, other_process, &meeting.at, error))
            return false;
        *from = meeting.at == XTF_NO_POINT || *from == XTF_NO_POINT ? XTF_NO_POINT : MIN(*from, meeting.at);
        if (meeting.at != XTF_NO_POINT)
            g_array_append_val(worker->later, meeting);
    }
    return true;
}

static bool put_meetings(Worker *worker, uint64_t from, uint32_t n, uint64_t *at, GError **error)
{
    return put_list(worker, &worker->work->prefixes->meetings, from, worker->later, n, at, error);
}

/* Stores the culprit's meetings with all members. If all are of its own process, the previous point counts. */
static bool find_member_meetings(Worker *worker, const XtfOperation *operation, uint32_t location, uint64_t i,
                                 uint64_t *at, GError **error)
{
    uint64_t from;
    uint32_t kept = 0;

    if (operation->n_members > worker->n_members) {
        worker->n_members = operation->n_members;
        worker->members = g_renew(XtfOperationMember, worker->members, worker->n_members);
    }
    if (!xtf_operations_members(xtf_points_operations(worker->work->points), operation, worker->members, error) ||
        !find_meetings(worker, operation, worker->work->processes[location], &from, error))
        return false;
    if (from == UINT64_MAX - 1)
        from = i > 0 ? i - 1 : XTF_NO_POINT;
    for (guint k = 0; k < worker->later->len; k++) {
        const XtfMeeting *meeting = &g_array_index(worker->later, XtfMeeting, k);
        if (from == XTF_NO_POINT || meeting->at > from)
            g_array_index(worker->later, XtfMeeting, kept++) = *meeting;
    }
    return put_meetings(worker, from, kept, at, error);
}

static uint64_t *team_of(Worker *worker, const XtfPoint *point)
{
    return &worker->teams[MIN(point->depth, DEPTHS - 1)];
}

static bool is_culprit(const XtfOperation *operation, const XtfPoint *point, uint32_t location)
{
    return operation->n_points > 0 && operation->culprit == location && operation->culprit_seq == point->seq;
}

static bool find_last_meeting(Worker *worker, const XtfPoint *point, uint32_t location, uint64_t i, uint64_t *since,
                              GError **error)
{
    XtfOperation operation;

    *since = XTF_NO_POINT;
    switch ((XtfPointSide)point->side) {
    case XTF_POINT_ALL:
    case XTF_POINT_ROOT:
    case XTF_POINT_LEAF:
    case XTF_POINT_PAIR:
        if (!xtf_operation_heads_get(&worker->heads, point->instance, &operation, error))
            return false;
        if (is_culprit(&operation, point, location))
            return find_member_meetings(worker, &operation, location, i, since, error);
        break;
    case XTF_POINT_TEAM:
        if (!xtf_operation_heads_get(&worker->heads, point->instance, &operation, error))
            return false;
        *since = *team_of(worker, point);
        return !is_culprit(&operation, point, location) || put_meetings(worker, *since, 0, since, error);
    case XTF_POINT_FORKS:
        *since = worker->joins;
        return true;
    default:
        break;
    }
    return point->partner >= xtf_points_n_locations(worker->work->points) ||
           xtf_meetings_last(&worker->meetings, worker->work->processes[point->partner], since, error);
}

/* ---- A location. */

static bool add_point_times(Worker *worker, const XtfPoint *point, uint64_t i, GError **error)
{
    const XtfCallpathTicks *times = xtf_point_times(&worker->times, worker->work->points, point, error);

    if (!times)
        return false;
    for (uint32_t k = 0; k < point->n_times; k++)
        add_prefix_ticks(worker, times[k].callpath, times[k].ticks, i);
    worker->added += point->n_times + 1;
    return true;
}

static void update_teams(Worker *worker, const XtfPoint *point, uint64_t i)
{
    if (point->side == XTF_POINT_TEAM || point->side == XTF_POINT_FORKED)
        *team_of(worker, point) = i;
    if (point->side == XTF_POINT_JOINS)
        worker->joins = i;
}

/* Sets the prefix of point `i`. `next` is that prefix without its meeting, and becomes the prefix of the following
 * point. */
static bool compute_prefix(Worker *worker, const XtfPoint *point, uint32_t location, uint64_t i, XtfPrefix *next,
                           GError **error)
{
    if (!find_last_meeting(worker, point, location, i, &next->since, error))
        return false;
    worker->out[i % AT_ONCE] = *next;
    if (!xtf_meetings_add(&worker->meetings, point, i, error) || !add_point_times(worker, point, i, error))
        return false;
    update_teams(worker, point, i);
    if (xtf_is_synchronising_wait(point)) {
        add_prefix_ticks(worker, point->callpath, 0 - point->wait, i);
        next->last_wait = i;
        next->waited += point->wait;
    }
    return worker->added < MAX(CHECKPOINT_MIN, worker->touched->len) || put_checkpoint(worker, i, &next->sums, error);
}

static void clear_worker(Worker *worker)
{
    for (guint k = 0; k < worker->touched->len; k++)
        worker->sums[g_array_index(worker->touched, uint32_t, k)] = (Sum){0};
    g_array_set_size(worker->touched, 0);
    worker->added = 0;
    worker->joins = XTF_NO_POINT;
    for (unsigned depth = 0; depth < DEPTHS; depth++)
        worker->teams[depth] = XTF_NO_POINT;
    xtf_meetings_clear(&worker->meetings);
}

static bool compute_prefixes_of_location(Worker *worker, uint32_t number, GError **error)
{
    const XtfPointLocation *location = xtf_points_location(worker->work->points, number);
    XtfPrefix next = {.last_wait = XTF_NO_POINT, .sums = XTF_NO_POINT};

    clear_worker(worker);
    for (uint64_t done = 0; done < location->n; done += AT_ONCE) {
        uint64_t n = MIN(location->n - done, (uint64_t)AT_ONCE);
        if (!xtf_steps_advance(worker->work->steps, n, error) ||
            !xtf_points_read(worker->work->points, location->first + done, n, worker->points, error))
            return false;
        for (uint64_t i = 0; i < n; i++) {
            if (!compute_prefix(worker, &worker->points[i], number, done + i, &next, error))
                return false;
        }
        if (!xtf_spool_put(&worker->work->prefixes->prefixes, (location->first + done) * sizeof next, worker->out,
                           n * sizeof next, error))
            return false;
    }
    return true;
}

/* ---- All locations. */

static void *create_worker(void *data)
{
    const Work *work = data;
    Worker *worker = g_new0(Worker, 1);

    worker->work = work;
    xtf_meetings_init(&worker->meetings, work->points, work->processes);
    xtf_operation_heads_init(&worker->heads, xtf_points_operations(work->points));
    worker->outside = xtf_points_n_callpaths(work->points);
    worker->sums = g_new0(Sum, (size_t)worker->outside + 1);
    worker->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    worker->entries = g_array_new(FALSE, FALSE, sizeof(XtfCallpathSum));
    worker->later = g_array_new(FALSE, FALSE, sizeof(XtfMeeting));
    worker->list = g_byte_array_new();
    return worker;
}

static bool compute_prefixes_of_locations(void *worker, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Work *work = data;

    for (uint32_t i = first; i < end; i++) {
        if (!compute_prefixes_of_location(worker, i, error))
            return false;
        xtf_points_page_out_sometimes(work->points, i);
    }
    return true;
}

static void free_worker(void *data, void *unused)
{
    Worker *worker = data;

    (void)unused;
    xtf_meetings_finish(&worker->meetings);
    g_free(worker->sums);
    g_free(worker->members);
    g_array_unref(worker->touched);
    g_array_unref(worker->entries);
    g_array_unref(worker->later);
    g_byte_array_unref(worker->list);
    xtf_point_times_finish(&worker->times);
    g_free(worker);
}

bool xtf_prefixes_find(XtfPrefixes *prefixes, const XtfPoints *points, XtfSteps *steps, GError **error)
{
    const XtfParallelWork parallel = {
        .step = 1, .begin = create_worker, .work = compute_prefixes_of_locations, .join = free_worker};
    uint32_t n = xtf_points_n_locations(points);
    g_autofree uint32_t *processes = g_new0(uint32_t, MAX(n, 1));
    Work work = {.prefixes = prefixes, .points = points, .processes = processes, .steps = steps};

    xtf_steps_begin(steps, "meetings", xtf_points_n(points));
    *prefixes = XTF_PREFIXES_NONE;
    for (uint32_t i = 1; i < n; i++) {
        processes[i] =
            processes[i - 1] + (xtf_points_location(points, i)->proc != xtf_points_location(points, i - 1)->proc);
        xtf_points_page_out_sometimes(points, i);
    }
    return xtf_spool_open(&prefixes->prefixes, error) && xtf_spool_open(&prefixes->sums, error) &&
           xtf_spool_open(&prefixes->meetings, error) && xtf_parallel(&parallel, &work, n, error);
}

void xtf_prefixes_finish(XtfPrefixes *prefixes)
{
    xtf_spool_close(&prefixes->prefixes);
    xtf_spool_close(&prefixes->sums);
    xtf_spool_close(&prefixes->meetings);
}

/* ---- Reading. */

bool xtf_prefixes_read(const XtfPrefixes *prefixes, uint64_t first, uint64_t n, XtfPrefix *to, GError **error)
{
    return xtf_spool_get(&prefixes->prefixes, first * sizeof *to, to, n * sizeof *to, error);
}

/* Reads a list that put_list() has stored; a short one at once. Bytes behind the end of the file are zeros. */
static bool read_list(const XtfSpool *spool, uint64_t at, uint64_t *number, GArray *entries, GError **error)
{
    struct {
        uint64_t number, n;
        uint8_t entries[LIST_AT_ONCE];
    } list;

    if (!xtf_spool_get(spool, at, &list, sizeof list, error))
        return false;
    size_t bytes = list.n * g_array_get_element_size(entries), first = MIN(bytes, sizeof list.entries);
    *number = list.number;
    g_array_set_size(entries, (guint)list.n);
    if (first > 0)
        memcpy(entries->data, list.entries, first);
    return bytes == first || xtf_spool_get(spool, at + sizeof list, entries->data + first, bytes - first, error);
}

bool xtf_prefixes_checkpoint(const XtfPrefixes *prefixes, uint64_t at, XtfCheckpoint *checkpoint, GError **error)
{
    return read_list(&prefixes->sums, at, &checkpoint->point, checkpoint->all, error);
}

bool xtf_prefixes_meetings(const XtfPrefixes *prefixes, uint64_t at, uint64_t *from, GArray *later, GError **error)
{
    return read_list(&prefixes->meetings, at, from, later, error);
}
