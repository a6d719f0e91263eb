#include "src/pictures/findings/collective-calls.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"
#include "src/tables/totals/location-totals.h"
#include "src/trace/calls/open-frames.h"
#include "src/trace/calls/pending-call.h"

void xtf_call_numbers_add(XtfCallNumbers *numbers, uint64_t calls, uint64_t proc, uint64_t n)
{
    unsigned i = 0;

    while (i < 2 && numbers->members[i] > 0 && numbers->calls[i] != calls)
        i++;
    if (i == 2) {
        numbers->has_more_counts = true;
        return;
    }
    numbers->calls[i] = calls;
    numbers->procs[i] = proc;
    numbers->members[i] += n;
    numbers->proc_xor ^= proc;
}

/* State of counting the calls of one process after the other. */
typedef struct {
    XtfCollectiveCalls *calls;
    const XtfProcessEnds *ends;
    XtfAggregateRef ref; /* totals of operations by event, region and communicator */
    uint64_t end;        /* label of the event that ends an operation */
    int *function_of;    /* by region: 1 + index in xtf_collective_functions; 0: not looked up; -1: not in that list */
    GHashTable *process_counts; /* Count by communicator and function */
} Counting;

typedef struct {
    uint64_t key, calls, region;
} Count;

static void counting_clear(Counting *counting)
{
    g_clear_pointer(&counting->function_of, g_free);
    g_clear_pointer(&counting->process_counts, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Counting, counting_clear)

/* Sets *function to the index of a region's function in xtf_collective_functions, or to -1. */
static bool find_function(Counting *counting, uint64_t region, int *function, GError **error)
{
    const XtfNameIndex *regions = xtf_trace_context_regions(counting->ends->job->views->context, error);

    *function = -1;
    if (!regions)
        return false;
    if (region >= regions->n_rows || !regions->texts)
        return true;
    if (!counting->function_of)
        counting->function_of = g_new0(int, regions->n_rows + 1);
    int *cached = &counting->function_of[region];
    if (*cached == 0) {
        int index = xtf_mpi_function_find(regions->texts[region], xtf_collective_functions);
        *cached = index < 0 ? -1 : index + 1;
    }
    *function = *cached < 0 ? -1 : *cached - 1;
    return true;
}

static bool add_calls(Counting *counting, uint64_t comm, uint64_t region, uint64_t n, GError **error)
{
    int function;

    if (!find_function(counting, region, &function, error))
        return false;
    if (function < 0 || comm > UINT32_MAX)
        return true;
    uint64_t key = comm * XTF_COLLECTIVE_FUNCTIONS + (uint64_t)function;
    Count *count = g_hash_table_lookup(counting->process_counts, &key);
    if (!count) {
        count = g_new0(Count, 1);
        count->key = key;
        g_hash_table_add(counting->process_counts, count);
    }
    count->calls += n;
    count->region = region;
    return true;
}

/* Adds the operations that one location has ended. */
static bool add_ended(Counting *counting, XtfLocationTotals *totals, const XtfLocationArrays *arrays, GError **error)
{
    const XtfAggregateRef *ref = &counting->ref;

    if (totals->groups)
        xtf_group_totals_clear(totals->groups);
    if (!xtf_location_totals_add_window(totals, arrays, error))
        return false;
    for (uint32_t i = 0; totals->groups && i < xtf_group_totals_n(totals->groups); i++) {
        const uint64_t *key = xtf_group_totals_key(totals->groups, i);
        if (key[ref->event] == counting->end &&
            !xtf_key_is_none(xtf_aggregate_ref_key(ref, ref->comm), key[ref->comm]) &&
            !add_calls(counting, key[ref->comm], key[ref->region],
                       xtf_group_totals_cells(totals->groups, i)[XTF_GROUP_ROWS], error))
            return false;
    }
    return true;
}

/* Adds the call in which the records of one location end. */
static bool add_pending(Counting *counting, const XtfLocationArrays *arrays, const XtfSchema *calls, GError **error)
{
    const XtfSchema *pending = counting->ends->pending;
    const XtfField *comm = pending ? xtf_schema_field_by_role(pending, XTF_ROLE_COMM) : NULL;
    const XtfField *region = pending ? xtf_schema_field_by_role(pending, XTF_ROLE_REGION) : NULL;

    XtfPendingCall call;

    if (!xtf_pending_call_find(arrays, pending, calls, &call, error))
        return false;
    if (!call.array || !comm || !region)
        return true;
    g_autofree uint8_t *row = g_malloc(pending->row_size);
    if (!xtf_array_row(call.array, call.n, row, error))
        return false;
    return xtf_field_is_none(comm, row) || xtf_field_is_none(region, row) ||
           add_calls(counting, xtf_field_get(comm, row), xtf_field_get(region, row), 1, error);
}

/* Sets *is_open if the records of a location end in a call of MPI after which it may have made more calls. */
static bool check_open_calls(const Counting *counting, const XtfLocationArrays *arrays, const XtfAggregateRef *frames,
                             bool *is_open, GError **error)
{
    const XtfFindingJob *job = counting->ends->job;
    g_auto(XtfOpenFrames) open = {0};

    if (!xtf_open_frames_at_end(&open, arrays, frames, error))
        return false;
    for (uint32_t i = 0; i < open.n; i++) {
        g_autofree char *name = xtf_process_end_region(counting->ends, open.frames[i].key, error);
        if (!name)
            return false;
        XtfRegionClass class = xtf_region_classes_of(job->classes, open.frames[i].key);
        *is_open |= !(XTF_CLASS_BIT(class) & XTF_CLASSES_USEFUL) && xtf_mpi_function_bound(name) != XTF_MPI_ENDS;
    }
    return true;
}

/* Moves the counts of a process to the counts of the communicators. */
static void move_process_counts(Counting *counting, uint64_t proc)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, counting->process_counts);
    while (g_hash_table_iter_next(&iter, &value, NULL)) {
        const Count *count = value;
        uint64_t comm = count->key / XTF_COLLECTIVE_FUNCTIONS;
        XtfCommCalls *calls = g_hash_table_lookup(counting->calls->comms, &comm);
        if (!calls) {
            calls = g_new0(XtfCommCalls, 1);
            calls->comm = comm;
            g_hash_table_add(counting->calls->comms, calls);
        }
        XtfCallNumbers *numbers = &calls->functions[count->key % XTF_COLLECTIVE_FUNCTIONS];
        xtf_call_numbers_add(numbers, count->calls, proc, 1);
        numbers->region = count->region;
    }
    g_hash_table_remove_all(counting->process_counts);
}

static bool count_all_calls(Counting *counting, XtfLocationTotals *totals, const XtfAggregateRef *frames,
                            GError **error)
{
    const XtfFindingJob *job = counting->ends->job;
    g_auto(XtfLocationArrays) arrays = {0};

    for (uint32_t i = 0; i < job->locations.n_procs; i++) {
        const XtfSelectedProcess *proc = &job->locations.procs[i];
        for (uint32_t j = proc->first; j < proc->first + proc->n; j++) {
            const XtfLocation *location = xtf_selected_location(&job->locations, j);
            if (!xtf_location_arrays_load(&arrays, job->views->context, location, error) ||
                !add_ended(counting, totals, &arrays, error) || !add_pending(counting, &arrays, frames->schema, error))
                return false;
            if (!xtf_location_arrays_find(&arrays, frames->schema))
                continue;
            counting->calls->has_calls[i] = true;
            if (!check_open_calls(counting, &arrays, frames, &counting->calls->is_open[i], error))
                return false;
        }
        move_process_counts(counting, proc->proc);
    }
    return true;
}

/* Finds the totals from which calls are counted; false if the trace has none. */
static bool find_call_totals(Counting *counting, XtfAggregateRef *frames)
{
    const XtfTraceContext *context = counting->ends->job->views->context;
    XtfAggregateRef *ref = &counting->ref;

    if (!xtf_aggregate_ref_frames(frames, context) || !xtf_aggregate_ref_groups(ref, context, XTF_RECORD_COLLECTIVES) ||
        ref->event == XTF_KEY_NONE || ref->region == XTF_KEY_NONE || ref->comm == XTF_KEY_NONE)
        return false;
    const XtfField *event = xtf_aggregate_ref_key(ref, ref->event);
    for (uint32_t i = 0; i < event->n_labels; i++) {
        counting->end = i;
        if (g_str_equal(event->labels[i], XTF_EVENT_COLLECTIVE_END))
            return true;
    }
    return false;
}

bool xtf_collective_calls_init(XtfCollectiveCalls *calls, const XtfProcessEnds *ends, GError **error)
{
    const XtfFindingJob *job = ends->job;
    g_auto(Counting) counting = {.calls = calls, .ends = ends};
    g_auto(XtfLocationTotals) totals = {0};
    XtfAggregateRef frames;

    *calls = (XtfCollectiveCalls){.comms = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
                                  .has_calls = g_new0(bool, job->locations.n_procs + 1),
                                  .is_open = g_new0(bool, job->locations.n_procs + 1)};
    counting.process_counts = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (!find_call_totals(&counting, &frames))
        return true;
    unsigned depth = MAX(MAX(counting.ref.event, counting.ref.region), counting.ref.comm) + 1;
    return xtf_location_totals_init(&totals, job->views->context, job->selection, &counting.ref, depth, error) &&
           count_all_calls(&counting, &totals, &frames, error);
}

void xtf_collective_calls_finish(XtfCollectiveCalls *calls)
{
    g_clear_pointer(&calls->comms, g_hash_table_unref);
    g_clear_pointer(&calls->has_calls, g_free);
    g_clear_pointer(&calls->is_open, g_free);
}
