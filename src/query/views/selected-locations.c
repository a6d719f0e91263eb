#include "src/query/views/selected-locations.h"

#include <string.h>

static void add_proc(XtfSelectedLocations *selected, uint64_t proc, uint32_t first)
{
    if (selected->n_procs && selected->procs[selected->n_procs - 1].proc == proc) {
        selected->procs[selected->n_procs - 1].n++;
        return;
    }
    selected->procs[selected->n_procs++] = (XtfSelectedProcess){proc, first, 1};
}

static void add_range(XtfSelectedLocations *selected, const XtfSelection *selection, XtfNumberRange range)
{
    const XtfLocations *locations = selected->locations;

    for (uint32_t i = xtf_locations_of_proc(locations, range.first); i < locations->n; i++) {
        const XtfLocation *location = &locations->all[i];
        if (location->proc > range.last)
            break;
        if (!xtf_number_set_contains(selection->threads, location->thread))
            continue;
        add_proc(selected, location->proc, selected->n);
        selected->indices[selected->n++] = i;
    }
}

bool xtf_selected_locations_init(XtfSelectedLocations *selected, XtfTraceContext *context,
                                 const XtfSelection *selection, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    const XtfNumberSet *procs = selection->procs;

    memset(selected, 0, sizeof *selected);
    if (!locations)
        return false;
    selected->locations = locations;
    selected->indices = g_new(uint32_t, locations->n);
    selected->procs = g_new(XtfSelectedProcess, locations->n_procs);
    if (!procs)
        add_range(selected, selection, (XtfNumberRange){0, UINT64_MAX});
    for (unsigned i = 0; procs && i < procs->n_ranges; i++)
        add_range(selected, selection, procs->ranges[i]);
    return true;
}

void xtf_selected_locations_finish(XtfSelectedLocations *selected)
{
    g_clear_pointer(&selected->indices, g_free);
    g_clear_pointer(&selected->procs, g_free);
}

/* ---- Arrays. */

void xtf_location_arrays_finish(XtfLocationArrays *arrays)
{
    g_clear_pointer(&arrays->all, g_free);
}

bool xtf_location_arrays_load(XtfLocationArrays *arrays, const XtfTraceContext *context, const XtfLocation *location,
                              GError **error)
{
    uint32_t n = (uint32_t)MIN(location->n_arrays, (uint64_t)XTF_SCHEMAS_MAX);

    if (n > arrays->room) {
        arrays->room = n;
        arrays->all = g_renew(XtfArray, arrays->all, n);
    }
    if (n && !xtf_trace_get_arrays(context->trace, location->first_array, n, arrays->all, error))
        return false;
    arrays->location = location;
    arrays->n = n;
    arrays->first = UINT64_MAX;
    arrays->last = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!xtf_trace_context_is_record(context, arrays->all[i].schema->id))
            continue;
        arrays->first = MIN(arrays->first, arrays->all[i].first);
        arrays->last = MAX(arrays->last, arrays->all[i].last);
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
