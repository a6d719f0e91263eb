/*
 * Appends the sorted entries to the trace, one location after another.
 */
#include <string.h>

#include "src/import/chrome/calls.h"
#include "src/import/chrome/import.h"
#include "src/import/messages.h"

enum {
    BEAT = 1 << 14, /* entries between two signs of progress */
    TYPES = 32,     /* see define.c */
};

typedef struct {
    XtfChromeImport *import;
    XtfStream stream;
    XtfChromeCalls calls;
    uint64_t shift;    /* ticks from the sort's times to the trace's */
    uint64_t location; /* index of the open one; UINT64_MAX: none */
    uint64_t n_records, n_locations, n_entries;
    uint64_t never_left;
} Writing;

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
        if (!xtf_sort_next(import->sort, &entry, error))
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
    bool good = append_all(&writing, error);
    if (good) {
        xtf_import_count(import->job, &writing.stream, writing.n_records, writing.n_locations);
        import->clipped = writing.calls.clipped;
        import->never_left = writing.never_left;
    }
    xtf_chrome_calls_finish(&writing.calls);
    xtf_stream_finish(&writing.stream);
    return good;
}
