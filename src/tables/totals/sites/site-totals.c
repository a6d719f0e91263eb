#include "src/tables/totals/sites/site-totals.h"

#include <string.h>

#include "libxtf/aggregates.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/message-totals.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tables/totals/sites/site-sweep.h"
#include "src/trace/select/location-arrays.h"
#include "src/trace/select/parallel.h"

enum {
    LOCATIONS_AT_ONCE = 64, /* most locations per step of a thread */
    LEAST_STEPS = 16,       /* least number of steps, which shrinks the steps of few locations */
};

bool xtf_site_totals_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    XtfAggregateRef by_site;

    return !selection->base && xtf_aggregate_ref_frames_by_site(&by_site, context) &&
           xtf_selection_may_have(selection, by_site.schema);
}

/* ---- Requests, which threads share. */

typedef struct {
    XtfTraceContext *context;
    const XtfSelection *selection;
    const XtfSelectedLocations *selected;
    XtfAggregateRef by_site;
    XtfAggregateRef moved[XTF_N_MOVED]; /* record types whose bytes are added; all zeros: none */
    XtfSiteTotals *totals;
} Request;

/* A thread's totals. */
typedef struct {
    XtfSiteTotal *all;
    unsigned __int128 whole;
    XtfLocationArrays arrays;
    XtfGroupTotals *groups;
} ThreadTotals;

static void *begin_site_totals(void *data)
{
    const Request *request = data;
    ThreadTotals *totals = g_new0(ThreadTotals, 1);

    totals->all = g_new0(XtfSiteTotal, request->totals->sites->n + 1);
    totals->groups = xtf_group_totals_new(request->by_site.aggregate, 1);
    return totals;
}

static void join_site_totals(void *thread_data, void *data)
{
    ThreadTotals *from = thread_data;
    XtfSiteTotals *to = ((const Request *)data)->totals;

    to->whole += from->whole;
    for (uint64_t i = 0; i < to->sites->n; i++) {
        to->all[i].calls += from->all[i].calls;
        to->all[i].longest = MAX(to->all[i].longest, from->all[i].longest);
        to->all[i].sent += from->all[i].sent;
        to->all[i].received += from->all[i].received;
        to->all[i].time += from->all[i].time;
    }
    xtf_location_arrays_finish(&from->arrays);
    xtf_group_totals_free(from->groups);
    g_free(from->all);
    g_free(from);
}

/* ---- Calls and their times. */

/* Computes the part of the window in which the location has records. */
static bool measure_window(const Request *request, const XtfLocationArrays *arrays, const XtfArray *calls,
                           uint64_t *ticks, GError **error)
{
    const XtfSelection *selection = request->selection;
    uint64_t from = MAX(xtf_clock_map_to_local(calls->clock, selection->time_from), arrays->local_first);
    uint64_t to = MIN(xtf_clock_map_to_local(calls->clock, selection->time_to), arrays->local_last);
    uint64_t gaps;

    *ticks = 0;
    if (!xtf_location_gap_ticks(arrays, true, from, to, &gaps, error))
        return false;
    *ticks = to > from ? to - from - gaps : 0;
    return true;
}

static bool add_times(const Request *request, ThreadTotals *totals, const XtfArray *calls, GError **error)
{
    const XtfLocationArrays *arrays = &totals->arrays;
    const XtfSelection *selection = request->selection;
    uint64_t ticks;

    xtf_group_totals_clear(totals->groups);
    if (!measure_window(request, arrays, calls, &ticks, error) ||
        !xtf_array_profile(calls, request->by_site.number, selection->time_from, selection->time_to,
                           arrays->local_first, arrays->local_last, totals->groups, error))
        return false;
    totals->whole += ticks;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals->groups); i++) {
        uint64_t site = *xtf_group_totals_key(totals->groups, i);
        const uint64_t *cells = xtf_group_totals_cells(totals->groups, i);
        if (site >= request->totals->sites->n)
            continue;
        totals->all[site].calls += cells[XTF_FRAMES_BEGUN];
        totals->all[site].time += cells[XTF_FRAMES_INCLUSIVE];
        totals->all[site].longest = MAX(totals->all[site].longest, cells[XTF_FRAMES_LONGEST]);
    }
    return true;
}

/* ---- Bytes. */

/* Finds the rows of an array in the window. */
static bool find_rows(const XtfSelection *selection, const XtfArray *array, uint64_t *from, uint64_t *to,
                      GError **error)
{
    *to = array->n_rows;
    return xtf_array_rank(array, selection->time_from, from, error) &&
           (selection->time_to > array->last || xtf_array_rank(array, selection->time_to, to, error));
}

/* True if the rows of an event have the bytes of an operation. */
static bool has_bytes(const XtfAggregateRef *ref, unsigned moved, const uint8_t *row)
{
    const XtfField *event = xtf_aggregate_ref_key(ref, ref->event);
    uint64_t value = xtf_field_get(event, row);

    return moved != XTF_MOVED_COLLECTIVES ||
           (value < event->n_labels && (g_str_equal(event->labels[value], XTF_EVENT_COLLECTIVE_END) ||
                                        g_str_equal(event->labels[value], XTF_EVENT_COLLECTIVE_COMPLETE)));
}

/* Returns the value of a cell's field in a row; 0 if the row has none. */
static uint64_t cell_value(const XtfAggregateRef *ref, unsigned cell, const uint8_t *row)
{
    const XtfField *field = cell ? xtf_aggregate_ref_value(ref, cell) : NULL;

    return xtf_field_get_or(field, row, 0);
}

/* Adds the bytes of the rows [from, to) of an array. */
static bool add_row_bytes(const Request *request, ThreadTotals *totals, unsigned moved, XtfSiteSweep *sweep,
                          const XtfArray *array, uint64_t from, uint64_t to, GError **error)
{
    const XtfAggregateRef *ref = &request->moved[moved];
    const XtfField *seq = xtf_schema_field_by_role(array->schema, XTF_ROLE_SEQ);
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!seq)
        return true;
    if (!xtf_cursor_seek_n(&cursor, from, &found, error))
        return false;
    while (found && cursor.n < to) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        uint32_t site;
        if (!xtf_site_sweep_find(sweep, xtf_field_get(seq, row), &site, error))
            return false;
        if (site < request->totals->sites->n && has_bytes(ref, moved, row)) {
            uint64_t bytes = cell_value(ref, ref->bytes, row);
            totals->all[site].sent += moved == XTF_MOVED_RECVS ? 0 : bytes;
            totals->all[site].received += moved == XTF_MOVED_RECVS ? bytes : cell_value(ref, ref->received, row);
        }
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

static bool add_bytes(const Request *request, ThreadTotals *totals, unsigned moved, const XtfArray *calls,
                      GError **error)
{
    const XtfArray *array = xtf_location_arrays_find(&totals->arrays, request->moved[moved].schema);
    g_auto(XtfSiteSweep) sweep = {0};
    uint64_t first_call, from, to;

    if (!array)
        return true;
    return xtf_array_rank(calls, request->selection->time_from, &first_call, error) &&
           find_rows(request->selection, array, &from, &to, error) &&
           xtf_site_sweep_init(&sweep, calls, &request->by_site, first_call, error) &&
           add_row_bytes(request, totals, moved, &sweep, array, from, to, error);
}

/* ---- All locations. */

static bool add_locations(void *thread_data, void *data, uint32_t first, uint32_t end, GError **error)
{
    const Request *request = data;
    ThreadTotals *totals = thread_data;

    for (uint32_t i = first; i < end; i++) {
        const XtfLocation *location = xtf_selected_location(request->selected, i);
        if (!xtf_location_arrays_load(&totals->arrays, request->context, location, error))
            return false;
        const XtfArray *calls = xtf_location_arrays_find(&totals->arrays, request->by_site.schema);
        if (!calls)
            continue;
        if (!add_times(request, totals, calls, error))
            return false;
        for (unsigned moved = 0; moved < XTF_N_MOVED; moved++) {
            if (request->moved[moved].schema && !add_bytes(request, totals, moved, calls, error))
                return false;
        }
    }
    return true;
}

bool xtf_site_totals_load(XtfSiteTotals *totals, XtfTraceContext *context, const XtfSelection *selection, unsigned set,
                          GError **error)
{
    XtfParallelWork work = {.begin = begin_site_totals, .work = add_locations, .join = join_site_totals};
    g_auto(XtfSelectedLocations) selected = {0};
    Request request = {.context = context, .selection = selection, .selected = &selected, .totals = totals};

    *totals = (XtfSiteTotals){.sites = xtf_trace_context_sites(context, error)};
    if (!totals->sites || !xtf_selected_locations_init(&selected, context, selection, error))
        return false;
    totals->all = g_new0(XtfSiteTotal, totals->sites->n + 1);
    xtf_aggregate_ref_frames_by_site(&request.by_site, context);
    if (set & XTF_SITE_BYTES)
        xtf_message_totals_find(context, request.moved);
    work.step = CLAMP(selected.n / LEAST_STEPS, 1, LOCATIONS_AT_ONCE);
    return xtf_parallel(&work, &request, selected.n, error) &&
           (!(set & XTF_SITE_WAITS) || xtf_site_waits_add(totals, context, selection, error));
}

void xtf_site_totals_finish(XtfSiteTotals *totals)
{
    g_clear_pointer(&totals->all, g_free);
}
