#include "src/analysis/causes/intervals/meetings.h"

#include "src/trace/context/sorted.h"

enum {
    SINGLES_MAX = 4,   /* most members of an operation whose meetings are noted one by one */
    KEPT_MAX = 1 << 20 /* most processes in the sets in memory */
};

/* Processes that synchronised, in ascending order. */
typedef struct {
    uint32_t n;
    uint32_t all[];
} Processes;

/* The operations with the same members. */
typedef struct {
    XtfOperation operation;
    uint64_t last; /* point of the last meeting, from 1 */
} Set;

void xtf_meetings_init(XtfMeetings *meetings, const XtfPoints *points, const uint32_t *processes)
{
    uint32_t n = xtf_points_n_locations(points);

    *meetings = (XtfMeetings){
        .points = points,
        .members = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
        .processes = processes,
        .singles = g_new0(uint64_t, n > 0 ? processes[n - 1] + 1 : 1),
        .touched = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
        .recent = G_QUEUE_INIT,
        .sets = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, NULL),
    };
    xtf_operation_heads_init(&meetings->heads, xtf_points_operations(points));
}

void xtf_meetings_finish(XtfMeetings *meetings)
{
    xtf_meetings_clear(meetings);
    g_clear_pointer(&meetings->members, g_hash_table_unref);
    g_clear_pointer(&meetings->sets, g_hash_table_unref);
    g_clear_pointer(&meetings->touched, g_array_unref);
    g_clear_pointer(&meetings->singles, g_free);
}

void xtf_meetings_clear(XtfMeetings *meetings)
{
    for (guint i = 0; i < meetings->touched->len; i++)
        meetings->singles[g_array_index(meetings->touched, uint32_t, i)] = 0;
    g_array_set_size(meetings->touched, 0);
    g_hash_table_remove_all(meetings->sets);
    g_queue_clear_full(&meetings->recent, g_free);
    meetings->world = 0;
}

/* Returns the processes that synchronise in an operation, valid until the next call; NULL: an error. */
static const Processes *processes_of(XtfMeetings *meetings, const XtfOperation *operation, GError **error)
{
    Processes *processes = g_hash_table_lookup(meetings->members, &operation->first);
    g_autofree XtfOperationMember *members = NULL;

    if (processes)
        return processes;
    members = g_new(XtfOperationMember, operation->n_members);
    if (!xtf_operations_members(xtf_points_operations(meetings->points), operation, members, error))
        return NULL;
    if (meetings->n_kept > KEPT_MAX) {
        g_hash_table_remove_all(meetings->members);
        meetings->n_kept = 0;
    }
    processes = g_malloc(sizeof *processes + operation->n_points * sizeof *processes->all);
    processes->n = 0;
    for (uint32_t i = 0; i < operation->n_members; i++) {
        uint32_t process = meetings->processes[members[i].location];
        if (members[i].synchronises && (processes->n == 0 || processes->all[processes->n - 1] != process))
            processes->all[processes->n++] = process;
    }
    meetings->n_kept += operation->n_points;
    g_hash_table_insert(meetings->members, g_memdup2(&operation->first, sizeof operation->first), processes);
    return processes;
}

static bool contains_process(const Processes *processes, uint32_t process)
{
    uint32_t rank = xtf_sorted_rank(processes->all, processes->n, process);

    return rank < processes->n && processes->all[rank] == process;
}

static void meet_process(XtfMeetings *meetings, uint32_t process, uint64_t i)
{
    if (meetings->singles[process] == 0)
        g_array_append_val(meetings->touched, process);
    meetings->singles[process] = i + 1;
}

static void meet_set(XtfMeetings *meetings, const XtfOperation *operation, uint64_t i)
{
    GList *link = g_hash_table_lookup(meetings->sets, &operation->first);

    if (link) {
        g_queue_unlink(&meetings->recent, link);
        g_queue_push_head_link(&meetings->recent, link);
    } else {
        Set *set = g_new(Set, 1);
        *set = (Set){.operation = *operation};
        g_queue_push_head(&meetings->recent, set);
        g_hash_table_insert(meetings->sets, &set->operation.first, meetings->recent.head);
    }
    ((Set *)meetings->recent.head->data)->last = i + 1;
}

static bool meet_operation(XtfMeetings *meetings, const XtfPoint *point, uint64_t i, GError **error)
{
    XtfOperation operation;

    if (!xtf_operation_heads_get(&meetings->heads, point->instance, &operation, error))
        return false;
    if (operation.n_points == 0)
        return true;
    /* An operation with a root has another set each time. Its other members only meet the root. */
    if (point->side == XTF_POINT_ALL && operation.n_points > SINGLES_MAX) {
        meet_set(meetings, &operation, i);
        return true;
    }
    const Processes *met = processes_of(meetings, &operation, error);
    for (uint32_t k = 0; met && k < met->n; k++)
        meet_process(meetings, met->all[k], i);
    return met;
}

bool xtf_meetings_add(XtfMeetings *meetings, const XtfPoint *point, uint64_t i, GError **error)
{
    switch ((XtfPointSide)point->side) {
    case XTF_POINT_WORLD:
        meetings->world = i + 1;
        return true;
    case XTF_POINT_WAITS:
    case XTF_POINT_AWAITED:
    case XTF_POINT_MEETS:
    case XTF_POINT_MET:
    case XTF_POINT_LEAF:
        if (point->partner < xtf_points_n_locations(meetings->points))
            meet_process(meetings, meetings->processes[point->partner], i);
        return true;
    case XTF_POINT_ALL:
    case XTF_POINT_ROOT:
    case XTF_POINT_PAIR:
        return meet_operation(meetings, point, i, error);
    case XTF_POINT_TEAM: /* meets threads of its own process, see prefixes.c */
    case XTF_POINT_FORKED:
    case XTF_POINT_JOINS:
    case XTF_POINT_FORKS:
    case XTF_POINT_ALONE:
    case XTF_POINT_END:
    case XTF_POINT_PART:
        break;
    }
    return true;
}

bool xtf_meetings_last(XtfMeetings *meetings, uint32_t process, uint64_t *i, GError **error)
{
    uint64_t last = MAX(meetings->singles[process], meetings->world);

    for (const GList *link = meetings->recent.head; link; link = link->next) {
        const Set *set = link->data;
        if (set->last <= last)
            break;
        const Processes *met = processes_of(meetings, &set->operation, error);
        if (!met)
            return false;
        if (contains_process(met, process))
            last = set->last;
    }
    *i = last == 0 ? XTF_NO_POINT : last - 1;
    return true;
}
