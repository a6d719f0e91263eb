/*
 * Turns each event of the file into an entry of a sort. docs/CHROME.md lists the phases.
 */
#include <inttypes.h>
#include <string.h>

#include "src/import/chrome/import.h"
#include "src/import/chrome/numbers.h"

enum {
    OTHER_PHASES = 64, /* most phases that are counted apart */
    PHASE_BYTES = 4,   /* most bytes of such a phase that are shown */
};

#define LONGEST ((UINT64_C(1) << 61) - 1)

/* ---- Places and times. */

static XtfChromeId id_of(XtfChromeImport *import, XtfChromeMember member)
{
    const char *text = xtf_chrome_text(&import->event, member);
    const bool is_number = import->event.members[member].kind == XTF_CHROME_NUMBER;
    uint64_t number = 0;

    if (*text == '\0' || ((is_number ? xtf_chrome_read_whole : xtf_chrome_read_unsigned)(text, strlen(text), &number) &&
                          number <= INT32_MAX))
        return (XtfChromeId){.value = (uint32_t)number};
    return (XtfChromeId){.is_text = true, .value = xtf_chrome_name(&import->names, text)};
}

static uint32_t location_of(XtfChromeImport *import)
{
    return xtf_chrome_location(&import->places, id_of(import, XTF_CHROME_PID), id_of(import, XTF_CHROME_TID));
}

static bool read_time(XtfChromeImport *import, XtfChromeMember member, int64_t *time)
{
    const char *text = xtf_chrome_text(&import->event, member);
    bool rounded = false;

    if (!xtf_chrome_read_time(text, strlen(text), time, &rounded))
        return false;
    import->rounded += rounded;
    return true;
}

static uint32_t name_of(XtfChromeImport *import, XtfChromeMember member)
{
    return xtf_chrome_name(&import->names, xtf_chrome_text(&import->event, member));
}

/* ---- Entries. */

/* Begins import->entry with an entry of that kind. */
static XtfChromeStored *begin_entry(XtfChromeImport *import, XtfChromeKind kind)
{
    const XtfChromeStored stored = {.kind = (uint8_t)kind, .name = name_of(import, XTF_CHROME_NAME)};

    g_byte_array_set_size(import->entry, 0);
    g_byte_array_append(import->entry, (const guint8 *)&stored, sizeof stored);
    return (XtfChromeStored *)import->entry->data;
}

bool xtf_chrome_sort_entry(XtfChromeImport *import, uint32_t location, int64_t time, uint64_t order, GError **error)
{
    const XtfSortKey key = {.major = location, .minor = (uint64_t)time + XTF_CHROME_BIAS, .least = order};

    if (!import->has_time || time < import->first_time)
        import->first_time = time;
    import->has_time = true;
    return xtf_sort_add(import->sort, &key, import->entry->data, import->entry->len, error);
}

/* Returns the order of an event that is no call. At the time at which a slice begins, it is inside that slice. Before
 * the file's first slice of the thread it gets the class PLAIN: write.c corrects that. */
static uint64_t order_of(XtfChromeImport *import, uint32_t location)
{
    bool after = xtf_chrome_location_at(&import->places, location)->has_slices;

    return (uint64_t)(after ? XTF_CHROME_AFTER_SLICES : XTF_CHROME_PLAIN) << XTF_CHROME_CLASS_SHIFT | import->order;
}

static void note_region(XtfChromeImport *import, uint32_t number)
{
    XtfChromeName *name = xtf_chrome_name_at(&import->names, number);

    if (name->is_region)
        return;
    name->is_region = true;
    uint32_t category = name_of(import, XTF_CHROME_CAT); /* may move the name */
    xtf_chrome_name_at(&import->names, number)->category = category;
}

/* Counts the event if it is part of a flow by "bind_id". */
static void note_bound_flow(XtfChromeImport *import)
{
    import->bound_flows += import->event.members[XTF_CHROME_BIND_ID].kind != XTF_CHROME_NONE;
}

static bool collect_call(XtfChromeImport *import, uint32_t location, int64_t time, XtfChromeKind kind, GError **error)
{
    const XtfChromeStored *stored = begin_entry(import, kind);

    if (kind == XTF_CHROME_BEGIN)
        note_region(import, stored->name);
    note_bound_flow(import);
    xtf_chrome_store_arguments(import, 0);
    return xtf_chrome_sort_entry(import, location, time, import->order, error);
}

static bool collect_slice(XtfChromeImport *import, uint32_t location, int64_t time, GError **error)
{
    XtfChromeStored *stored = begin_entry(import, XTF_CHROME_SLICE);
    int64_t duration;

    if (!read_time(import, XTF_CHROME_DUR, &duration)) {
        import->no_durations++;
        duration = 0;
    }
    import->backward_durations += duration < 0;
    duration = MAX(duration, 0);
    stored->value = (uint64_t)(time + duration) + XTF_CHROME_BIAS;
    note_region(import, stored->name);
    xtf_chrome_location_at(&import->places, location)->has_slices = true;
    note_bound_flow(import);
    xtf_chrome_store_arguments(import, 0);
    return xtf_chrome_sort_entry(
        import, location, time,
        (uint64_t)XTF_CHROME_SLICES << XTF_CHROME_CLASS_SHIFT | (LONGEST - MIN((uint64_t)duration, LONGEST)), error);
}

static bool collect_marker(XtfChromeImport *import, uint32_t location, int64_t time, GError **error)
{
    const char *scope = xtf_chrome_text(&import->event, XTF_CHROME_S);

    begin_entry(import, XTF_CHROME_MARKER)->label = *scope == 'g' ? 2 : *scope == 'p' ? 1 : 0;
    xtf_chrome_store_arguments(import, 0);
    return xtf_chrome_sort_entry(import, location, time, order_of(import, location), error);
}

static bool collect_async(XtfChromeImport *import, uint32_t location, int64_t time, char phase, GError **error)
{
    const char *id = xtf_chrome_text(&import->event, XTF_CHROME_ID);
    uint32_t category = name_of(import, XTF_CHROME_CAT);
    XtfChromeStored *stored = begin_entry(import, XTF_CHROME_ASYNC);

    stored->label = strchr("bS", phase)   ? XTF_LABEL_ASYNC_BEGIN
                    : strchr("eF", phase) ? XTF_LABEL_ASYNC_END
                                          : XTF_LABEL_ASYNC_INSTANT;
    stored->detail = category;
    stored->value = xtf_chrome_read_id(id, strlen(id));
    xtf_chrome_store_arguments(import, 0);
    return xtf_chrome_sort_entry(import, location, time, order_of(import, location), error);
}

/* ---- Counters. */

/* Returns the index of a series. Its name is that of the counter, its id if that is not the thread, and that of the
 * series if that is not "value". */
static uint32_t metric_of(XtfChromeImport *import, const char *series)
{
    const XtfChromeEvent *event = &import->event;
    const char *id = xtf_chrome_text(event, XTF_CHROME_ID);
    bool has_id = *id && strcmp(id, xtf_chrome_text(event, XTF_CHROME_TID)) != 0,
         has_series = strcmp(series, "value") != 0;
    g_autofree char *text = g_strconcat(xtf_chrome_text(event, XTF_CHROME_NAME), has_id ? " " : "", has_id ? id : "",
                                        has_series ? " " : "", has_series ? series : "", NULL);
    const XtfChromeMetric metric = {.name = xtf_chrome_name(&import->names, text)};
    uint32_t i = GPOINTER_TO_UINT(g_hash_table_lookup(import->metric_index, GUINT_TO_POINTER(metric.name)));

    if (i > 0)
        return i - 1;
    g_array_append_val(import->metrics, metric);
    g_hash_table_insert(import->metric_index, GUINT_TO_POINTER(metric.name), GUINT_TO_POINTER(import->metrics->len));
    return import->metrics->len - 1;
}

/* Reads a counter's value: a number, or a text of a number that JSON lacks. */
static bool read_counter(const XtfChromeEvent *event, const XtfChromeValue *value, unsigned *type, uint64_t *bits)
{
    XtfChromeValue number = *value;

    if (value->kind == XTF_CHROME_TEXT) {
        const char *text = xtf_chrome_bytes(event, value->at);
        if (strcmp(text, "NaN") != 0 && strcmp(text, "Infinity") != 0 && strcmp(text, "-Infinity") != 0)
            return false;
        number.kind = XTF_CHROME_NUMBER;
    }
    return xtf_chrome_number(event, &number, type, bits);
}

static bool collect_counter(XtfChromeImport *import, uint32_t location, int64_t time, GError **error)
{
    const XtfChromeEvent *event = &import->event;
    uint64_t order = order_of(import, location);
    bool any = false;

    for (guint i = 0; i < event->arguments->len; i++) {
        const XtfChromeArgument *argument = &g_array_index(event->arguments, XtfChromeArgument, i);
        unsigned type;
        uint64_t value;
        if (!read_counter(event, &argument->value, &type, &value))
            continue;
        uint32_t metric = metric_of(import, xtf_chrome_bytes(event, argument->key));
        XtfChromeStored *stored = begin_entry(import, XTF_CHROME_COUNTER);
        stored->name = metric;
        stored->label = (uint8_t)type;
        stored->value = value;
        g_array_index(import->metrics, XtfChromeMetric, metric).real |= type != XTF_CHROME_INT64;
        if (!xtf_chrome_sort_entry(import, location, time, order, error))
            return false;
        any = true;
    }
    return any || xtf_chrome_leave_out(import, XTF_CHROME_NO_VALUE);
}

/* ---- Flows. */

/* Takes an argument that is a number up to `most` out of the event. */
static bool take_number(XtfChromeEvent *event, const char *name, uint64_t most, uint64_t *number)
{
    for (guint i = 0; i < event->arguments->len; i++) {
        const XtfChromeArgument *argument = &g_array_index(event->arguments, XtfChromeArgument, i);
        const char *text = xtf_chrome_bytes(event, argument->value.at);
        if (argument->value.kind != XTF_CHROME_NUMBER || strcmp(xtf_chrome_bytes(event, argument->key), name) != 0 ||
            !xtf_chrome_read_unsigned(text, argument->value.size, number) || *number > most)
            continue;
        g_array_remove_index(event->arguments, i);
        return true;
    }
    return false;
}

/* Returns the number of a flow's id in its scope: of the text "scope", and of the process if the id is local. */
static uint64_t scoped_id(XtfChromeImport *import, uint32_t location, uint64_t id)
{
    const char *scope = xtf_chrome_text(&import->event, XTF_CHROME_SCOPE);
    const XtfChromeValue *local = &import->event.members[XTF_CHROME_LOCAL];
    const bool is_local = local->kind == XTF_CHROME_BOOLEAN && local->size > 0;
    const uint32_t process = xtf_chrome_location_at(&import->places, location)->process;

    if (*scope == '\0' && !is_local)
        return id;
    g_autofree char *text =
        g_strdup_printf("%" PRIx64 " %" PRIx64 " %s", id, is_local ? process + UINT64_C(1) : 0, scope);
    return xtf_chrome_read_id(text, strlen(text));
}

static bool collect_flow(XtfChromeImport *import, uint32_t location, int64_t time, char phase, GError **error)
{
    const char *id = xtf_chrome_text(&import->event, XTF_CHROME_ID);
    XtfChromeFlow flow = {.location = location, .order = order_of(import, location), .phase = (uint8_t)phase};
    uint32_t category = name_of(import, XTF_CHROME_CAT);
    uint64_t tag = xtf_chrome_read_id(id, strlen(id)), peer;
    XtfSortKey key = {.major = scoped_id(import, location, tag), .least = (uint64_t)time + XTF_CHROME_BIAS};

    flow.stored = *begin_entry(import, XTF_CHROME_SEND);
    key.minor = (uint64_t)flow.stored.name << 32 | category;
    flow.has_tag = take_number(&import->event, "tag", XTF_NONE32 - 1, &tag);
    flow.has_bytes = take_number(&import->event, "bytes", UINT64_MAX - 1, &flow.stored.value);
    flow.has_peer = take_number(&import->event, "peer", INT32_MAX, &peer);
    flow.stored.detail = tag < XTF_NONE32 ? (uint32_t)tag : (uint32_t)((tag ^ tag >> 32) & INT32_MAX);
    flow.stored.peer = flow.has_peer ? (uint32_t)peer : 0;
    flow.stored.value = flow.has_bytes ? flow.stored.value : 0;
    g_byte_array_set_size(import->entry, 0);
    g_byte_array_append(import->entry, (const guint8 *)&flow, sizeof flow);
    xtf_chrome_store_arguments(import, G_STRUCT_OFFSET(XtfChromeFlow, stored));
    return xtf_sort_add(import->flows, &key, import->entry->data, import->entry->len, error);
}

/* ---- Metadata. */

static void read_order(const XtfChromeEvent *event, bool *has, int64_t *order)
{
    const XtfChromeValue *value = xtf_chrome_argument(event, "sort_index");

    if (value && value->kind == XTF_CHROME_NUMBER)
        *has |= xtf_chrome_read_integer(xtf_chrome_bytes(event, value->at), value->size, order);
}

static uint32_t argument_text(XtfChromeImport *import, const char *name)
{
    const XtfChromeValue *value = xtf_chrome_argument(&import->event, name);
    bool is_text = value && (value->kind == XTF_CHROME_TEXT || value->kind == XTF_CHROME_NUMBER);

    return is_text ? xtf_chrome_name(&import->names, xtf_chrome_bytes(&import->event, value->at)) : 0;
}

/* Replaces the number of a text, unless the event has none. */
static void replace_text(uint32_t *number, uint32_t text)
{
    *number = text > 0 ? text : *number;
}

static void collect_metadata(XtfChromeImport *import)
{
    const char *name = xtf_chrome_text(&import->event, XTF_CHROME_NAME);

    if (g_str_has_prefix(name, "thread_")) {
        uint32_t i = location_of(import), text = argument_text(import, "name");
        if (i == UINT32_MAX)
            return;
        XtfChromeLocation *location = xtf_chrome_location_at(&import->places, i);
        if (strcmp(name, "thread_name") == 0)
            replace_text(&location->name, text);
        else if (strcmp(name, "thread_sort_index") == 0)
            read_order(&import->event, &location->has_order, &location->order);
    } else if (g_str_has_prefix(name, "process_")) {
        uint32_t i = xtf_chrome_process(&import->places, id_of(import, XTF_CHROME_PID));
        uint32_t text = argument_text(import, "name"), labels = argument_text(import, "labels");
        if (i == UINT32_MAX)
            return;
        XtfChromeProcess *process = xtf_chrome_process_at(&import->places, i);
        if (strcmp(name, "process_name") == 0)
            replace_text(&process->name, text);
        else if (strcmp(name, "process_labels") == 0)
            replace_text(&process->labels, labels);
        else if (strcmp(name, "process_sort_index") == 0)
            read_order(&import->event, &process->has_order, &process->order);
    }
}

/* ---- All events. */

static bool count_other_phase(XtfChromeImport *import, const char *phase)
{
    gsize size = MIN(strlen(phase), PHASE_BYTES);

    while (size > 0 && ((uint8_t)phase[size] & 0xc0) == 0x80) /* inside a character */
        size--;
    g_autofree char *text = g_strndup(phase, size);
    uint64_t *n = g_hash_table_lookup(import->other_phases, text);
    if (!n && g_hash_table_size(import->other_phases) < OTHER_PHASES)
        g_hash_table_insert(import->other_phases, g_steal_pointer(&text), n = g_new0(uint64_t, 1));
    if (n)
        ++*n;
    return xtf_chrome_leave_out(import, *phase ? XTF_CHROME_OTHER_PHASE : XTF_CHROME_NO_PHASE);
}

bool xtf_chrome_collect(XtfChromeImport *import, GError **error)
{
    const char *text = xtf_chrome_text(&import->event, XTF_CHROME_PH);
    const char phase = text[0];
    int64_t time;

    if (phase == '\0' || text[1] != '\0' || !strchr("MBEXCstfbneSTpFiIR", phase))
        return count_other_phase(import, text);
    if (phase == 'M') {
        collect_metadata(import);
        return true;
    }
    if (!read_time(import, XTF_CHROME_TS, &time))
        return xtf_chrome_leave_out(import, XTF_CHROME_NO_TIME);
    uint32_t location = location_of(import);
    if (location == UINT32_MAX)
        return xtf_chrome_leave_out(import, XTF_CHROME_NO_PLACE);
    import->order++;
    switch (phase) {
    case 'B':
    case 'E':
        return collect_call(import, location, time, phase == 'B' ? XTF_CHROME_BEGIN : XTF_CHROME_END, error);
    case 'X':
        return collect_slice(import, location, time, error);
    case 'C':
        return collect_counter(import, location, time, error);
    case 's':
    case 't':
    case 'f':
        return collect_flow(import, location, time, phase, error);
    case 'i':
    case 'I':
    case 'R':
        return collect_marker(import, location, time, error);
    default:
        return collect_async(import, location, time, phase, error);
    }
}
