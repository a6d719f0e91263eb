#include "src/trace/select/location-arrays.h"

enum {
    ARRAYS_AHEAD = 64,
    LOCATIONS_KEPT = 2048, /* locations whose pages the trace's cache keeps; a sweep reads the locations after them */
};

void xtf_location_arrays_finish(XtfLocationArrays *arrays)
{
    g_clear_pointer(&arrays->readable, g_array_unref);
    g_clear_pointer(&arrays->ahead, g_free);
    g_clear_pointer(&arrays->sweep, xtf_sweep_free);
    arrays->n_ahead = arrays->room = 0;
}

void xtf_location_arrays_expect_many(XtfLocationArrays *arrays)
{
    arrays->n_loaded = LOCATIONS_KEPT - 1;
}

static bool look_up_arrays(XtfLocationArrays *arrays, XtfTrace *trace, uint64_t rank, uint32_t n, GError **error)
{
    if (n > arrays->room) {
        arrays->room = n;
        arrays->ahead = g_renew(XtfArray, arrays->ahead, n);
    }
    arrays->n_ahead = 0;
    if (n > 0 && !xtf_trace_get_arrays(trace, rank, n, arrays->ahead, error))
        return false;
    arrays->ahead_first = rank;
    arrays->n_ahead = n;
    if (arrays->sweep)
        for (uint32_t i = 0; i < n; i++)
            xtf_sweep_take(arrays->sweep, &arrays->ahead[i]);
    return true;
}

/* Looks up n arrays from a rank on, and more if they are next in turn. If one of the further arrays is damaged, looks
 * up the n alone. */
static bool look_up_next_arrays(XtfLocationArrays *arrays, XtfTrace *trace, uint64_t rank, uint32_t n, GError **error)
{
    uint64_t left = xtf_trace_n_arrays(trace) - MIN(rank, xtf_trace_n_arrays(trace));
    uint64_t ahead = MIN(left, (uint64_t)ARRAYS_AHEAD);
    bool in_turn = arrays->n_ahead > 0 && rank >= arrays->ahead_first && rank - arrays->ahead_first <= arrays->n_ahead;

    return (in_turn && ahead > n && look_up_arrays(arrays, trace, rank, (uint32_t)ahead, NULL)) ||
           look_up_arrays(arrays, trace, rank, n, error);
}

static bool are_all_readable(const XtfArray *arrays, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!xtf_array_is_supported(&arrays[i], NULL))
            return false;
    return true;
}

/* Drops the arrays that this version cannot read. */
static void drop_refused(XtfLocationArrays *arrays)
{
    if (are_all_readable(arrays->all, arrays->n))
        return;
    if (!arrays->readable)
        arrays->readable = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    g_array_set_size(arrays->readable, 0);
    for (uint32_t i = 0; i < arrays->n; i++)
        if (xtf_array_is_supported(&arrays->all[i], NULL))
            g_array_append_val(arrays->readable, arrays->all[i]);
    arrays->all = (XtfArray *)(void *)arrays->readable->data;
    arrays->n = arrays->readable->len;
}

/* Extends the last times of a process that has not ended to the time up to which the trace is complete. So an open call
 * lasts until now, and later commits do not change windows before that time. */
static void extend_to_complete(XtfLocationArrays *arrays, const XtfTraceContext *context)
{
    uint64_t complete = xtf_trace_context_final(context);
    const XtfClockMap *clock = arrays->n > 0 ? arrays->all[0].clock : NULL;

    if (arrays->first > arrays->last || complete == UINT64_MAX || complete <= arrays->last)
        return;
    arrays->last = complete;
    arrays->local_last = MAX(arrays->local_last, xtf_clock_map_to_local(clock, complete));
}

bool xtf_location_arrays_load(XtfLocationArrays *arrays, const XtfTraceContext *context, const XtfLocation *location,
                              GError **error)
{
    uint32_t n = (uint32_t)MIN(location->n_arrays, (uint64_t)XTF_SCHEMAS_MAX);
    uint64_t rank = location->first_array;

    if (++arrays->n_loaded == LOCATIONS_KEPT) {
        arrays->sweep = xtf_sweep_new(context->trace);
        arrays->n_ahead = 0;
    }
    bool is_loaded = rank >= arrays->ahead_first && rank - arrays->ahead_first <= arrays->n_ahead &&
                     n <= arrays->n_ahead - (rank - arrays->ahead_first);
    if (n > 0 && !is_loaded && !look_up_next_arrays(arrays, context->trace, rank, n, error))
        return false;
    arrays->location = location;
    arrays->all = n > 0 ? arrays->ahead + (rank - arrays->ahead_first) : NULL;
    arrays->n = n;
    drop_refused(arrays);
    arrays->gaps = &context->gaps;
    arrays->first = arrays->local_first = UINT64_MAX;
    arrays->last = arrays->local_last = 0;
    for (uint32_t i = 0; i < arrays->n; i++) {
        const XtfArray *array = &arrays->all[i];
        if (!xtf_trace_context_is_record(context, array->schema->id))
            continue;
        arrays->first = MIN(arrays->first, array->first);
        arrays->last = MAX(arrays->last, array->last);
        arrays->local_first = MIN(arrays->local_first, array->local_first);
        arrays->local_last = MAX(arrays->local_last, array->local_last);
    }
    if (location->grows)
        extend_to_complete(arrays, context);
    return true;
}

/* ---- Gaps. */

/* Finds the last time before `middle` and the first time from it on. Leaves *gap alone where the array has none. */
static bool find_gap_of_array(const XtfArray *array, uint64_t middle, XtfRunGap *gap, GError **error)
{
    uint64_t n, t;

    if (!xtf_array_rank(array, middle, &n, error))
        return false;
    if (n > 0) {
        if (!xtf_array_time(array, n - 1, &t, error))
            return false;
        gap->end = MAX(gap->end, t);
    }
    if (n < array->n_rows) {
        if (!xtf_array_time(array, n, &t, error))
            return false;
        gap->begin = MIN(gap->begin, t);
    }
    return true;
}

bool xtf_location_gap(const XtfLocationArrays *arrays, uint32_t i, XtfRunGap *gap, bool *exists, GError **error)
{
    uint64_t middle = xtf_run_gap_middle(&arrays->gaps->all[i]);

    *gap = (XtfRunGap){.end = 0, .begin = UINT64_MAX};
    *exists = arrays->first < middle && arrays->last >= middle;
    for (uint32_t a = 0; *exists && a < arrays->n; a++)
        if (arrays->all[a].schema->kind == XTF_SCHEMA_RECORD && !find_gap_of_array(&arrays->all[a], middle, gap, error))
            return false;
    return true;
}

bool xtf_location_gap_ticks(const XtfLocationArrays *arrays, bool local, uint64_t from, uint64_t to, uint64_t *ticks,
                            GError **error)
{
    const XtfClockMap *clock = local && arrays->n > 0 ? arrays->all[0].clock : NULL;

    *ticks = 0;
    for (uint32_t i = 0; from < to && i < arrays->gaps->n; i++) {
        uint64_t middle = xtf_run_gap_middle(&arrays->gaps->all[i]);
        XtfRunGap gap;
        bool exists;
        if (!xtf_location_gap(arrays, i, &gap, &exists, error))
            return false;
        uint64_t end = exists ? xtf_clock_map_to_local(clock, gap.end) : middle;
        uint64_t begin = exists ? xtf_clock_map_to_local(clock, gap.begin) : middle;
        end = MAX(end, from);
        begin = MIN(begin, to);
        *ticks += begin > end ? begin - end : 0;
    }
    return true;
}

const XtfArray *xtf_location_arrays_find(const XtfLocationArrays *arrays, const XtfSchema *schema)
{
    for (uint32_t i = 0; schema && i < arrays->n; i++) {
        if (arrays->all[i].schema == schema)
            return &arrays->all[i];
    }
    return NULL;
}
