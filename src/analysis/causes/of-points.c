#include "src/analysis/causes/of-points.h"

#include "libxtf/error.h"
#include "src/analysis/causes/scratch-file.h"
#include "src/model/schemas.h"

enum { BATCH = 256 };

/* A member of an operation that has a point: rows are sorted by (0, instance). */
typedef struct {
    XtfRowKey key;
    uint32_t location;
    uint64_t seq, late_seq;
    uint32_t late; /* UINT32_MAX: it did not wait */
    uint32_t comm;
    uint8_t cost;
    uint8_t unused[7];
} Member;

typedef struct {
    XtfTrace *trace;
    XtfPoints *points;
    const XtfRanks *ranks;
    const XtfSchema *programs; /* NULL: the trace has no such records */
    bool has_program;          /* the location at hand has */
    uint32_t n_locations, n_contexts;
    uint32_t *processes;       /* by location */
    GHashTable *process_of;    /* guint64 of a process in the tree -> number + 1 */
    XtfSortedFile *members;    /* Member */
    XtfScratchFile *instances; /* uint64_t, ascending: of the operations, by number */
    XtfSyncPoints *found;
    XtfCallTimes *times;
} Conversion;

static const uint8_t cost_labels[XTF_COSTS] = {
    [XTF_COST_LATE_SENDER] = XTF_LABEL_late_sender,   [XTF_COST_LATE_RECEIVER] = XTF_LABEL_late_receiver,
    [XTF_COST_BARRIER] = XTF_LABEL_wait_barrier,      [XTF_COST_ALL_TO_ALL] = XTF_LABEL_wait_nxn,
    [XTF_COST_ONE_TO_ALL] = XTF_LABEL_late_broadcast, [XTF_COST_ALL_TO_ONE] = XTF_LABEL_early_reduce,
    [XTF_COST_CREATE] = XTF_LABEL_wait_create,        [XTF_COST_DESTROY] = XTF_LABEL_wait_destroy,
};

uint8_t xtf_cost_label(XtfCostKind kind)
{
    return cost_labels[kind];
}

/* XTF_COSTS: a wait of this kind has no costs. */
static uint8_t cost_of(uint8_t label)
{
    uint8_t cost = 0;

    while (cost < XTF_COSTS && cost_labels[cost] != label)
        cost++;
    return cost;
}

static XtfSyncKind kind_of(const XtfPoint *point)
{
    bool sender = point->kind == XTF_LABEL_late_sender;

    if (point->side == XTF_POINT_WORLD)
        return XTF_SYNC_ALL;
    if (cost_of(point->kind) == XTF_COSTS)
        return XTF_SYNC_NONE;
    switch (point->side) {
    case XTF_POINT_WAITS:
        return sender ? XTF_SYNC_LATE_SENDER : XTF_SYNC_LATE_RECEIVER;
    case XTF_POINT_AWAITED:
        return sender ? XTF_SYNC_SEND : XTF_SYNC_POSTING;
    case XTF_POINT_ALL:
    case XTF_POINT_ROOT:
    case XTF_POINT_LEAF:
    case XTF_POINT_PAIR:
        return XTF_SYNC_MEMBER;
    default:
        return XTF_SYNC_NONE;
    }
}

/* Calls a function for all points but the ends of locations, in their order. */
static bool each_point(Conversion *conversion, const XtfCausesOptions *options,
                       bool (*use)(Conversion *conversion, uint32_t location, uint64_t number, const XtfPoint *point,
                                   GError **error),
                       GError **error)
{
    XtfPoint batch[BATCH];

    for (uint32_t location = 0; location < conversion->n_locations; location++) {
        const XtfPointLocation *at = xtf_points_location(conversion->points, location);
        for (uint64_t done = 0; done < at->n; done += BATCH) {
            uint64_t n = MIN(at->n - done, BATCH);
            if (options->cancel && atomic_load(options->cancel))
                return xtf_fail(error, XTF_ERROR_CANCELLED, "cancelled");
            if (!xtf_points_read(conversion->points, at->first + done, n, batch, error))
                return false;
            for (uint64_t i = 0; i < n; i++) {
                if (batch[i].side != XTF_POINT_END &&
                    !use(conversion, location, at->first + done + i, &batch[i], error))
                    return false;
            }
        }
    }
    return true;
}

/* ---- Operations. */

static bool add_member(Conversion *conversion, uint32_t location, G_GNUC_UNUSED uint64_t number, const XtfPoint *point,
                       GError **error)
{
    if (kind_of(point) != XTF_SYNC_MEMBER)
        return true;
    const Member member = {
        .key = {.seq = point->instance},
        .location = location,
        .seq = point->seq,
        .late = point->wait > 0 && point->partner < conversion->n_locations ? point->partner : UINT32_MAX,
        .late_seq = point->partner_seq,
        .comm = point->comm,
        .cost = cost_of(point->kind),
    };
    return xtf_sorted_file_add(conversion->members, &member, error);
}

static uint32_t process_number(const Conversion *conversion, uint64_t proc)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(conversion->process_of, &proc)) - 1;
}

/* All members of the communicator: those that have a point, and the others. */
static void list_members(const Conversion *conversion, const GArray *group, GArray *members)
{
    const Member *first = &g_array_index(group, Member, 0);
    uint64_t from = xtf_points_location(conversion->points, first->location)->proc, n, proc;
    g_autoptr(GHashTable) synchronise = g_hash_table_new(NULL, NULL);

    g_array_set_size(members, 0);
    for (guint i = 0; i < group->len; i++) {
        XtfSyncMember member = {.process = conversion->processes[g_array_index(group, Member, i).location]};
        member.synchronises = true;
        if (g_hash_table_add(synchronise, GUINT_TO_POINTER(member.process + 1)))
            g_array_append_val(members, member);
    }
    if (first->comm == UINT32_MAX || !xtf_ranks_count_members(conversion->ranks, first->comm, &n))
        return;
    for (uint64_t rank = 0; rank < n; rank++) {
        if (!xtf_ranks_member(conversion->ranks, first->comm, rank, from, &proc))
            continue;
        XtfSyncMember member = {.process = process_number(conversion, proc)};
        if (member.process != UINT32_MAX && g_hash_table_add(synchronise, GUINT_TO_POINTER(member.process + 1)))
            g_array_append_val(members, member);
    }
}

static bool add_operation(Conversion *conversion, const GArray *group, GArray *members, GError **error)
{
    const Member *late = &g_array_index(group, Member, 0);
    XtfSyncOperation operation = {.late = late->location, .late_seq = late->seq, .cost = late->cost};
    uint64_t number;

    for (guint i = 0; i < group->len; i++) {
        const Member *member = &g_array_index(group, Member, i);
        if (member->late == UINT32_MAX)
            continue;
        operation.late = member->late;
        operation.late_seq = member->late_seq;
        break;
    }
    list_members(conversion, group, members);
    operation.n_members = members->len;
    return xtf_sync_points_add_operation(conversion->found, &operation, (const XtfSyncMember *)(void *)members->data,
                                         &number, error) &&
           xtf_scratch_file_append(conversion->instances, &late->key.seq, error);
}

static bool find_operations(Conversion *conversion, const XtfCausesOptions *options, GError **error)
{
    g_autoptr(GArray) group = g_array_new(false, false, sizeof(Member));
    g_autoptr(GArray) members = g_array_new(false, false, sizeof(XtfSyncMember));
    Member member;

    if (!each_point(conversion, options, add_member, error) || !xtf_sorted_file_sort(conversion->members, error))
        return false;
    uint64_t n = xtf_sorted_file_n(conversion->members, 0);
    for (uint64_t i = 0; i < n; i++) {
        if (!xtf_sorted_file_get(conversion->members, 0, i, &member, error))
            return false;
        if (group->len && g_array_index(group, Member, 0).key.seq != member.key.seq) {
            if (!add_operation(conversion, group, members, error))
                return false;
            g_array_set_size(group, 0);
        }
        g_array_append_val(group, member);
    }
    return group->len == 0 || add_operation(conversion, group, members, error);
}

static bool find_instance(Conversion *conversion, uint64_t instance, uint64_t *number, GError **error)
{
    uint64_t low = 0, high = xtf_scratch_file_n(conversion->instances);

    while (low < high) {
        uint64_t middle = low + (high - low) / 2, other;
        if (!xtf_scratch_file_get(conversion->instances, middle, &other, error))
            return false;
        if (other < instance)
            low = middle + 1;
        else
            high = middle;
    }
    *number = low;
    return true;
}

/* ---- Points, and times between them. */

static bool begin_location(Conversion *conversion, uint32_t location, GError **error)
{
    uint64_t id = xtf_points_location(conversion->points, location)->id;
    XtfArray array;

    conversion->has_program = false;
    if (conversion->programs &&
        !xtf_trace_find_array(conversion->trace, id, conversion->programs->id, &array, &conversion->has_program, error))
        return false;
    return xtf_call_times_begin(conversion->times, error);
}

static bool add_point(Conversion *conversion, uint32_t location, uint64_t number, const XtfPoint *point, GError **error)
{
    g_autofree XtfContextTicks *ticks = g_new(XtfContextTicks, MAX(point->n_times, 1));
    XtfSyncPoint added = {
        .key = {.seq = point->seq, .location = location},
        .context = MIN(point->context, conversion->n_contexts),
        .time = point->time,
        .wait = point->wait,
        .total = point->leave - MIN(point->enter, point->leave),
        .completion = (int64_t)point->completion,
        .other = point->partner < conversion->n_locations ? point->partner : UINT32_MAX,
        .other_seq = point->partner_seq,
        .kind = (uint8_t)kind_of(point),
        .cost = cost_of(point->kind) % XTF_COSTS,
        .number = number,
    };

    if (added.kind == XTF_SYNC_MEMBER && !find_instance(conversion, point->instance, &added.operation, error))
        return false;
    while (xtf_call_times_n_locations(conversion->times) <= location) {
        if (!begin_location(conversion, location, error))
            return false;
    }
    if (!xtf_points_times(conversion->points, point, ticks, error))
        return false;
    for (uint32_t i = 0; i < point->n_times; i++) {
        uint32_t context = MIN(ticks[i].context, conversion->n_contexts);
        if (context < conversion->n_contexts || conversion->has_program)
            xtf_call_times_charge(conversion->times, context, ticks[i].ticks);
    }
    return xtf_call_times_point(conversion->times, error) && xtf_sync_points_add(conversion->found, &added, error);
}

static bool put_results(Conversion *conversion, GError **error)
{
    XtfSyncPoint point;

    for (uint32_t location = 0; location < conversion->n_locations; location++) {
        for (uint64_t i = 0; i < xtf_sync_points_n(conversion->found, location); i++) {
            if (!xtf_sync_points_get(conversion->found, location, i, &point, error))
                return false;
            const XtfPointResult result = {point.indirect, point.propagating, point.passed, point.cause};
            if (point.wait > 0 && !xtf_points_put_result(conversion->points, point.number, &result, error))
                return false;
        }
    }
    return true;
}

/* ---- The whole. */

static void conversion_finish(Conversion *conversion)
{
    g_free(conversion->processes);
    g_clear_pointer(&conversion->process_of, g_hash_table_unref);
    xtf_sorted_file_free(conversion->members);
    xtf_scratch_file_free(conversion->instances);
    xtf_sync_points_free(conversion->found);
    xtf_call_times_free(conversion->times);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Conversion, conversion_finish)

static bool conversion_init(Conversion *conversion, XtfTrace *trace, XtfPoints *points, const XtfRanks *ranks,
                            const char *folder, GError **error)
{
    uint32_t n = xtf_points_n_locations(points);

    *conversion = (Conversion){
        .trace = trace,
        .programs = xtf_trace_find_schema(trace, "programs"),
        .points = points,
        .ranks = ranks,
        .n_locations = n,
        .n_contexts = xtf_points_n_contexts(points),
        .processes = g_new0(uint32_t, n),
        .process_of = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
    };
    for (uint32_t i = 0; i < n; i++) {
        uint64_t proc = xtf_points_location(points, i)->proc;
        guint size = g_hash_table_size(conversion->process_of);
        if (!g_hash_table_contains(conversion->process_of, &proc))
            g_hash_table_insert(conversion->process_of, g_memdup2(&proc, sizeof proc), GUINT_TO_POINTER(size + 1));
        conversion->processes[i] = process_number(conversion, proc);
    }
    return (conversion->members = xtf_sorted_file_new(sizeof(Member), 1, folder, error)) &&
           (conversion->instances = xtf_scratch_file_new(sizeof(uint64_t), folder, error)) &&
           (conversion->found = xtf_sync_points_new(n, conversion->processes, folder, error)) &&
           (conversion->times = xtf_call_times_new(folder, error));
}

bool xtf_causes_of_points(XtfTrace *trace, XtfPoints *points, const XtfRanks *ranks, const XtfCausesOptions *options,
                          XtfSortedFile **delays, XtfCausesCounts *counts, GError **error)
{
    g_auto(Conversion) conversion = {0};
    XtfCausesOptions own = *options;

    if (!conversion_init(&conversion, trace, points, ranks, options->folder, error) ||
        !find_operations(&conversion, options, error))
        return false;
    if (!each_point(&conversion, options, add_point, error) || !xtf_sync_points_sort(conversion.found, error))
        return false;
    own.n_contexts = conversion.n_contexts + 1; /* the last one is outside of all calls */
    if (!xtf_causes_find(conversion.found, conversion.times, &own, delays, counts, error))
        return false;
    return put_results(&conversion, error);
}
