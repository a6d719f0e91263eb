#include "src/query/tree/records-file.h"

#include <string.h>

#include "libxtf/error.h"

enum {
    STREAMS_MAX = 8, /* idle ones */
};

/* A reader with its renderer. One thread uses it at a time. Meanwhile others look at `next` alone. */
typedef struct {
    XtfKept kept;
    XtfSelection *selection;
    uint64_t row;            /* what the reader gives next */
    uint64_t next;           /* what `row` will be when the stream is idle */
    XtfRecordReader *reader; /* NULL: not begun */
    XtfRenderer *renderer;
    char *line; /* the line of row - 1, if that was not needed whole */
    bool has_line;
} Stream;

static Stream *stream_new(XtfSelection *selection, uint64_t row, uint64_t next)
{
    Stream *stream = g_new(Stream, 1);
    *stream = (Stream){.selection = xtf_selection_ref(selection), .row = row, .next = next};
    return stream;
}

static void stream_free(void *data)
{
    Stream *stream = data;
    xtf_selection_unref(stream->selection);
    xtf_record_reader_free(stream->reader);
    xtf_renderer_free(stream->renderer);
    g_free(stream->line);
    g_free(stream);
}

/* Whether a stream gives the wanted row next, or gave the line of that row last. */
static gboolean stream_fits(const void *item, const void *wanted)
{
    const Stream *stream = item, *want = wanted;
    bool busy = stream->kept.busy;
    uint64_t row = busy ? stream->next : stream->row;

    return stream->selection == want->selection &&
           (row == want->row || (row == want->row + 1 && (busy || stream->has_line)));
}

static void stream_reuse(void *item, const void *wanted)
{
    Stream *stream = item;
    stream->next = ((const Stream *)wanted)->next;
}

static const XtfKeeperMethods stream_methods = {.equal = stream_fits, .reuse = stream_reuse, .free = stream_free};

void xtf_records_init(XtfRecords *records, XtfResolver *resolver, XtfFormats *formats)
{
    XtfCounters counters;

    xtf_trace_get_counters(resolver->context->trace, &counters);
    *records = (XtfRecords){.resolver = resolver, .formats = formats};
    xtf_keeper_init(&records->streams, &stream_methods, counters.cache_limit / 4, STREAMS_MAX);
}

void xtf_records_finish(XtfRecords *records)
{
    xtf_keeper_finish(&records->streams);
}

bool xtf_records_size(XtfRecords *records, XtfSelection *selection, uint64_t *size, GError **error)
{
    const XtfFormat *format = xtf_formats_of(records->formats, selection, error);
    uint64_t count, bytes;

    if (!format || !xtf_resolver_count(records->resolver, selection, &count, error))
        return false;
    if (__builtin_mul_overflow(count, (uint64_t)format->line, &bytes) || bytes > INT64_MAX)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the records of this selection make too large a file");
    *size = bytes;
    return true;
}

static bool stream_begin(Stream *stream, XtfRecords *records, XtfSpans *spans, const XtfFormat *format, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(records->formats->context, error);

    if (!locations || !(stream->reader = xtf_record_reader_new(spans, stream->row, error)))
        return false;
    stream->renderer = xtf_renderer_new(records->formats, format, locations);
    stream->line = g_malloc(format->line);
    return true;
}

static size_t stream_bytes(const Stream *stream)
{
    return xtf_record_reader_bytes(stream->reader) + xtf_renderer_bytes(stream->renderer);
}

/* ---- Lines. */

/* Renders at most `max` records from the current one on. */
static bool render_some(Stream *stream, uint64_t max, char *out, GError **error)
{
    XtfRowRun run;

    if (!xtf_record_reader_next(stream->reader, max, &run, error))
        return false;
    if (!run.n_rows)
        return xtf_damaged(error, "the trace has fewer records than it states");
    if (!xtf_renderer_run(stream->renderer, &run, out, error))
        return false;
    stream->row += run.n_rows;
    return true;
}

/* Part of a line: the first or the last of a read. A line that an earlier read began is still there. */
static bool copy_part(Stream *stream, uint64_t row, size_t from, size_t length, char *buffer, GError **error)
{
    if (!(stream->has_line && stream->row == row + 1) && !render_some(stream, 1, stream->line, error))
        return false;
    stream->has_line = true;
    memcpy(buffer, stream->line + from, length);
    return true;
}

static bool fill(Stream *stream, const XtfFormat *format, uint64_t offset, char *buffer, size_t length, GError **error)
{
    size_t line = format->line;

    for (uint64_t done = 0; length; offset += done, buffer += done, length -= done) {
        uint64_t row = offset / line;
        size_t skip = offset % line;

        if (skip || length < line || stream->row != row) {
            done = MIN(length, line - skip);
            if (!copy_part(stream, row, skip, done, buffer, error))
                return false;
        } else {
            stream->has_line = false;
            if (!render_some(stream, length / line, buffer, error))
                return false;
            done = (stream->row - row) * line;
        }
    }
    return true;
}

bool xtf_records_read(XtfRecords *records, XtfSelection *selection, uint64_t offset, char *buffer, size_t length,
                      GError **error)
{
    const XtfFormat *format = xtf_formats_of(records->formats, selection, error);
    g_autoptr(XtfSpans) spans = format && length ? xtf_resolver_spans(records->resolver, selection, error) : NULL;

    if (!format || !spans)
        return format && !length;
    bool pooled = spans->n > 1; /* one array: a descent gets there, and readers need not wait for one another */
    Stream *stream = stream_new(selection, offset / format->line, (offset + length - 1) / format->line + 1);
    if (pooled)
        stream = xtf_keeper_take(&records->streams, stream);
    bool good = (stream->reader || stream_begin(stream, records, spans, format, error)) &&
                fill(stream, format, offset, buffer, length, error);
    if (pooled)
        xtf_keeper_put(&records->streams, stream, good ? stream_bytes(stream) : 0, good);
    else
        stream_free(stream);
    return good;
}
