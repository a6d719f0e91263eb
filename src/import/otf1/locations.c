#include "src/import/otf1/locations.h"

#include "src/import/otf1/attributes.h"

static void location_free(void *data)
{
    XtfOtf1Location *location = data;

    if (location->begun && !location->ended)
        xtf_stream_finish(&location->stream);
    g_clear_pointer(&location->postponed, g_sequence_free);
    g_clear_pointer(&location->operations, g_hash_table_unref);
    g_free(location);
}

void xtf_otf1_locations_init(XtfOtf1Locations *locations)
{
    *locations = (XtfOtf1Locations){.by_process = g_hash_table_new_full(NULL, NULL, NULL, location_free)};
}

void xtf_otf1_locations_finish(XtfOtf1Locations *locations)
{
    g_clear_pointer(&locations->by_process, g_hash_table_unref);
    locations->last = NULL;
}

void xtf_otf1_locations_add(XtfOtf1Locations *locations, uint32_t process)
{
    if (g_hash_table_contains(locations->by_process, GUINT_TO_POINTER(process)))
        return;
    XtfOtf1Location *location = g_new0(XtfOtf1Location, 1);
    location->process = process;
    g_hash_table_insert(locations->by_process, GUINT_TO_POINTER(process), location);
}

XtfOtf1Location *xtf_otf1_location(XtfOtf1Locations *locations, uint32_t process)
{
    if (!locations->last || locations->last_process != process) {
        locations->last = g_hash_table_lookup(locations->by_process, GUINT_TO_POINTER(process));
        locations->last_process = process;
    }
    return locations->last;
}

static int compare_times(const void *a, const void *b, void *data)
{
    const XtfOtf1Postponed *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

void xtf_otf1_postpone(XtfOtf1Location *location, const XtfOtf1Postponed *record)
{
    if (!location->postponed)
        location->postponed = g_sequence_new(g_free);
    g_sequence_insert_sorted(location->postponed, g_memdup2(record, sizeof *record), compare_times, NULL);
}

bool xtf_otf1_append_postponed(XtfOtf1Location *location, uint64_t until)
{
    while (location->postponed && !g_sequence_is_empty(location->postponed)) {
        GSequenceIter *first = g_sequence_get_begin_iter(location->postponed);
        XtfOtf1Postponed *record = g_sequence_get(first);
        if (record->time > until)
            return true;
        ((XtfRecordHead *)&record->row)->region = xtf_stream_region(&location->stream);
        bool appended = xtf_stream_append(&location->stream, record->type, record->event, record->time, &record->row);
        if (appended && record->type == XTF_MODEL_MARKERS)
            appended = xtf_otf1_add_field(&location->stream, XTF_OTF1_MARKER_KIND, record->kind);
        g_sequence_remove(first);
        if (!appended)
            return false;
    }
    return true;
}
