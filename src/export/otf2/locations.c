/*
 * Writes the events of the selection's locations, one location after another. First in a location are ENTERs of the
 * calls open at the window's begin. Then its records follow, and LEAVEs of the calls open at the window's end.
 */
#include <inttypes.h>

#include "src/export/otf2/call-sites.h"
#include "src/import/otf2/errors.h"

/* State of writing one location. */
typedef struct {
    XtfOtf2Export *export;
    XtfLocationReader *reader;
    const XtfLocation *location;
    OTF2_EvtWriter *writer;
    GHashTable *region_ids; /* row of `regions` -> id, if the id is not of the region's first definition */
    uint64_t n_written;
    bool has_sites; /* ENTERs get call sites */
} Location;

/* ---- Regions. */

/* Reads the ids of regions up to the record with this time and seq. */
static bool read_region_ids(Location *l, uint64_t time, uint64_t seq, GError **error)
{
    const XtfRegionIdsRow *row;
    const void *side;

    for (;;) {
        if (!xtf_location_reader_side_so_far(l->reader, XTF_MODEL_REGION_IDS, time, seq, &side, error))
            return false;
        if (!(row = side))
            return true;
        if (!l->export->names.tables[XTF_MODEL_REGION_DEFINITIONS].renumbered)
            g_hash_table_insert(l->region_ids, GUINT_TO_POINTER(row->region), GUINT_TO_POINTER(row->id));
    }
}

static uint32_t find_region_id(Location *l, uint32_t region)
{
    gpointer id;

    if (g_hash_table_size(l->region_ids) > 0 &&
        g_hash_table_lookup_extended(l->region_ids, GUINT_TO_POINTER(region), NULL, &id))
        return GPOINTER_TO_UINT(id);
    return xtf_otf2_region(&l->export->names, region);
}

/* ---- Records. */

static bool fail_at_record(const Location *l, const XtfLocationRecord *record, OTF2_ErrorCode code, GError **error)
{
    g_autofree char *object =
        g_strdup_printf("location %" PRIu64 ", %s %" PRIu64, l->location->id, record->schema->name, record->row);
    return xtf_otf2_fail_writing(error, code, object);
}

static bool add_attributes(Location *l, const XtfLocationRecord *record, GError **error)
{
    const XtfAttributesRow *row;
    OTF2_AttributeValue value;
    const void *side;

    for (;;) {
        if (!xtf_location_reader_side(l->reader, XTF_MODEL_ATTRIBUTES, &side, error))
            return false;
        if (!(row = side))
            return true;
        if (!xtf_otf2_value(&l->export->names, row->type, row->value, &value, error))
            return false;
        OTF2_ErrorCode code = OTF2_AttributeList_AddAttribute(
            l->export->attributes, xtf_otf2_id(&l->export->names, XTF_MODEL_ATTRIBUTE_DEFINITIONS, row->attribute),
            row->type, value);
        if (code != OTF2_SUCCESS)
            return fail_at_record(l, record, code, error);
    }
}

/* Writes a call of a calling context. */
static OTF2_ErrorCode write_call_of_context(Location *l, unsigned event, const XtfCallContextsRow *row, uint64_t time)
{
    uint32_t id = xtf_otf2_id(&l->export->names, XTF_MODEL_CALLING_CONTEXTS, row->calling_context);

    if (event == XTF_LABEL_ENTER)
        return OTF2_EvtWriter_CallingContextEnter(l->writer, l->export->attributes, time, id, row->unwind_distance);
    return OTF2_EvtWriter_CallingContextLeave(l->writer, l->export->attributes, time, id);
}

/* Writes a call. `context` is the row of `call_contexts` of its record, or NULL. */
static OTF2_ErrorCode write_call(Location *l, const XtfLocationRecord *record, const void *context, uint64_t time)
{
    const XtfEntersLeavesRow *row = record->fields;
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (context && (row->event == XTF_LABEL_ENTER || row->event == XTF_LABEL_LEAVE))
        return write_call_of_context(l, row->event, context, time);
    uint32_t id = find_region_id(l, row->region);
    switch (row->event) {
    case XTF_LABEL_ENTER:
        if (l->has_sites)
            code = xtf_otf2_add_site(l->export, record);
        return code != OTF2_SUCCESS ? code : OTF2_EvtWriter_Enter(l->writer, l->export->attributes, time, id);
    case XTF_LABEL_LEAVE:
        return OTF2_EvtWriter_Leave(l->writer, l->export->attributes, time, id);
    }
    return XTF_OTF2_NO_EVENT;
}

/* Writes a record. *code is OTF2's result, or XTF_OTF2_NO_EVENT if the record is left out and counted. */
static bool write_event(Location *l, const XtfLocationRecord *record, uint64_t time, OTF2_ErrorCode *code,
                        GError **error)
{
    const void *context;
    bool left_out;

    if (!xtf_otf2_is_left_out(l->export, l->reader, record, &left_out, error))
        return false;
    if (left_out) {
        xtf_export_count(l->export->job, 1,
                         "records of collective operations left out that create or destroy handles or memory: "
                         "Scalasca aborts at them");
        *code = XTF_OTF2_NO_EVENT;
        return true;
    }
    if (record->tag == XTF_MODEL_ENTERS_LEAVES) {
        if (!xtf_location_reader_side(l->reader, XTF_MODEL_CALL_CONTEXTS, &context, error))
            return false;
        *code = write_call(l, record, context, time);
        return true;
    }
    if (!xtf_otf2_write_event(l->export, l->reader, record, l->writer, time, code, error))
        return false;
    if (*code == XTF_OTF2_NO_EVENT) {
        g_autofree char *text = g_strdup_printf("%s left out: OTF2 has no such event", record->schema->name);
        xtf_export_count(l->export->job, 1, text);
    }
    return true;
}

static bool write_record(Location *l, const XtfLocationRecord *record, GError **error)
{
    XtfExportJob *job = l->export->job;
    OTF2_ErrorCode code;
    const void *backward;
    uint64_t time;

    if (!xtf_otf2_time(l->export, record->time, &time, error) ||
        !read_region_ids(l, record->time, record->seq, error) || !add_attributes(l, record, error) ||
        !xtf_location_reader_side(l->reader, XTF_MODEL_BACKWARD_TIMES, &backward, error))
        return false;
    if (backward)
        xtf_export_count(job, 1,
                         "records written with the time of the record before: the source has earlier times, but OTF2 "
                         "needs times in order");
    if (!write_event(l, record, time, &code, error))
        return false;
    if (code == XTF_OTF2_NO_EVENT) {
        OTF2_AttributeList_RemoveAllAttributes(l->export->attributes);
    } else if (code != OTF2_SUCCESS) {
        return fail_at_record(l, record, code, error);
    } else {
        l->n_written++;
    }
    xtf_export_advance(job, 1);
    return true;
}

static bool write_records(Location *l, GError **error)
{
    XtfLocationRecord record;

    for (;;) {
        if (!xtf_location_reader_next(l->reader, &record, error))
            return false;
        if (!record.schema)
            return true;
        if (!write_record(l, &record, error)) {
            g_prefix_error(error, "location %" PRIu64 ": ", l->location->id);
            return false;
        }
    }
}

/* ---- Calls that the window cuts. */

static OTF2_ErrorCode write_cut_call(Location *l, const XtfOpenCall *call, uint64_t time, bool begins)
{
    uint32_t id = find_region_id(l, (uint32_t)call->region);

    l->n_written++;
    return begins ? OTF2_EvtWriter_Enter(l->writer, NULL, time, id) : OTF2_EvtWriter_Leave(l->writer, NULL, time, id);
}

/* Writes ENTERs or LEAVEs of the calls that are open at t, where the window begins or ends. */
static bool write_cut_calls(Location *l, uint64_t t, bool begins, GError **error)
{
    g_autofree XtfOpenCall *calls = NULL;
    uint64_t time;
    size_t n;

    if (!xtf_location_reader_open_calls(l->reader, t, &calls, &n, error) ||
        !xtf_otf2_time(l->export, t, &time, error) || (n > 0 && !read_region_ids(l, t - MIN(t, 1), UINT64_MAX, error)))
        return false;
    for (size_t i = 0; i < n; i++) {
        OTF2_ErrorCode code = write_cut_call(l, &calls[begins ? i : n - 1 - i], time, begins);
        if (code != OTF2_SUCCESS)
            return xtf_otf2_fail_writing(error, code, "a call that the window cuts");
    }
    xtf_export_count(l->export->job, n,
                     begins ? "calls begin before the window: their ENTERs are moved to its begin"
                            : "calls end after the window: their LEAVEs are moved to its end");
    return true;
}

static bool write_events(Location *l, GError **error)
{
    const XtfSelection *selection = l->export->job->selection;
    const bool begins = selection->time_from > l->export->job->tree->context.scale.origin;
    const bool ends = !selection->endless && selection->time_to != XTF_TIME_OPEN;

    return (!begins || write_cut_calls(l, selection->time_from, true, error)) && write_records(l, error) &&
           (!ends || write_cut_calls(l, selection->time_to, false, error));
}

static bool write_location(XtfOtf2Export *export, XtfLocationReader *reader, const XtfSpans *spans, uint32_t index,
                           GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&export->job->tree->context, error);
    Location l = {.export = export,
                  .reader = reader,
                  .location = &locations->all[index],
                  .has_sites = xtf_otf2_has_sites(export)};

    if (!xtf_location_reader_begin(reader, spans, index, error))
        return false;
    l.writer = OTF2_Archive_GetEvtWriter(export->archive, l.location->id);
    if (!l.writer)
        return xtf_otf2_fail_writing(error, OTF2_SUCCESS, "a location's events");
    l.region_ids = g_hash_table_new(NULL, NULL);
    bool good = write_events(&l, error);
    g_hash_table_unref(l.region_ids);
    if (!good)
        return false;
    OTF2_ErrorCode code = OTF2_Archive_CloseEvtWriter(export->archive, l.writer);
    if (code != OTF2_SUCCESS || xtf_otf2_has_caught())
        return xtf_otf2_fail_writing(error, code, "a location's events");
    g_hash_table_insert(export->n_events, g_memdup2(&l.location->id, sizeof(uint64_t)),
                        g_memdup2(&l.n_written, sizeof l.n_written));
    export->job->report.locations += l.n_written > 0;
    return true;
}

/* Writes an empty file for each location without events. OTF2's reader requires a file for each defined location. */
static bool write_empty_locations(XtfOtf2Export *export, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&export->job->tree->context, error);

    for (uint32_t i = 0; locations && i < locations->n; i++) {
        xtf_export_beat(export->job);
        if (g_hash_table_contains(export->n_events, &locations->all[i].id))
            continue;
        OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(export->archive, locations->all[i].id);
        OTF2_ErrorCode code = writer ? OTF2_Archive_CloseEvtWriter(export->archive, writer) : OTF2_SUCCESS;
        if (!writer || code != OTF2_SUCCESS || xtf_otf2_has_caught())
            return xtf_otf2_fail_writing(error, code, "a location's events");
    }
    return locations;
}

bool xtf_otf2_write_locations(XtfOtf2Export *export, GError **error)
{
    XtfTree *tree = export->job->tree;
    g_autoptr(XtfSelection) selection = xtf_export_select_events(export->job);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(&tree->resolver, selection, error);
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(XtfLocationReader) reader = {0};

    if (!spans || !xtf_selected_locations_init(&selected, &tree->context, selection, error))
        return false;
    xtf_location_reader_init(&reader, tree, selection);
    for (uint32_t i = 0; i < selected.n; i++)
        if (!write_location(export, &reader, spans, selected.indices[i], error))
            return false;
    return write_empty_locations(export, error);
}
