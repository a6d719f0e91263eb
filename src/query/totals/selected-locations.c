#include "src/query/totals/selected-locations.h"

bool xtf_selected_locations_init(XtfSelectedLocations *selected, XtfTraceContext *context,
                                 const XtfSelection *selection, GError **error)
{
    *selected = (XtfSelectedLocations){.locations = xtf_trace_context_locations(context, error)};
    if (!selected->locations)
        return false;
    GArray *indices = xtf_selection_locations(selection, selected->locations);
    selected->n = indices->len;
    selected->indices = (uint32_t *)(void *)g_array_free(indices, FALSE);
    selected->procs = g_new(XtfSelectedProcess, selected->locations->n_procs);
    for (uint32_t i = 0; i < selected->n; i++) {
        uint64_t proc = xtf_selected_location(selected, i)->proc;
        if (!selected->n_procs || selected->procs[selected->n_procs - 1].proc != proc)
            selected->procs[selected->n_procs++] = (XtfSelectedProcess){.proc = proc, .first = i};
        selected->procs[selected->n_procs - 1].n++;
    }
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
    arrays->first = arrays->local_first = UINT64_MAX;
    arrays->last = arrays->local_last = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!xtf_trace_context_is_record(context, arrays->all[i].schema->id))
            continue;
        arrays->first = MIN(arrays->first, arrays->all[i].first);
        arrays->last = MAX(arrays->last, arrays->all[i].last);
        arrays->local_first = MIN(arrays->local_first, arrays->all[i].local_first);
        arrays->local_last = MAX(arrays->local_last, arrays->all[i].local_last);
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
