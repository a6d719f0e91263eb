#include "src/tables/iterations/iterations.h"

#include <inttypes.h>

#include "libxtf/aggregates.h"
#include "libxtf/spans.h"
#include "src/tables/iterations/marker.h"

void xtf_iterations_init(XtfIterations *iterations, XtfFormats *formats)
{
    *iterations = (XtfIterations){.formats = formats};
    g_mutex_init(&iterations->lock);
    g_mutex_init(&iterations->latest_lock);
}

static void free_marker_calls(XtfIterations *iterations)
{
    g_clear_pointer(&iterations->threads, g_free);
    g_clear_pointer(&iterations->calls, g_free);
    g_clear_pointer(&iterations->latest, g_free);
    g_clear_pointer(&iterations->matcher, xtf_matcher_free);
}

void xtf_iterations_finish(XtfIterations *iterations)
{
    free_marker_calls(iterations);
    g_mutex_clear(&iterations->latest_lock);
    g_mutex_clear(&iterations->lock);
}

/* Finds the spans of the marker's calls in all processes. */
static bool find_marker_calls(XtfIterations *iterations, GError **error)
{
    XtfTraceContext *context = iterations->formats->context;
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    g_auto(XtfLocationArrays) arrays = {0};
    XtfAggregateRef frames;

    xtf_aggregate_ref_frames(&frames, context);
    iterations->matcher = xtf_marker_matcher(context, iterations->region, frames.schema, error);
    if (!locations || !iterations->matcher)
        return false;
    iterations->calls = g_new0(XtfSpan, iterations->n_procs);
    iterations->latest = g_new0(XtfSpanMark, iterations->n_procs);
    for (uint32_t i = 0; i < iterations->n_procs; i++) {
        const XtfLocation *location = &locations->all[iterations->threads[i]];
        XtfSpan *calls = &iterations->calls[i];
        if (!xtf_location_arrays_load(&arrays, context, location, error))
            return false;
        const XtfArray *array = xtf_location_arrays_find(&arrays, frames.schema);
        if (!array || !xtf_marker_span(calls, array, iterations->matcher, location->proc, error))
            return array ? false : xtf_damaged(error, "process %" PRIu64 " has no calls", location->proc);
        xtf_sweep_take(NULL, &calls->array); /* the span is asked later */
        if (calls->hi - calls->lo != iterations->n_calls)
            return xtf_damaged(error, "process %" PRIu64 " has other calls than its totals say", location->proc);
    }
    return true;
}

static bool find_main_loop(XtfIterations *iterations, GError **error)
{
    XtfTraceContext *context = iterations->formats->context;
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    XtfMarker marker;

    if (!locations)
        return false;
    if (xtf_trace_context_final(context) != UINT64_MAX)
        return true;
    if (!xtf_marker_find(&marker, iterations->formats, error))
        return false;
    if (marker.n_calls == 0)
        return true;
    iterations->region = marker.region;
    iterations->is_call = marker.is_call;
    iterations->n_calls = marker.n_calls;
    iterations->n_procs = locations->n_procs;
    iterations->threads = marker.threads;
    if (!find_marker_calls(iterations, error))
        return false;
    iterations->n = marker.n_calls - !marker.is_call;
    return true;
}

bool xtf_iterations_load(XtfIterations *iterations, GError **error)
{
    bool good = true;

    if (g_atomic_int_get(&iterations->is_loaded))
        return true;
    g_mutex_lock(&iterations->lock);
    if (!iterations->is_loaded) {
        good = find_main_loop(iterations, error);
        if (good)
            g_atomic_int_set(&iterations->is_loaded, 1);
        else
            free_marker_calls(iterations);
    }
    g_mutex_unlock(&iterations->lock);
    return good;
}

/* Finds the row of call k of the marker, from the call that was asked last. */
static bool find_call(XtfIterations *iterations, uint32_t process, uint64_t k, uint64_t *row, GError **error)
{
    const XtfSpan *calls = &iterations->calls[process];

    g_mutex_lock(&iterations->latest_lock);
    XtfSpanMark mark = iterations->latest[process];
    g_mutex_unlock(&iterations->latest_lock);
    if (!xtf_span_find_row(calls, &mark, calls->lo + k, row, error))
        return false;
    g_mutex_lock(&iterations->latest_lock);
    iterations->latest[process] = mark;
    g_mutex_unlock(&iterations->latest_lock);
    return true;
}

static bool find_iteration_begin(XtfIterations *iterations, uint32_t process, uint64_t k, uint64_t *from,
                                 GError **error)
{
    uint64_t row;

    return find_call(iterations, process, k, &row, error) &&
           xtf_array_time(&iterations->calls[process].array, row, from, error);
}

/* Finds the time after call k of the marker. A call that is never left has no end. */
static bool find_call_end(XtfIterations *iterations, uint32_t process, uint64_t k, uint64_t *to, GError **error)
{
    const XtfSpan *calls = &iterations->calls[process];
    uint64_t row, end;
    XtfSpan rows;

    if (!find_call(iterations, process, k, &row, error) ||
        !xtf_array_frame_end(&calls->array, calls->aggregate, row, &end, error))
        return false;
    xtf_span_init(&rows, &calls->array);
    if (end >= calls->array.n_rows) {
        *to = XTF_TIME_OPEN;
        return true;
    }
    if (!xtf_span_time(&rows, end, to, error))
        return false;
    ++*to;
    return true;
}

static bool find_iteration_end(XtfIterations *iterations, uint32_t process, uint64_t k, uint64_t *to, GError **error)
{
    return k + 1 < iterations->n_calls ? find_iteration_begin(iterations, process, k + 1, to, error)
                                       : find_call_end(iterations, process, k, to, error);
}

bool xtf_iterations_window(XtfIterations *iterations, uint32_t process, uint64_t k, uint64_t end, uint64_t *from,
                           uint64_t *to, GError **error)
{
    return find_iteration_begin(iterations, process, k, from, error) &&
           find_iteration_end(iterations, process, end - 1, to, error);
}

XtfLocationWindows *xtf_iterations_windows(XtfIterations *iterations, uint64_t k, uint64_t end, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(iterations->formats->context, error);
    char *name = g_strdup_printf("iter%" PRIu64 "-%" PRIu64, k, end);
    g_autoptr(XtfLocationWindows) windows = xtf_location_windows_new(name, locations);
    uint64_t from, to;
    uint32_t location = 0;

    for (uint32_t i = 0; i < iterations->n_procs; i++) {
        if (!xtf_iterations_window(iterations, i, k, end, &from, &to, error))
            return NULL;
        for (; location < locations->n && locations->all[location].proc == locations->procs[i]; location++) {
            windows->all[location].from = from;
            windows->all[location].to = to;
        }
    }
    return g_steal_pointer(&windows);
}
