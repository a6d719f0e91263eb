#include "src/studies/place/traffic.h"

#include <stdlib.h>

#include "src/tables/views/registry.h"

typedef struct {
    const XtfLocations *locations;
    GArray *traffic;
} Reader;

/* Finds the index of a process; false if it is none of the trace. */
static bool find_index(const XtfLocations *locations, uint64_t proc, uint32_t *index)
{
    const uint64_t *found = bsearch(&proc, locations->procs, locations->n_procs, sizeof proc, xtf_compare_numbers);

    if (found)
        *index = (uint32_t)(found - locations->procs);
    return found;
}

static bool note_pair(const XtfRowCell *cells, void *data, GError **error)
{
    Reader *reader = data;
    XtfPlaceTraffic pair = {.bytes = (uint64_t)cells[2].number};

    if (find_index(reader->locations, (uint64_t)cells[0].number, &pair.from) &&
        find_index(reader->locations, (uint64_t)cells[1].number, &pair.to))
        g_array_append_val(reader->traffic, pair);
    return true;
}

GArray *xtf_place_read_traffic(XtfTree *tree, XtfSelection *selection, GError **error)
{
    static const char *const columns[] = {"sender", "receiver", "bytes"};
    g_autoptr(GArray) traffic = g_array_new(FALSE, FALSE, sizeof(XtfPlaceTraffic));
    Reader reader = {.locations = xtf_trace_context_locations(&tree->context, error), .traffic = traffic};
    XtfRowPicker picker = XTF_ROW_PICKER(columns, note_pair, &reader);

    if (!reader.locations || !xtf_view_pick(&tree->views, "matrix", selection, &picker, error))
        return NULL;
    return g_steal_pointer(&traffic);
}
