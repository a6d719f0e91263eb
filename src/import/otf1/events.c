/*
 * Handlers of events and of markers. docs/OTF1.md lists the record of each event.
 */
#include "src/import/otf1/import.h"

#include <inttypes.h>
#include <string.h>

#include "src/import/messages.h"
#include "src/import/otf1/attributes.h"

enum {
    EXAMPLE_LENGTH = 60, /* most characters of an unknown record in a message */
};

/* ---- Shared by all handlers. */

int xtf_otf1_skip(const XtfOtf1Import *import)
{
    return import->error ? OTF_RETURN_ABORT : OTF_RETURN_OK;
}

static int leave_out(XtfOtf1Import *import, uint64_t *counter)
{
    (*counter)++;
    import->job->report.left_out_events++;
    return OTF_RETURN_OK;
}

static void take_error(XtfOtf1Import *import, XtfOtf1Location *location)
{
    if (!import->error)
        import->error = g_steal_pointer(&location->stream.error);
}

void xtf_otf1_open(XtfOtf1Import *import, XtfOtf1Location *location)
{
    xtf_stream_init(&location->stream, import->job->writer, &import->source.definitions, import->job->schemas);
    xtf_stream_begin(&location->stream, location->process);
    location->begun = true;
    g_ptr_array_add(import->open, location);
}

XtfOtf1Location *xtf_otf1_begin(XtfOtf1Import *import, uint32_t process, uint64_t time)
{
    XtfOtf1Location *location = xtf_otf1_location(&import->locations, process);

    import->job->report.read++;
    if (!location || location->ended || time == UINT64_MAX) {
        leave_out(import, !location         ? &import->n_undefined
                          : location->ended ? &import->n_scattered
                                            : &import->n_without_time);
        return NULL;
    }
    if (!location->begun)
        xtf_otf1_open(import, location);
    if (xtf_otf1_append_postponed(location, time))
        return location;
    take_error(import, location);
    return NULL;
}

int xtf_otf1_end(XtfOtf1Import *import, XtfOtf1Location *location, bool appended, uint32_t source,
                 OTF_KeyValueList *list)
{
    if (appended && (source == 0 || xtf_otf1_add_field(&location->stream, XTF_OTF1_SOURCE, source)) &&
        xtf_otf1_add_list(&location->stream, list))
        return OTF_RETURN_OK;
    take_error(import, location);
    return OTF_RETURN_ABORT;
}

/* Appends a record whose row needs no more than its region. */
static int append_record(XtfOtf1Import *import, XtfOtf1Location *location, unsigned type, unsigned event, uint64_t time,
                         void *row, uint32_t source, OTF_KeyValueList *list)
{
    ((XtfRecordHead *)row)->region = xtf_stream_region(&location->stream);
    return xtf_otf1_end(import, location, xtf_stream_append(&location->stream, type, event, time, row), source, list);
}

uint32_t xtf_otf1_peer(XtfOtf1Import *import, uint32_t group, uint32_t process)
{
    uint32_t rank = xtf_otf1_rank(&import->ranks, group, process);

    import->n_strangers += rank == XTF_NONE32;
    return rank;
}

/* ---- Calls. */

static int on_enter(void *data, uint64_t time, uint32_t function, uint32_t process, uint32_t source,
                    OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(data, process, time);

    if (!location)
        return xtf_otf1_skip(data);
    uint32_t region = xtf_otf1_row(data, XTF_MODEL_REGIONS, function);
    return xtf_otf1_end(data, location, xtf_stream_enter(&location->stream, time, region), source, list);
}

/* Appends a LEAVE. Without a function it leaves the innermost call. */
static int on_leave(void *data, uint64_t time, uint32_t function, uint32_t process, uint32_t source,
                    OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(data, process, time);

    if (!location)
        return xtf_otf1_skip(data);
    uint32_t region =
        function == 0 ? xtf_stream_region(&location->stream) : xtf_otf1_row(data, XTF_MODEL_REGIONS, function);
    return xtf_otf1_end(data, location, xtf_stream_leave(&location->stream, time, region), source, list);
}

/* ---- Messages and collective operations. */

static int on_send(void *data, uint64_t time, uint32_t process, uint32_t receiver, uint32_t group, uint32_t tag,
                   uint32_t length, uint32_t source, OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);

    if (!location)
        return xtf_otf1_skip(import);
    group = xtf_otf1_common_group(&import->ranks, group, process, receiver);
    XtfSendsRow row = {.region = xtf_stream_region(&location->stream),
                       .peer = xtf_otf1_peer(import, group, receiver),
                       .comm = xtf_otf1_row(import, XTF_MODEL_COMMUNICATORS, group),
                       .tag = tag,
                       .bytes = length,
                       .request = XTF_NONE64};
    return xtf_otf1_end(import, location, xtf_stream_send(&location->stream, time, &row), source, list);
}

static int on_receive(void *data, uint64_t time, uint32_t process, uint32_t sender, uint32_t group, uint32_t tag,
                      uint32_t length, uint32_t source, OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);

    if (!location)
        return xtf_otf1_skip(import);
    group = xtf_otf1_common_group(&import->ranks, group, process, sender);
    XtfRecvsRow row = {.region = xtf_stream_region(&location->stream),
                       .peer = xtf_otf1_peer(import, group, sender),
                       .comm = xtf_otf1_row(import, XTF_MODEL_COMMUNICATORS, group),
                       .tag = tag,
                       .bytes = length,
                       .request = XTF_NONE64};
    return xtf_otf1_end(import, location, xtf_stream_recv(&location->stream, time, &row), source, list);
}

static XtfCollectivesRow begin_of_collective(void)
{
    return (XtfCollectivesRow){.operation = UINT8_MAX,
                               .comm = XTF_NONE32,
                               .root = XTF_NONE32,
                               .bytes = XTF_NONE64,
                               .received = XTF_NONE64,
                               .request = XTF_NONE64,
                               .n_to_n = UINT8_MAX};
}

static XtfCollectivesRow end_of_collective(XtfOtf1Import *import, uint32_t operation, uint32_t group, uint32_t root,
                                           uint64_t sent, uint64_t received)
{
    GHashTable *operations = import->source.collective_operations;
    XtfCollectivesRow row = begin_of_collective();

    row.operation = (uint8_t)(GPOINTER_TO_UINT(g_hash_table_lookup(operations, GUINT_TO_POINTER(operation))) - 1u);
    row.comm = xtf_otf1_row(import, XTF_MODEL_COMMUNICATORS, group);
    row.root = root == 0 ? XTF_NONE32 : xtf_otf1_peer(import, group, root);
    row.bytes = sent;
    row.received = received;
    return row;
}

/* Appends a whole operation: OTF's older event, which gives a duration. The second record is postponed to its end. */
static int on_collective(void *data, uint64_t time, uint32_t process, uint32_t operation, uint32_t group, uint32_t root,
                         uint32_t sent, uint32_t received, uint64_t duration, uint32_t source, OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);

    if (!location)
        return xtf_otf1_skip(import);
    XtfCollectivesRow begin = begin_of_collective();
    const XtfOtf1Postponed end = {
        .time = duration < UINT64_MAX - time ? time + duration : time,
        .type = XTF_MODEL_COLLECTIVES,
        .event = XTF_LABEL_MPI_COLLECTIVE_END,
        .row.collective = end_of_collective(import, operation, group, root, sent, received),
    };
    import->job->report.read++; /* for the second record */
    xtf_otf1_postpone(location, &end);
    return append_record(import, location, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_BEGIN, time, &begin, source,
                         list);
}

static int on_begin_collective(void *data, uint64_t time, uint32_t process, uint32_t operation, uint64_t matching,
                               uint32_t group, uint32_t root, uint64_t sent, uint64_t received, uint32_t source,
                               OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);

    if (!location)
        return xtf_otf1_skip(import);
    XtfCollectivesRow begin = begin_of_collective();
    const XtfCollectivesRow end = end_of_collective(import, operation, group, root, sent, received);
    if (!location->operations)
        location->operations = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, g_free);
    g_hash_table_replace(location->operations, g_memdup2(&matching, sizeof matching), g_memdup2(&end, sizeof end));
    return append_record(import, location, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_BEGIN, time, &begin, source,
                         list);
}

static int on_end_collective(void *data, uint64_t time, uint32_t process, uint64_t matching, OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);

    if (!location)
        return xtf_otf1_skip(import);
    XtfCollectivesRow row = begin_of_collective();
    const XtfCollectivesRow *end = location->operations ? g_hash_table_lookup(location->operations, &matching) : NULL;
    if (end) {
        row = *end;
        g_hash_table_remove(location->operations, &matching);
    } else {
        import->n_without_begin++;
    }
    return append_record(import, location, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_END, time, &row, 0, list);
}

/* ---- Counters. */

/* Returns the bits of a value as the trace has it: a float becomes a double. */
static uint64_t value_of(XtfOtf1Import *import, uint32_t counter, uint64_t value)
{
    gpointer is_float = g_hash_table_lookup(import->source.float_counters, GUINT_TO_POINTER(counter));
    double real = OTF_Counter2Float(value);

    if (is_float)
        memcpy(&value, &real, sizeof value);
    return value;
}

static int on_counter(void *data, uint64_t time, uint32_t process, uint32_t counter, uint64_t value,
                      OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);
    XtfDefinitions *definitions = &import->source.definitions;

    if (!location)
        return xtf_otf1_skip(import);
    XtfCountersRow row = {.metric = xtf_otf1_row(import, XTF_MODEL_METRICS, counter),
                          .metric_class = xtf_otf1_row(import, XTF_MODEL_METRIC_CLASSES, counter),
                          .n_values = 1};
    const XtfMetricRow *metric = row.metric < xtf_definitions_n_rows(definitions, XTF_MODEL_METRICS)
                                     ? xtf_definitions_at(definitions, XTF_MODEL_METRICS, row.metric)
                                     : NULL;
    int status = append_record(import, location, XTF_MODEL_COUNTERS, XTF_LABEL_METRIC, time, &row, 0, list);
    uint8_t type = metric ? metric->value_type : 4; /* UINT64 */
    uint64_t bits = value_of(import, counter, value);
    const XtfMetricValuesRow values = {
        .time = row.time,
        .seq = row.seq,
        .metric = row.metric,
        .value_type = type,
        .value = bits,
        .region = location->stream.previous_region,
        .growth = metric ? xtf_growth_to(&location->stream.growth, row.metric_class, 0, metric->mode, type, bits) : 0,
    };
    if (status == OTF_RETURN_OK && !xtf_stream_append_row(&location->stream, XTF_MODEL_METRIC_VALUES, &values))
        return xtf_otf1_end(import, location, false, 0, NULL);
    return status;
}

/* ---- Processes, comments and markers. */

static int on_process(XtfOtf1Import *import, unsigned event, uint64_t time, uint32_t process, OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);
    XtfThreadsRow row = {.model = UINT8_MAX, .requested = XTF_NONE32, .team = XTF_NONE32, .sequence = XTF_NONE64};

    return location ? append_record(import, location, XTF_MODEL_THREADS, event, time, &row, 0, list)
                    : xtf_otf1_skip(import);
}

static int on_begin_process(void *data, uint64_t time, uint32_t process, OTF_KeyValueList *list)
{
    return on_process(data, XTF_OTF1_BEGIN_PROCESS, time, process, list);
}

static int on_end_process(void *data, uint64_t time, uint32_t process, OTF_KeyValueList *list)
{
    return on_process(data, XTF_OTF1_END_PROCESS, time, process, list);
}

static int on_noop(void *data, uint64_t time, uint32_t process, OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(data, process, time);
    XtfUnknownRow row = {0};

    return location ? append_record(data, location, XTF_MODEL_UNKNOWN, XTF_OTF1_NOOP, time, &row, 0, list)
                    : xtf_otf1_skip(data);
}

enum { THREAD, PROCESS, TRACE }; /* indices in xtf_marker_scopes */

static uint32_t late_text(XtfOtf1Import *import, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
    return xtf_definitions_late_string(&import->source.definitions, valid);
}

static int on_comment(void *data, uint64_t time, uint32_t process, const char *comment, OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(data, process, time);

    if (!location)
        return xtf_otf1_skip(data);
    XtfMarkersRow row = {.scope = THREAD, .text = late_text(data, comment)};
    return append_record(data, location, XTF_MODEL_MARKERS, XTF_OTF1_COMMENT, time, &row, 0, list);
}

/* Returns the location of a marker. A marker of a group of processes has that of the first member. */
static XtfOtf1Location *location_of_marker(XtfOtf1Import *import, uint32_t process, uint8_t *scope)
{
    XtfOtf1Location *location = xtf_otf1_location(&import->locations, process);

    *scope = THREAD;
    for (guint i = 0; !location && i < import->source.groups->len; i++) {
        const XtfOtf1Group *group = &g_array_index(import->source.groups, XtfOtf1Group, i);
        if (group->id != process || group->n == 0)
            continue;
        *scope = TRACE;
        location = xtf_otf1_location(&import->locations, group->members[0]);
    }
    return location;
}

/* Postpones a marker to its time. Markers are read before events. */
static int on_marker(void *data, uint64_t time, uint32_t process, uint32_t kind, const char *text,
                     OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    uint8_t scope;
    XtfOtf1Location *location = location_of_marker(import, process, &scope);

    import->job->report.read++;
    if (!location || time == UINT64_MAX)
        return leave_out(import, location ? &import->n_without_time : &import->n_undefined);
    import->source.key_values += list && OTF_KeyValueList_getCount(list) > 0;
    import->n_moved_markers += scope == TRACE;
    xtf_otf1_postpone(location, &(XtfOtf1Postponed){
                                    .time = time,
                                    .type = XTF_MODEL_MARKERS,
                                    .event = XTF_LABEL_MARKER,
                                    .row.marker = {.scope = scope, .text = late_text(import, text)},
                                    .kind = late_text(import, xtf_otf1_name(&import->source, XTF_OTF1_MARKER, kind)),
                                });
    return OTF_RETURN_OK;
}

/* ---- Other records of the file of events. */

static int on_unknown(void *data, uint64_t time, uint32_t process, const char *text)
{
    XtfOtf1Import *import = data;

    if (!import->first_unknown) {
        g_autofree char *valid = g_utf8_make_valid(text ? text : "", EXAMPLE_LENGTH);
        import->first_unknown = g_strescape(text && strlen(text) < EXAMPLE_LENGTH ? text : valid, NULL);
    }
    import->job->report.read++;
    return leave_out(import, &import->n_unknown);
}

/* Counts a snapshot. The library passes further arguments. */
static int on_snapshot(void *data)
{
    ((XtfOtf1Import *)data)->n_snapshots++;
    return OTF_RETURN_OK;
}

void xtf_otf1_set_event_handlers(OTF_HandlerArray *handlers, XtfOtf1Import *import)
{
    static const XtfOtf1Handler all[] = {
        XTF_OTF1_HANDLER(on_enter, ENTER),
        XTF_OTF1_HANDLER(on_leave, LEAVE),
        XTF_OTF1_HANDLER(on_send, SEND),
        XTF_OTF1_HANDLER(on_receive, RECEIVE),
        XTF_OTF1_HANDLER(on_collective, COLLOP),
        XTF_OTF1_HANDLER(on_begin_collective, BEGINCOLLOP),
        XTF_OTF1_HANDLER(on_end_collective, ENDCOLLOP),
        XTF_OTF1_HANDLER(on_counter, COUNTER),
        XTF_OTF1_HANDLER(on_begin_process, BEGINPROCESS),
        XTF_OTF1_HANDLER(on_end_process, ENDPROCESS),
        XTF_OTF1_HANDLER(on_noop, NOOP),
        XTF_OTF1_HANDLER(on_comment, EVENTCOMMENT),
        XTF_OTF1_HANDLER(on_marker, MARKER),
        XTF_OTF1_HANDLER(on_unknown, UNKNOWN),
        XTF_OTF1_HANDLER(on_snapshot, ENTERSNAPSHOT),
        XTF_OTF1_HANDLER(on_snapshot, SENDSNAPSHOT),
        XTF_OTF1_HANDLER(on_snapshot, SNAPSHOTCOMMENT),
        XTF_OTF1_HANDLER(on_snapshot, OPENFILESNAPSHOT),
        XTF_OTF1_HANDLER(on_snapshot, BEGINCOLLOPSNAPSHOT),
        XTF_OTF1_HANDLER(on_snapshot, BEGINFILEOPSNAPSHOT),
        XTF_OTF1_HANDLER(on_snapshot, COLLOPCOUNTSNAPSHOT),
        XTF_OTF1_HANDLER(on_snapshot, COUNTERSNAPSHOT),
    };

    xtf_otf1_set_handlers(handlers, all, G_N_ELEMENTS(all), import);
}
