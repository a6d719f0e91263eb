/*
 * Appends the sorted entries to the trace, one location after another.
 */
#include <string.h>

#include "src/import/chrome/calls.h"
#include "src/import/chrome/import.h"
#include "src/import/messages.h"

enum {
    BEAT = 1 << 14,        /* entries between two signs of progress */
    TYPES = 32,            /* see define.c */
    AHEAD_MAX = 1 << 12,   /* most entries that are read ahead */
    AHEAD_BYTES = 4 << 20, /* most bytes of their data, up to one entry more */
};

/* Entries that were read ahead. */
typedef struct {
    GPtrArray *entries; /* of XtfSortEntry, which their data follows */
    guint at;           /* the next one to return */
    gsize bytes;
    bool ended;
    GError *error;
    XtfSortKey ordered; /* place and time whose entries are in order */
    bool any_ordered;
} Ahead;

typedef struct {
    XtfChromeImport *import;
    XtfStream stream;
    XtfChromeCalls calls;
    Ahead ahead;
    uint64_t shift;    /* ticks from the sort's times to the trace's */
    uint64_t location; /* index of the open one; UINT64_MAX: none */
    uint64_t n_records, n_locations, n_entries;
    uint64_t never_left;
} Writing;

/* ---- The order of entries at one time. */

static void init_ahead(Ahead *ahead)
{
    *ahead = (Ahead){.entries = g_ptr_array_new_with_free_func(g_free)};
}

static void finish_ahead(Ahead *ahead)
{
    g_ptr_array_unref(ahead->entries);
    g_clear_error(&ahead->error);
}

static void keep_entry(Ahead *ahead, const XtfSortEntry *entry)
{
    XtfSortEntry *copy = g_malloc(sizeof *copy + entry->size);

    *copy = *entry;
    copy->data = memcpy(copy + 1, entry->data, entry->size);
    ahead->bytes += entry->size;
    g_ptr_array_add(ahead->entries, copy);
}

/* Returns the entry that follows `k` other entries; NULL: there is none, or it is too far ahead. */
static XtfSortEntry *peek_entry(Writing *writing, guint k)
{
    Ahead *ahead = &writing->ahead;
    XtfSortEntry entry;

    while (ahead->entries->len - ahead->at <= k) {
        if (ahead->ended || ahead->error || k >= AHEAD_MAX || ahead->bytes >= AHEAD_BYTES ||
            !xtf_sort_next(writing->import->sort, &entry, &ahead->error))
            return NULL;
        ahead->ended = !entry.data;
        if (entry.data)
            keep_entry(ahead, &entry);
    }
    return g_ptr_array_index(ahead->entries, ahead->at + k);
}

static XtfChromeKind kind_of(const XtfSortEntry *entry)
{
    return ((const XtfChromeStored *)entry->data)->kind;
}

static bool is_at(const XtfSortEntry *entry, const XtfSortKey *key)
{
    return entry && entry->key.major == key->major && entry->key.minor == key->minor;
}

/* Finds the ends of the last `n` calls of BEGIN among the next `after` entries. Ends after `limit` are UINT64_MAX. */
static void find_ends(Writing *writing, guint after, uint64_t limit, uint64_t *ends, guint n)
{
    const uint64_t location = peek_entry(writing, 0)->key.major;
    const XtfSortEntry *entry;
    uint64_t depth = n; /* open calls that began with these or later */

    for (guint i = 0; i < n; i++)
        ends[i] = UINT64_MAX;
    for (; n > 0 && (entry = peek_entry(writing, after)) && entry->key.major == location && entry->key.minor <= limit;
         after++) {
        depth += kind_of(entry) == XTF_CHROME_BEGIN;
        depth -= kind_of(entry) == XTF_CHROME_END;
        if (depth < n)
            ends[n = (guint)depth] = entry->key.minor;
    }
}

/* Merges calls of BEGIN and slices: the one that ends later is outside. */
static void merge_calls(Writing *writing, guint after, const GPtrArray *begun, const GPtrArray *slices,
                        GPtrArray *merged)
{
    g_autofree uint64_t *ends = g_new(uint64_t, (gsize)begun->len + 1);
    guint i = 0;

    if (slices->len > 0) {
        const XtfSortEntry *longest = g_ptr_array_index(slices, 0);
        find_ends(writing, after, ((const XtfChromeStored *)longest->data)->value, ends, begun->len);
    }
    for (guint k = 0; k < slices->len; k++) {
        XtfSortEntry *slice = g_ptr_array_index(slices, k);
        for (; i < begun->len && ends[i] >= ((const XtfChromeStored *)slice->data)->value; i++)
            g_ptr_array_add(merged, g_ptr_array_index(begun, i));
        g_ptr_array_add(merged, slice);
    }
    for (; i < begun->len; i++)
        g_ptr_array_add(merged, g_ptr_array_index(begun, i));
}

/* Puts the entries of a thread with slices at one time in order. BEGINs and ENDs up to the last END precede. Further
 * BEGINs and slices follow as they nest, then entries that are no calls. */
static void order_entries(Writing *writing, const XtfSortKey *key)
{
    g_autoptr(GPtrArray) order = g_ptr_array_new(), begun = g_ptr_array_new(), slices = g_ptr_array_new(),
                         inner = g_ptr_array_new();
    XtfSortEntry *entry;
    guint n = 0;

    for (; is_at(entry = peek_entry(writing, n), key); n++) {
        XtfChromeKind kind = kind_of(entry);
        if (kind == XTF_CHROME_END) {
            g_ptr_array_extend(order, begun, NULL, NULL);
            g_ptr_array_set_size(begun, 0);
        }
        g_ptr_array_add(kind == XTF_CHROME_END     ? order
                        : kind == XTF_CHROME_BEGIN ? begun
                        : kind == XTF_CHROME_SLICE ? slices
                                                   : inner,
                        entry);
    }
    merge_calls(writing, n, begun, slices, order);
    g_ptr_array_extend(order, inner, NULL, NULL);
    memcpy(&writing->ahead.entries->pdata[writing->ahead.at], order->pdata, n * sizeof *order->pdata);
    writing->ahead.ordered = *key;
    writing->ahead.any_ordered = true;
}

/* True if the entries from this one on at its time may have to be put in order. */
static bool wants_order(const Writing *writing, const XtfSortEntry *entry)
{
    const Ahead *ahead = &writing->ahead;

    return entry->key.least >> XTF_CHROME_CLASS_SHIFT == XTF_CHROME_PLAIN && kind_of(entry) != XTF_CHROME_END &&
           !(ahead->any_ordered && is_at(entry, &ahead->ordered)) &&
           xtf_chrome_location_at(&writing->import->places, (uint32_t)entry->key.major)->has_slices;
}

/* Frees the entries that were returned, if they are many or all. */
static void forget_entries(Ahead *ahead)
{
    if (ahead->at < AHEAD_MAX && ahead->at < ahead->entries->len)
        return;
    for (guint i = 0; i < ahead->at; i++)
        ahead->bytes -= ((const XtfSortEntry *)g_ptr_array_index(ahead->entries, i))->size;
    if (ahead->at > 0)
        g_ptr_array_remove_range(ahead->entries, 0, ahead->at);
    ahead->at = 0;
}

/* Returns the next entry in order, as xtf_sort_next() does. */
static bool next_entry(Writing *writing, XtfSortEntry *entry, GError **error)
{
    Ahead *ahead = &writing->ahead;

    forget_entries(ahead);
    if (ahead->entries->len == 0 && !ahead->ended) {
        if (!xtf_sort_next(writing->import->sort, entry, error))
            return false;
        if (!entry->data || !wants_order(writing, entry))
            return true;
        keep_entry(ahead, entry);
    }
    *entry = (XtfSortEntry){0};
    if (ahead->at < ahead->entries->len) {
        const XtfSortEntry *next = g_ptr_array_index(ahead->entries, ahead->at);
        if (wants_order(writing, next))
            order_entries(writing, &next->key);
        *entry = *(const XtfSortEntry *)g_ptr_array_index(ahead->entries, ahead->at++);
    }
    if (!ahead->error)
        return true;
    g_propagate_error(error, g_steal_pointer(&ahead->error));
    return false;
}

/* ---- Records. */

static bool append_attributes(Writing *writing, const XtfChromeStored *stored)
{
    const XtfChromeStoredArgument *arguments = (const XtfChromeStoredArgument *)(stored + 1);
    XtfStream *stream = &writing->stream;

    for (unsigned i = 0; i < stored->n_arguments; i++) {
        const XtfChromeStoredArgument *argument = &arguments[i];
        bool text = argument->type == XTF_CHROME_STRING;
        const XtfAttributesRow row = {
            .time = stream->last_time,
            .seq = stream->seq - 1,
            .attribute = xtf_definitions_row(stream->definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS,
                                             argument->name * TYPES + argument->type),
            .type = (uint8_t)argument->type,
            .value = text ? writing->import->texts[argument->value] : argument->value,
        };
        if (!xtf_stream_append_row(stream, XTF_MODEL_ATTRIBUTES, &row))
            return false;
    }
    return true;
}

static bool append_message(Writing *writing, const XtfChromeStored *stored, uint64_t time)
{
    const uint32_t peer = xtf_chrome_process_at(&writing->import->places, stored->peer)->row;

    if (stored->kind == XTF_CHROME_SEND) {
        XtfSendsRow row = {.region = xtf_stream_region(&writing->stream),
                           .peer = peer,
                           .tag = stored->detail,
                           .bytes = stored->value,
                           .request = XTF_NONE64};
        return xtf_stream_send(&writing->stream, time, &row);
    }
    XtfRecvsRow row = {.region = xtf_stream_region(&writing->stream),
                       .peer = peer,
                       .tag = stored->detail,
                       .bytes = stored->value,
                       .request = XTF_NONE64};
    return xtf_stream_recv(&writing->stream, time, &row);
}

/* Converts a counter's value to the type of its metric. */
static uint64_t convert_value(const XtfChromeStored *stored, bool real)
{
    double converted = stored->label == XTF_CHROME_INT64 ? (double)(int64_t)stored->value : (double)stored->value;
    uint64_t bits;

    if (!real || stored->label == XTF_CHROME_DOUBLE)
        return stored->value;
    memcpy(&bits, &converted, sizeof bits);
    return bits;
}

static bool append_counter(Writing *writing, const XtfChromeStored *stored, uint64_t time)
{
    const bool real = g_array_index(writing->import->metrics, XtfChromeMetric, stored->name).real;
    XtfStream *stream = &writing->stream;
    XtfCountersRow row = {
        .region = xtf_stream_region(stream), .metric = stored->name, .metric_class = stored->name, .n_values = 1};

    if (!xtf_stream_append(stream, XTF_MODEL_COUNTERS, XTF_LABEL_METRIC, time, &row))
        return false;
    const XtfMetricValuesRow value = {.time = row.time,
                                      .seq = row.seq,
                                      .metric = stored->name,
                                      .value_type = real ? XTF_CHROME_DOUBLE : XTF_CHROME_INT64,
                                      .value = convert_value(stored, real),
                                      .region = stream->previous_region};
    return xtf_stream_append_row(stream, XTF_MODEL_METRIC_VALUES, &value);
}

static bool append_marker(Writing *writing, const XtfChromeStored *stored, uint64_t time)
{
    XtfMarkersRow row = {.region = xtf_stream_region(&writing->stream),
                         .scope = stored->label,
                         .text = writing->import->texts[stored->name]};

    return xtf_stream_append(&writing->stream, XTF_MODEL_MARKERS, XTF_LABEL_MARKER, time, &row);
}

static bool append_async(Writing *writing, const XtfChromeStored *stored, uint64_t time)
{
    XtfAsyncRow row = {.region = xtf_stream_region(&writing->stream),
                       .id = stored->value,
                       .category = writing->import->texts[stored->detail],
                       .activity = writing->import->texts[stored->name]};

    return xtf_stream_append(&writing->stream, XTF_MODEL_ASYNC, stored->label, time, &row);
}

static bool append_end(Writing *writing, const XtfChromeStored *stored, uint64_t time)
{
    bool left, open;

    if (!xtf_chrome_calls_end(&writing->calls, time, &left, &open))
        return false;
    if (!open)
        return xtf_chrome_leave_out(writing->import, XTF_CHROME_NO_BEGIN);
    return !left || append_attributes(writing, stored);
}

static bool append_other(Writing *writing, const XtfChromeStored *stored, uint64_t time)
{
    bool (*const append[])(Writing *, const XtfChromeStored *, uint64_t) = {
        [XTF_CHROME_SEND] = append_message,  [XTF_CHROME_RECV] = append_message, [XTF_CHROME_COUNTER] = append_counter,
        [XTF_CHROME_MARKER] = append_marker, [XTF_CHROME_ASYNC] = append_async,
    };

    return xtf_chrome_calls_advance(&writing->calls, time) && append[stored->kind](writing, stored, time) &&
           append_attributes(writing, stored);
}

static bool append_entry(Writing *writing, const XtfSortEntry *entry)
{
    const XtfChromeStored *stored = entry->data;
    const uint32_t region = writing->import->regions[stored->kind == XTF_CHROME_COUNTER ? 0 : stored->name];
    const uint64_t time = entry->key.minor + writing->shift;

    switch (stored->kind) {
    case XTF_CHROME_BEGIN:
        return xtf_chrome_calls_begin(&writing->calls, time, region) && append_attributes(writing, stored);
    case XTF_CHROME_SLICE:
        return xtf_chrome_calls_slice(&writing->calls, time, stored->value + writing->shift, region) &&
               append_attributes(writing, stored);
    case XTF_CHROME_END:
        return append_end(writing, stored, time);
    default:
        return append_other(writing, stored, time);
    }
}

static bool close_location(Writing *writing, GError **error)
{
    XtfStream *stream = &writing->stream;

    if (writing->location == UINT64_MAX)
        return true;
    xtf_chrome_calls_close(&writing->calls); /* xtf_stream_end() reports a failure */
    if (!xtf_stream_end(stream, error))
        return false;
    writing->never_left += stream->never_left;
    writing->n_records += stream->seq;
    writing->n_locations += stream->seq > 0;
    return true;
}

static bool open_location(Writing *writing, uint64_t index, GError **error)
{
    const XtfChromePlaces *places = &writing->import->places;
    const XtfChromeLocation *location = xtf_chrome_location_at(places, (uint32_t)index);
    const uint64_t proc = xtf_chrome_process_at(places, location->process)->proc;

    if (!close_location(writing, error))
        return false;
    xtf_stream_begin(&writing->stream, proc << 32 | location->thread);
    writing->location = index;
    return true;
}

static bool append_all(Writing *writing, GError **error)
{
    XtfChromeImport *import = writing->import;
    XtfSortEntry entry;

    for (;;) {
        if (!next_entry(writing, &entry, error))
            return false;
        if (!entry.data)
            return close_location(writing, error);
        if (entry.key.major != writing->location && !open_location(writing, entry.key.major, error))
            return false;
        if (!append_entry(writing, &entry)) {
            g_propagate_error(error, g_steal_pointer(&writing->stream.error));
            return false;
        }
        if (++writing->n_entries % BEAT == 0)
            xtf_chrome_beat(import, XTF_CHROME_READ_SHARE, XTF_CHROME_WRITE_SHARE,
                            (double)writing->n_entries / (double)MAX(import->order, writing->n_entries));
    }
}

bool xtf_chrome_write(XtfChromeImport *import, GError **error)
{
    Writing writing = {.import = import, .location = UINT64_MAX};

    writing.shift = -XTF_CHROME_BIAS;
    if (import->has_time && import->first_time < 0)
        writing.shift -= (uint64_t)import->first_time;
    xtf_stream_init(&writing.stream, import->job->writer, &import->definitions, import->job->schemas);
    xtf_chrome_calls_init(&writing.calls, &writing.stream);
    init_ahead(&writing.ahead);
    bool good = append_all(&writing, error);
    if (good) {
        xtf_import_count(import->job, &writing.stream, writing.n_records, writing.n_locations);
        import->clipped = writing.calls.clipped;
        import->never_left = writing.never_left;
    }
    finish_ahead(&writing.ahead);
    xtf_chrome_calls_finish(&writing.calls);
    xtf_stream_finish(&writing.stream);
    return good;
}
