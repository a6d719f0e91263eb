#include "src/query/views/selected-locations.h"

#include <string.h>

static void add_proc(XtfSelectedLocations *roster, uint64_t proc, uint32_t first)
{
    if (roster->n_procs && roster->procs[roster->n_procs - 1].proc == proc) {
        roster->procs[roster->n_procs - 1].n++;
        return;
    }
    roster->procs[roster->n_procs++] = (XtfSelectedProcess){proc, first, 1};
}

static void add_range(XtfSelectedLocations *roster, const XtfSelection *selection, XtfNumberRange range)
{
    const XtfLocations *locations = roster->locations;

    for (uint32_t i = xtf_locations_of_proc(locations, range.first); i < locations->n; i++) {
        const XtfLocation *location = &locations->all[i];
        if (location->proc > range.last)
            break;
        if (!xtf_number_set_contains(selection->threads, location->thread))
            continue;
        add_proc(roster, location->proc, roster->n_places);
        roster->places[roster->n_places++] = i;
    }
}

bool xtf_selected_locations_init(XtfSelectedLocations *roster, XtfTraceContext *context, const XtfSelection *selection,
                                 GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    const XtfNumberSet *procs = selection->procs;

    memset(roster, 0, sizeof *roster);
    if (!locations)
        return false;
    roster->locations = locations;
    roster->places = g_new(uint32_t, locations->n);
    roster->procs = g_new(XtfSelectedProcess, locations->n_procs);
    if (!procs)
        add_range(roster, selection, (XtfNumberRange){0, UINT64_MAX});
    for (unsigned i = 0; procs && i < procs->n_ranges; i++)
        add_range(roster, selection, procs->ranges[i]);
    return true;
}

void xtf_selected_locations_finish(XtfSelectedLocations *roster)
{
    g_clear_pointer(&roster->places, g_free);
    g_clear_pointer(&roster->procs, g_free);
}

/* ---- What locations have. */

void xtf_location_arrays_finish(XtfLocationArrays *holding)
{
    g_clear_pointer(&holding->arrays, g_free);
}

bool xtf_location_arrays_load(XtfLocationArrays *holding, const XtfTraceContext *context, const XtfLocation *location,
                              GError **error)
{
    uint32_t n = (uint32_t)MIN(location->n_arrays, (uint64_t)XTF_SCHEMAS_MAX);

    if (n > holding->room) {
        holding->room = n;
        holding->arrays = g_renew(XtfArray, holding->arrays, n);
    }
    if (n && !xtf_trace_get_arrays(context->trace, location->first_array, n, holding->arrays, error))
        return false;
    holding->location = location;
    holding->n = n;
    holding->first = UINT64_MAX;
    holding->last = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!xtf_trace_context_is_record(context, holding->arrays[i].schema->id))
            continue;
        holding->first = MIN(holding->first, holding->arrays[i].first);
        holding->last = MAX(holding->last, holding->arrays[i].last);
    }
    return true;
}

const XtfArray *xtf_location_arrays_array(const XtfLocationArrays *holding, const XtfSchema *schema)
{
    for (uint32_t i = 0; schema && i < holding->n; i++) {
        if (holding->arrays[i].schema == schema)
            return &holding->arrays[i];
    }
    return NULL;
}

bool xtf_rows_in_window(const XtfArray *array, uint64_t a, uint64_t b, uint64_t *lo, uint64_t *hi, GError **error)
{
    uint64_t from = 0, to = array->n_rows;

    if (a > array->first && !xtf_array_rank_within(array, a, 0, array->n_rows, &from, error))
        return false;
    if (b <= array->last && b != XTF_TIME_OPEN && !xtf_array_rank_within(array, b, from, array->n_rows, &to, error))
        return false;
    *lo = from;
    *hi = MAX(from, to);
    return true;
}
