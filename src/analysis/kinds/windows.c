/*
 * Collective operations of windows: the k-th RMA_COLLECTIVE_END of a window on each member is one operation.
 *
 * MPI_Win_fence and the making and freeing of windows are waits only if all members were in the operation at one time.
 * Otherwise MPI does not require that they synchronise (Scalasca: MPI_RMA.pattern). All other operations follow the
 * rules of MPI's collective operations.
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/analysis/kinds/window-operation.h"
#include "src/model/labels.h"
#include "src/model/wait-kinds.h"

enum {
    MEMBERS_MAX = 1 << 19, /* most members of all open operations together */
    ROOT_IS_SELF = (int)UINT32_MAX - 1,
};

/* The last RMA_COLLECTIVE_BEGIN of a location. */
typedef struct {
    uint64_t time, seq;
    XtfKindCall *call; /* the call around it; NULL: none */
    GArray *accesses;  /* XtfWindowAccess in that call; NULL: none */
} Begun;

struct XtfKindWindows {
    GHashTable *operations; /* by window and number: XtfWindowOperation */
    GHashTable *counts;     /* by window and process: number of operations ended, uint64_t */
    GHashTable *begun;      /* by location: Begun */
    uint64_t n_members;     /* members of all open operations */
};

static void free_begun(void *pointer)
{
    Begun *begun = pointer;

    xtf_kind_call_unref(begun->call);
    xtf_window_accesses_free(begun->accesses);
    g_free(begun);
}

XtfKindWindows *xtf_kind_windows_new(const XtfKinds *kinds)
{
    XtfKindWindows *windows = g_new0(XtfKindWindows, 1);

    windows->operations = xtf_kind_table_new(xtf_window_operation_free);
    windows->counts = xtf_kind_table_new(g_free);
    windows->begun = xtf_kind_table_new(free_begun);
    return windows;
}

void xtf_kind_windows_free(XtfKindWindows *windows)
{
    if (!windows)
        return;
    g_hash_table_unref(windows->operations);
    g_hash_table_unref(windows->counts);
    g_hash_table_unref(windows->begun);
    g_free(windows);
}

bool xtf_kind_window_comm(XtfKinds *kinds, uint32_t window, uint32_t *comm)
{
    const XtfTable *table;

    if (kinds->failed || !xtf_trace_table(kinds->context->trace, "rma_windows", &table, &kinds->failed))
        return false;
    const XtfField *field = table ? xtf_schema_field(table->schema, "comm") : NULL;
    if (!field || window >= table->n_rows)
        return false;
    const uint8_t *row = table->rows + (uint64_t)window * table->schema->row_size;
    *comm = (uint32_t)xtf_field_get(field, row);
    return !xtf_field_is_none(field, row);
}

/* Returns the operation that a location ends next. NULL: the window's members are unknown, or it has only one. */
static XtfWindowOperation *next_operation(XtfKinds *kinds, const XtfKindLocation *location, uint32_t window,
                                          XtfKindKey *key)
{
    XtfKindWindows *windows = kinds->windows;
    const XtfKindKey member_key = {window, location->process, 0, 0};
    const uint64_t *count = xtf_kind_table_get(windows->counts, &member_key, sizeof *count);
    uint64_t n;
    uint32_t comm;

    *key = (XtfKindKey){window, *count, 0, 0};
    XtfWindowOperation *operation = g_hash_table_lookup(windows->operations, key);
    if (operation)
        return operation;
    if (!xtf_kind_window_comm(kinds, window, &comm) || !xtf_ranks_count_members(kinds->ranks, comm, &n) || n < 2 ||
        n > MEMBERS_MAX - windows->n_members)
        return NULL;
    operation = xtf_kind_table_get(windows->operations, key, sizeof *operation);
    *operation = (XtfWindowOperation){.n = (uint32_t)n, .operation = UINT32_MAX, .comm = comm};
    operation->members = g_new0(XtfWindowMember, n);
    windows->n_members += n;
    return operation;
}

/* ---- Operations on other members. */

/* An operation on another member. It counts when its call is left. */
typedef struct {
    XtfKindKey key;
    uint32_t target;
    XtfWindowArrival arrival;
} Access;

static void end_access(XtfKinds *kinds, XtfKindCall *call, void *data)
{
    Access *access = data;
    XtfWindowOperation *operation = g_hash_table_lookup(kinds->windows->operations, &access->key);

    if (!operation || access->target >= operation->n)
        return;
    XtfWindowArrival *last = &operation->members[access->target].last;
    if (call) {
        uint64_t left = access->arrival.time = call->leave;
        access->arrival.end = (XtfKindArrival){.seq = call->seq + 1, .time = left, .enter = left, .end = left};
    }
    if (!last->known || access->arrival.time > last->time)
        *last = access->arrival;
}

/* Keeps an access for the collective operation in whose call it is made. A barrier of two calls has no such calls. */
static void keep_access(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey place = {location->rows.number, 0, 0, 0};
    Begun *begun = g_hash_table_lookup(kinds->windows->begun, &place);
    XtfKindCall *call = xtf_kind_rows_call(&location->rows);

    if (!begun || !begun->call || begun->call->left || !call || call == begun->call)
        return;
    if (!begun->accesses)
        begun->accesses = g_array_new(FALSE, FALSE, sizeof(XtfWindowAccess));
    const XtfWindowAccess access = {xtf_kind_call_ref(call), row->peer, row->seq};
    g_array_append_val(begun->accesses, access);
}

static void handle_access(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    Access access = {.target = row->peer};

    if (!next_operation(kinds, location, row->window, &access.key))
        return;
    access.arrival = (XtfWindowArrival){
        .known = true,
        .location = location->rows.number,
        .time = row->time,
        .seq = row->seq,
        .row = row->row,
        .end = {.seq = row->seq, .time = row->time, .enter = row->time, .end = row->time},
    };
    xtf_kinds_then(kinds, xtf_kind_rows_call(&location->rows), end_access, g_memdup2(&access, sizeof access), g_free);
}

/* ---- A collective operation that all members have ended. */

/* Adds a member's wait. `completion`: time after the wait, 0 if the kind has none; not before the call that waits,
 * which a barrier of two calls enters late. `instance`: see pass_barrier(). */
static void add_member_wait(XtfKinds *kinds, const XtfWindowOperation *operation, const XtfWindowMember *member,
                            uint8_t kind, uint64_t begin, uint64_t end, const XtfWindowArrival *culprit,
                            uint64_t completion, uint64_t instance)
{
    XtfKindWait wait = xtf_window_wait(kinds, operation, member, kind, begin, end, culprit);
    uint64_t entered = member->call ? MAX(begin, member->call->enter) : begin;

    if (kind == XTF_LABEL_early_fence) { /* at the BEGIN of the operation: another wait is at its END */
        wait.seq = member->begin_seq;
        wait.time = member->begin;
    }
    wait.completion = MIN(completion, member->end - MIN(entered, member->end));
    wait.instance = instance;
    if (instance != UINT64_MAX)
        wait.sync = XTF_KIND_ALL;
    xtf_kinds_wait(kinds, member->call, &wait);
}

static void add_wait_for(XtfKinds *kinds, const XtfWindowOperation *operation, const XtfWindowMember *member,
                         uint8_t kind, uint64_t begin, const XtfWindowArrival *culprit, uint64_t instance)
{
    add_member_wait(kinds, operation, member, kind, begin, culprit->time, culprit, 0, instance);
}

/* Passes an operation that all members were in at one time on to the consumer. Returns its instance; UINT64_MAX: the
 * consumer needs none. */
static uint64_t pass_barrier(XtfKinds *kinds, const XtfWindowOperation *operation, const XtfWindowArrival *last)
{
    const XtfKindConsumer *consumer = kinds->consumer;
    uint64_t instance;

    if (!consumer->barrier || kinds->failed)
        return UINT64_MAX;
    g_autofree uint32_t *locations = g_new(uint32_t, operation->n);
    for (uint32_t i = 0; i < operation->n; i++)
        locations[i] = kinds->locations[operation->members[i].location].index;
    const XtfKindBarrier barrier = {locations, operation->n, kinds->locations[last->location].index, last->seq};
    return consumer->barrier(consumer->data, &barrier, &instance, &kinds->failed) ? instance : UINT64_MAX;
}

/* Adds the waits for the last member. In a fence, a member first waits for the end of the operations on it. */
static void add_waits_for_last(XtfKinds *kinds, const XtfWindowOperation *operation,
                               const XtfCollectiveSummary *summary, uint8_t kind)
{
    XtfWindowArrival last = xtf_window_arrival(operation, &summary->last);

    if (summary->first_end.time <= last.time)
        return;
    uint64_t instance = pass_barrier(kinds, operation, &last);
    for (uint32_t i = 0; i < operation->n; i++) {
        const XtfWindowMember *member = &operation->members[i];
        uint64_t begin = member->begin;
        const XtfWindowArrival *access = &member->last;
        if (begin < last.time && operation->fence && access->known && access->time > begin &&
            access->time <= member->end) {
            add_wait_for(kinds, operation, member, XTF_LABEL_early_fence, begin, access, UINT64_MAX);
            begin = access->time;
        }
        add_wait_for(kinds, operation, member, kind, MIN(begin, last.time), &last, instance);
    }
}

static void add_waits_of_shape(XtfKinds *kinds, const XtfWindowOperation *operation, XtfCollectiveSummary *summary,
                               XtfCollectiveShape shape)
{
    bool partial = xtf_collective_is_partial(summary, shape);
    bool together = shape == XTF_COLLECTIVE_BARRIER || (shape == XTF_COLLECTIVE_ALL_TO_ALL && !partial);
    XtfWindowArrival last = xtf_window_arrival(operation, &summary->last);
    uint64_t instance = together ? pass_barrier(kinds, operation, &last) : UINT64_MAX;
    XtfMemberTime earlier = {0};

    for (uint32_t i = 0; partial && i < operation->n; i++) {
        XtfCollectiveTimes times = xtf_window_times(&operation->members[i], i);
        xtf_collective_summary_add_partial(summary, &times);
    }
    for (uint32_t i = 0; i < operation->n; i++) {
        const XtfWindowMember *member = &operation->members[i];
        XtfCollectiveTimes times = xtf_window_times(member, i);
        uint64_t wait, completion;
        if (times.sends)
            xtf_member_time_latest(&earlier, i, times.begin);
        xtf_collective_waits(summary, shape, &times, earlier, &wait, &completion);
        if (member->mode & XTF_WINDOW_OUT_ALL && member->call)
            completion = 0; /* it follows the wait at the exit */
        const XtfMemberTime *last_member = shape == XTF_COLLECTIVE_FROM_ROOT            ? &summary->root
                                           : shape == XTF_COLLECTIVE_SCAN               ? &earlier
                                           : shape == XTF_COLLECTIVE_TO_ROOT || partial ? &summary->last_sender
                                                                                        : &summary->last;
        if (wait == 0 && completion == 0 && instance == UINT64_MAX)
            continue;
        XtfWindowArrival culprit = xtf_window_arrival(operation, last_member);
        add_member_wait(kinds, operation, member, xtf_collective_wait_kind(shape, false), times.begin,
                        times.begin + wait, &culprit, completion, instance);
    }
}

/* Adds the waits for memory that one thread allocates and announces (UPC: upc_all_alloc): earlier members wait for
 * that thread. */
static void add_allocation_waits(XtfKinds *kinds, const XtfWindowOperation *operation,
                                 const XtfCollectiveSummary *summary)
{
    XtfWindowArrival root = xtf_window_arrival(operation, &summary->root);

    for (uint32_t i = 0; i < operation->n; i++) {
        const XtfWindowMember *member = &operation->members[i];
        if (member->begin < root.time)
            add_wait_for(kinds, operation, member, XTF_LABEL_wait_alloc, member->begin, &root, UINT64_MAX);
    }
}

/* Adds the waits of an operation that moves data, by its mode if it has one. */
static void add_exchange_waits(XtfKinds *kinds, const XtfWindowOperation *operation, XtfCollectiveSummary *summary,
                               XtfCollectiveShape shape)
{
    uint32_t mode = operation->members[0].mode;
    bool has_mode = mode != 0 && shape != XTF_COLLECTIVE_BARRIER;
    bool needs_all = shape == XTF_COLLECTIVE_ALL_TO_ALL && !(mode & XTF_WINDOW_IN_NONE);

    if (shape != XTF_COLLECTIVE_SOME_TO_SOME && (!has_mode || needs_all))
        add_waits_of_shape(kinds, operation, summary, shape);
    if (has_mode)
        xtf_window_mode_waits(kinds, operation, summary, shape);
}

static void add_operation_waits(XtfKinds *kinds, const XtfWindowOperation *operation)
{
    XtfCollectiveSummary summary = {0};
    guint n_names = g_strv_length((char **)xtf_collective_operations);
    const char *name = operation->operation < n_names ? xtf_collective_operations[operation->operation] : "";
    XtfCollectiveShape shape = xtf_collective_shape(name);

    for (uint32_t i = 0; i < operation->n; i++) {
        XtfCollectiveTimes times = xtf_window_times(&operation->members[i], i);
        xtf_collective_summary_add(&summary, &times);
    }
    if (operation->fence)
        add_waits_for_last(kinds, operation, &summary, XTF_LABEL_wait_fence);
    else if (shape == XTF_COLLECTIVE_HANDLES && g_str_equal(name, "ALLOCATE") && summary.root.known)
        add_allocation_waits(kinds, operation, &summary);
    else if (shape == XTF_COLLECTIVE_HANDLES)
        add_waits_for_last(kinds, operation, &summary, xtf_collective_wait_kind(shape, g_str_has_prefix(name, "DE")));
    else if (shape != XTF_COLLECTIVE_UNKNOWN)
        add_exchange_waits(kinds, operation, &summary, shape);
}

/* ---- Rows one by one. */

static void handle_begin(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey key = {location->rows.number, 0, 0, 0};
    Begun *begun = xtf_kind_table_get(kinds->windows->begun, &key, sizeof *begun);
    XtfKindCall *call = xtf_kind_call_ref(xtf_kind_rows_call(&location->rows));

    xtf_kind_call_unref(begun->call);
    xtf_window_accesses_free(begun->accesses);
    *begun = (Begun){row->time, row->seq, call, NULL};
}

static void handle_end(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    XtfKindWindows *windows = kinds->windows;
    const XtfKindKey place = {location->rows.number, 0, 0, 0}, member_key = {row->window, location->process, 0, 0};
    Begun *begun = g_hash_table_lookup(windows->begun, &place);
    XtfKindKey key;
    XtfWindowOperation *operation = next_operation(kinds, location, row->window, &key);
    uint64_t *count = xtf_kind_table_get(windows->counts, &member_key, sizeof *count), rank;
    uint64_t proc = kinds->processes[location->process].proc;

    ++*count;
    if (!operation || !begun || !xtf_ranks_rank(kinds->ranks, operation->comm, proc, proc, &rank) ||
        rank >= operation->n || operation->members[rank].ended)
        return;
    XtfKindCall *call = xtf_kind_rows_call(&location->rows);
    XtfWindowMember *member = &operation->members[rank];
    *member = (XtfWindowMember){
        .ended = true,
        .mode = row->sync_level != UINT32_MAX ? row->sync_level / XTF_WINDOW_MODE : 0,
        .accesses = g_steal_pointer(&begun->accesses),
        .sends = row->sent != UINT64_MAX && row->sent > 0,
        .receives = row->received != UINT64_MAX && row->received > 0,
        .is_root = row->root == rank || row->root == (uint32_t)ROOT_IS_SELF,
        .location = location->rows.number,
        .begin = begun->time,
        .begin_seq = begun->seq,
        .end = row->time,
        .seq = row->seq,
        .row = row->row,
        .sent = row->sent,
        .call = xtf_kind_call_ref(call),
        .last = member->last,
    };
    bool fence = call && call->special == XTF_KIND_REGION_FENCE;
    operation->differs |=
        operation->n_ended > 0 && (operation->operation != row->operation || operation->fence != fence);
    operation->operation = row->operation;
    operation->fence = fence;
    if (++operation->n_ended < operation->n)
        return;
    if (!operation->differs)
        add_operation_waits(kinds, operation);
    windows->n_members -= operation->n;
    g_hash_table_remove(windows->operations, &key);
}

void xtf_kind_windows_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    if (row->row_event == XTF_KIND_ROW_WINDOW_BEGIN)
        handle_begin(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_WINDOW_END)
        handle_end(kinds, location, row);
    else if (row->row_event == XTF_KIND_ROW_OPERATION) {
        keep_access(kinds, location, row);
        handle_access(kinds, location, row);
    }
}

/* Ends the walk: an operation that some members have not ended is no wait. */
void xtf_kind_windows_finish(XtfKinds *kinds)
{
}
