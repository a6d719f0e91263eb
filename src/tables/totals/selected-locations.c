#include "src/tables/totals/selected-locations.h"

#include <stdlib.h>

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

static int compare_proc(const void *key, const void *process)
{
    uint64_t a = *(const uint64_t *)key, b = ((const XtfSelectedProcess *)process)->proc;

    return a < b ? -1 : a > b;
}

bool xtf_selected_process_find(const XtfSelectedLocations *selected, uint64_t proc, uint32_t *index)
{
    const XtfSelectedProcess *found =
        selected->n_procs ? bsearch(&proc, selected->procs, selected->n_procs, sizeof *selected->procs, compare_proc)
                          : NULL;

    if (found)
        *index = (uint32_t)(found - selected->procs);
    return found != NULL;
}
