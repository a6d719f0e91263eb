#include "src/export/chrome/locations.h"

#include <inttypes.h>

#include "src/export/location-reader.h"
#include "src/tables/match/match.h"

enum { STRING = 11 }; /* index in xtf_value_types */

/* A call that was begun in the file. */
typedef struct {
    uint64_t enter; /* row of its ENTER */
} Begun;

/* State of writing one location. */
typedef struct {
    XtfChromeExport *export;
    XtfLocationReader *reader;
    const XtfLocation *location;
    uint32_t index;
    GArray *begun;         /* of Begun */
    GHashTable *arguments; /* of the event that is made: name -> largest number of that name */
    char place[64];        /* the members "pid" and "tid" */
} Location;

uint64_t xtf_chrome_nanoseconds(const XtfChromeExport *export, uint64_t ticks)
{
    const XtfTimeScale *scale = &export->job->tree->context.scale;

    return xtf_nanoseconds_of(scale, ticks - MIN(ticks, scale->origin));
}

void xtf_chrome_add_peer(XtfChromeExport *export, uint64_t proc)
{
    if (!g_hash_table_contains(export->peers, &proc))
        g_hash_table_add(export->peers, g_memdup2(&proc, sizeof proc));
}

static bool is_read(const char *text)
{
    return text;
}

/* Begins an event with its phase, place and time. */
static GString *begin_event(Location *l, char phase, uint64_t time)
{
    GString *line = xtf_json_file_begin(&l->export->json);

    g_string_append_printf(line, "{\"ph\":\"%c\",%s,\"ts\":", phase, l->place);
    xtf_json_append_time(line, xtf_chrome_nanoseconds(l->export, time));
    return line;
}

static void end_event(Location *l)
{
    g_string_append_c(l->export->json.line, '}');
    xtf_json_file_end(&l->export->json);
}

static void append_named(GString *line, const char *key, const char *text)
{
    g_string_append_printf(line, ",\"%s\":", key);
    xtf_json_append_text(line, text);
}

/* ---- Arguments. */

/* Appends the key of an argument. A name that the event has already gets a number: "tag", "tag (2)". */
static void append_key(Location *l, const char *name)
{
    char *key = g_strdup(name);
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(l->arguments, key));

    while (g_hash_table_contains(l->arguments, key)) {
        g_free(key);
        key = g_strdup_printf("%s (%u)", name, ++n);
    }
    if (n > 0)
        g_hash_table_insert(l->arguments, g_strdup(name), GUINT_TO_POINTER(n));
    xtf_json_append_text(l->export->json.line, key);
    g_string_append_c(l->export->json.line, ':');
    g_hash_table_insert(l->arguments, key, GUINT_TO_POINTER(1));
}

/* Appends an attribute of the current record to its arguments. */
static bool append_attribute(Location *l, const XtfAttributesRow *row, GError **error)
{
    GString *line = l->export->json.line;
    const char *name = xtf_chrome_attribute_name(&l->export->names, row->attribute, error);

    if (!is_read(name))
        return false;
    append_key(l, name);
    if (row->type != STRING) {
        xtf_json_append_value(line, row->type, row->value);
        return true;
    }
    const char *text = xtf_chrome_string(&l->export->names, (uint32_t)row->value, error);
    if (text)
        xtf_json_append_text(line, text);
    return text;
}

/* Appends the attributes of the current record. `begun`: the object of arguments was begun, and l->arguments has its
 * names. */
static bool append_arguments(Location *l, bool begun, GError **error)
{
    GString *line = l->export->json.line;
    const void *row;

    for (bool first = !begun;; first = false) {
        if (!xtf_location_reader_side(l->reader, XTF_MODEL_ATTRIBUTES, &row, error))
            return false;
        if (!row)
            break;
        g_string_append(line, first ? ",\"args\":{" : ",");
        begun = true;
        if (!append_attribute(l, row, error))
            return false;
    }
    if (begun) {
        g_string_append_c(line, '}');
        g_hash_table_remove_all(l->arguments);
    }
    return true;
}

/* ---- Calls. */

static bool begin_call(Location *l, uint64_t time, uint64_t region, uint64_t enter, GError **error)
{
    const char *names = xtf_chrome_call_names(&l->export->names, (uint32_t)region, error);
    const Begun begun = {.enter = enter};

    if (!is_read(names))
        return false;
    g_array_append_val(l->begun, begun);
    g_string_append_printf(begin_event(l, 'B', time), ",%s", names);
    return true;
}

/* Finds the call of an ENTER among the open ones. Returns its number from the outside, from 1; 0: there is none. */
static guint find_begun(const Location *l, uint64_t enter)
{
    guint n = l->begun->len;

    while (n > 0 && g_array_index(l->begun, Begun, n - 1).enter > enter)
        n--;
    return n > 0 && g_array_index(l->begun, Begun, n - 1).enter == enter ? n : 0;
}

static bool write_leave(Location *l, const XtfLocationRecord *record, const XtfEntersLeavesRow *row, GError **error)
{
    guint n = row->enter > 0 && row->enter <= record->row ? find_begun(l, record->row - row->enter) : 0;

    if (n == 0) {
        xtf_export_count(l->export->job, 1, "LEAVEs of calls without an ENTER left out");
        return true;
    }
    for (; l->begun->len > n; g_array_set_size(l->begun, l->begun->len - 1)) { /* they are never left */
        begin_event(l, 'E', record->time);
        end_event(l);
    }
    g_array_set_size(l->begun, n - 1);
    begin_event(l, 'E', record->time);
    if (!append_arguments(l, false, error))
        return false;
    end_event(l);
    return true;
}

static bool write_call(Location *l, const XtfLocationRecord *record, GError **error)
{
    const XtfEntersLeavesRow *row = record->fields;

    if (row->event != XTF_LABEL_ENTER)
        return write_leave(l, record, row, error);
    if (!begin_call(l, record->time, row->region, record->row, error) || !append_arguments(l, false, error))
        return false;
    end_event(l);
    return true;
}

/* ---- Messages. */

/* Appends the id of a message: the place of its send. A receive without a known send has an id of its own. */
static bool append_flow_id(Location *l, const XtfLocationRecord *record, GError **error)
{
    const XtfMessageEnd receive = {.location = l->index, .row = record->row};
    GString *line = l->export->json.line;
    XtfMessage message = {0};

    if (record->tag == XTF_MODEL_SENDS) {
        g_string_append_printf(line, ",\"id\":\"%" PRIu32 ".%" PRIu64 "\"", l->index, record->row);
        return true;
    }
    if (l->export->matches && !xtf_match_receive(&l->export->job->tree->matching, &receive, &message, error))
        return false;
    if (message.has_send)
        g_string_append_printf(line, ",\"id\":\"%" PRIu32 ".%" PRIu64 "\"", message.send.location, message.send.row);
    else
        g_string_append_printf(line, ",\"id\":\"r%" PRIu32 ".%" PRIu64 "\"", l->index, record->row);
    xtf_export_count(l->export->job, !message.has_send, "receives have no known send: no arrow ends in them");
    return true;
}

/* Writes a message's end. Sends and receives have the same first fields. */
static bool write_message(Location *l, const XtfLocationRecord *record, GError **error)
{
    static const char *const arguments[] = {"tag", "bytes", "peer"};
    const XtfRanks *ranks = xtf_trace_context_ranks(&l->export->job->tree->context, error);
    const XtfSendsRow *row = record->fields;
    bool send = record->tag == XTF_MODEL_SENDS;
    GString *line = ranks ? begin_event(l, send ? 's' : 'f', record->time) : NULL;
    uint64_t peer;

    if (!line)
        return false;
    g_string_append(line, ",\"name\":\"message\",\"cat\":\"message\"");
    if (!append_flow_id(l, record, error))
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(arguments); i++)
        g_hash_table_insert(l->arguments, g_strdup(arguments[i]), GUINT_TO_POINTER(1));
    g_string_append_printf(line, "%s,\"args\":{\"tag\":%" PRIu32 ",\"bytes\":%" PRIu64, send ? "" : ",\"bp\":\"e\"",
                           row->tag, row->bytes);
    if (xtf_ranks_proc(ranks, row->comm == XTF_NONE32 ? XTF_NONE64 : row->comm, row->peer, l->location->proc, &peer)) {
        g_string_append_printf(line, ",\"peer\":%" PRIu64, peer);
        xtf_chrome_add_peer(l->export, peer);
    }
    if (!append_arguments(l, true, error))
        return false;
    end_event(l);
    return true;
}

/* ---- Other records. */

static bool write_counter(Location *l, const XtfLocationRecord *record, GError **error)
{
    const void *side;

    for (;;) {
        if (!xtf_location_reader_side(l->reader, XTF_MODEL_METRIC_VALUES, &side, error))
            return false;
        if (!side)
            return true;
        const XtfMetricValuesRow *row = side;
        const char *name = xtf_chrome_metric_name(&l->export->names, row->metric, error);
        if (!is_read(name))
            return false;
        GString *line = begin_event(l, 'C', record->time);
        append_named(line, "name", name);
        if (l->location->thread > 0) /* viewers join the counters of a process that have one name and no id */
            g_string_append_printf(line, ",\"id\":%" PRIu64, l->location->thread);
        g_string_append(line, ",\"args\":{\"value\":");
        xtf_json_append_value(line, row->value_type, row->value);
        g_string_append_c(line, '}');
        end_event(l);
    }
}

static bool write_marker(Location *l, const XtfLocationRecord *record, GError **error)
{
    const XtfMarkersRow *row = record->fields;
    const char *text = xtf_chrome_string(&l->export->names, row->text, error);

    if (!is_read(text))
        return false;
    GString *line = begin_event(l, 'i', record->time);
    append_named(line, "name", text);
    g_string_append_printf(line, ",\"s\":\"%c\"", row->scope == 2 ? 'g' : row->scope == 1 ? 'p' : 't');
    if (!append_arguments(l, false, error))
        return false;
    end_event(l);
    return true;
}

static bool write_async(Location *l, const XtfLocationRecord *record, GError **error)
{
    const XtfAsyncRow *row = record->fields;
    const char *name = xtf_chrome_string(&l->export->names, row->activity, error),
               *category = name ? xtf_chrome_string(&l->export->names, row->category, error) : NULL;

    if (!is_read(category))
        return false;
    GString *line = begin_event(l,
                                row->event == XTF_LABEL_ASYNC_BEGIN ? 'b'
                                : row->event == XTF_LABEL_ASYNC_END ? 'e'
                                                                    : 'n',
                                record->time);
    append_named(line, "name", name);
    append_named(line, "cat", category);
    g_string_append_printf(line, ",\"id\":\"0x%" PRIx64 "\"", row->id);
    if (!append_arguments(l, false, error))
        return false;
    end_event(l);
    return true;
}

static bool write_record(Location *l, const XtfLocationRecord *record, GError **error)
{
    xtf_export_advance(l->export->job, 1);
    switch (record->tag) {
    case XTF_MODEL_ENTERS_LEAVES:
        return write_call(l, record, error);
    case XTF_MODEL_SENDS:
    case XTF_MODEL_RECVS:
        return write_message(l, record, error);
    case XTF_MODEL_COUNTERS:
        return write_counter(l, record, error);
    case XTF_MODEL_MARKERS:
        return write_marker(l, record, error);
    case XTF_MODEL_ASYNC:
        return write_async(l, record, error);
    default:;
    }
    g_autofree char *text = g_strdup_printf("%s left out: trace events have no such phase", record->schema->name);
    l->export->job->report.records--;
    xtf_export_count(l->export->job, 1, text);
    return true;
}

/* ---- Locations. */

/* Writes the begin or the end of the calls that are open at t, where the window begins or ends. */
static bool write_cut_calls(Location *l, uint64_t t, bool begins, GError **error)
{
    g_autofree XtfOpenCall *calls = NULL;
    size_t n = 0;

    if (begins && !xtf_location_reader_open_calls(l->reader, t, &calls, &n, error))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!begin_call(l, t, calls[i].region, calls[i].enter, error))
            return false;
        end_event(l);
    }
    if (!begins)
        for (n = l->begun->len; l->begun->len > 0; g_array_set_size(l->begun, l->begun->len - 1)) {
            begin_event(l, 'E', t);
            end_event(l);
        }
    xtf_export_count(l->export->job, n,
                     begins ? "calls begin before the window: they begin with it"
                            : "calls end after the window: they end with it");
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

static bool write_location_events(Location *l, const XtfSpans *spans, GError **error)
{
    const XtfSelection *selection = l->export->job->selection;
    const bool begins = selection->time_from > l->export->job->tree->context.scale.origin;
    const bool ends = !selection->endless && selection->time_to != XTF_TIME_OPEN;

    g_array_set_size(l->begun, 0);
    g_snprintf(l->place, sizeof l->place, "\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, l->location->proc,
               l->location->thread);
    l->export->job->report.locations++;
    return xtf_location_reader_begin(l->reader, spans, l->index, error) &&
           (!begins || write_cut_calls(l, selection->time_from, true, error)) && write_records(l, error) &&
           (!ends || write_cut_calls(l, selection->time_to, false, error));
}

bool xtf_chrome_write_locations(XtfChromeExport *export, GError **error)
{
    XtfTree *tree = export->job->tree;
    g_autoptr(XtfSelection) selection = xtf_export_select_events(export->job);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(&tree->resolver, selection, error);
    g_auto(XtfSelectedLocations) selected = {0};
    g_auto(XtfLocationReader) reader = {0};
    g_autoptr(GArray) begun = g_array_new(FALSE, FALSE, sizeof(Begun));
    g_autoptr(GHashTable) arguments = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    if (!spans || !xtf_selected_locations_init(&selected, &tree->context, selection, error))
        return false;
    xtf_location_reader_init(&reader, tree, selection);
    for (uint32_t i = 0; i < selected.n; i++) {
        Location l = {.export = export,
                      .reader = &reader,
                      .location = xtf_selected_location(&selected, i),
                      .index = selected.indices[i],
                      .begun = begun,
                      .arguments = arguments};
        if (!write_location_events(&l, spans, error))
            return false;
    }
    return true;
}
