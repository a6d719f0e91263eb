#include "src/tree/records/records-file.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/tree/records/row-batch.h"

enum {
    STREAMS_MAX = 8,     /* most idle streams that are kept */
    BATCHES_MAX = 4,     /* most idle batches that are kept */
    BATCH_ROWS_MIN = 64, /* fewer rows are rendered immediately, without a batch */
};

/* A reader with its renderer. One thread uses it at a time. Meanwhile other threads read only `next`. */
typedef struct {
    XtfKept kept;
    XtfSelection *selection;
    uint64_t row;            /* next row of the reader */
    uint64_t next;           /* value of `row` once the stream is idle */
    XtfSpans *spans;         /* spans of the reader */
    XtfRecordReader *reader; /* NULL: the stream has not begun */
    XtfRenderer *renderer;
    char *line; /* line of row - 1, if a read needed only a part of it */
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
    xtf_spans_unref(stream->spans);
    g_free(stream->line);
    g_free(stream);
}

/* True if the wanted row is the stream's next row, or its last row, whose line the stream still has. */
static gboolean stream_fits(const void *item, const void *wanted)
{
    const Stream *stream = item, *wanted_stream = wanted;
    bool busy = stream->kept.busy;
    uint64_t row = busy ? stream->next : stream->row;

    return stream->selection == wanted_stream->selection &&
           (row == wanted_stream->row || (row == wanted_stream->row + 1 && (busy || stream->has_line)));
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
    g_mutex_init(&records->lock);
    records->batches = g_ptr_array_new_with_free_func((GDestroyNotify)xtf_row_batch_free);
}

void xtf_records_finish(XtfRecords *records)
{
    xtf_keeper_finish(&records->streams);
    g_mutex_clear(&records->lock);
    g_ptr_array_unref(records->batches);
}

bool xtf_records_size(XtfRecords *records, XtfSelection *selection, uint64_t *size, GError **error)
{
    const XtfFormat *format = xtf_formats_of(records->formats, selection, error);
    uint64_t count, bytes;

    if (!format || !xtf_resolver_count(records->resolver, selection, &count, error))
        return false;
    if (__builtin_mul_overflow(count, (uint64_t)format->line, &bytes) || bytes > INT64_MAX)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "the file of the selection's records would exceed 2^63 - 1 bytes");
    *size = bytes;
    return true;
}

static bool stream_begin(Stream *stream, XtfRecords *records, XtfSpans *spans, const XtfFormat *format, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(records->formats->context, error);

    if (!locations || !(stream->reader = xtf_record_reader_new(spans, stream->row, error)))
        return false;
    stream->spans = xtf_spans_ref(spans);
    stream->renderer = xtf_renderer_new(records->formats, format, locations);
    stream->line = g_malloc(format->line);
    return true;
}

static size_t stream_bytes(const Stream *stream)
{
    return xtf_record_reader_bytes(stream->reader) + xtf_renderer_bytes(stream->renderer);
}

/* ---- Lines. */

/* Renders at most `max` records, beginning with the current one. */
static bool render_lines(Stream *stream, uint64_t max, char *out, GError **error)
{
    XtfRowRun run;

    if (!xtf_record_reader_next(stream->reader, max, &run, error))
        return false;
    if (!run.n_rows)
        return xtf_damaged(error, "the trace has fewer records than its index states");
    if (!xtf_renderer_run(stream->renderer, &run, out, error))
        return false;
    stream->row += run.n_rows;
    return true;
}

/* Copies part of a line, at the begin or end of a read. Reuses the line if an earlier read rendered it. */
static bool copy_line_part(Stream *stream, uint64_t row, size_t from, size_t length, char *buffer, GError **error)
{
    if (!(stream->has_line && stream->row == row + 1) && !render_lines(stream, 1, stream->line, error))
        return false;
    stream->has_line = true;
    memcpy(buffer, stream->line + from, length);
    return true;
}

/* Adds whole lines from the stream's row on. Renders them immediately, or gathers their rows in `batch`. */
static bool add_whole_lines(Stream *stream, const XtfFormat *format, uint64_t most, char *buffer, XtfRowBatch *batch,
                            GError **error)
{
    stream->has_line = false;
    if (!batch || most < BATCH_ROWS_MIN)
        return render_lines(stream, most, buffer, error);
    if (!xtf_row_batch_gather(batch, stream->reader, stream->spans, most, format->line, buffer, error))
        return false;
    stream->row += most;
    return true;
}

/* Fills the buffer. Gathers rows in `batch` to render them later, or renders them immediately if `batch` is NULL. */
static bool fill_buffer(Stream *stream, const XtfFormat *format, uint64_t offset, char *buffer, size_t length,
                        XtfRowBatch *batch, GError **error)
{
    size_t line = format->line;

    for (uint64_t done = 0; length; offset += done, buffer += done, length -= done) {
        uint64_t row = offset / line;
        size_t skip = offset % line;

        if (skip || length < line || stream->row != row) {
            done = MIN(length, line - skip);
            if (!copy_line_part(stream, row, skip, done, buffer, error))
                return false;
        } else {
            if (!add_whole_lines(stream, format, length / line, buffer, batch, error))
                return false;
            done = (stream->row - row) * line;
        }
    }
    return true;
}

/* ---- Batches. */

static XtfRowBatch *take_batch(XtfRecords *records)
{
    XtfRowBatch *batch = NULL;

    g_mutex_lock(&records->lock);
    if (records->batches->len > 0)
        batch = g_ptr_array_steal_index_fast(records->batches, records->batches->len - 1);
    g_mutex_unlock(&records->lock);
    return batch ? batch : xtf_row_batch_new();
}

static void put_batch(XtfRecords *records, XtfRowBatch *batch, bool good)
{
    g_mutex_lock(&records->lock);
    if (good && records->batches->len < BATCHES_MAX)
        g_ptr_array_add(records->batches, g_steal_pointer(&batch));
    g_mutex_unlock(&records->lock);
    xtf_row_batch_free(batch);
}

/* Adds `more`, 1 or -1, to the number of threads that render. Returns the previous number. */
static unsigned add_rendering_threads(XtfRecords *records, int more)
{
    g_mutex_lock(&records->lock);
    unsigned before = records->rendering;
    records->rendering += (unsigned)more;
    g_mutex_unlock(&records->lock);
    return before;
}

/* Renders a batch. Other threads help only if no other request renders at the same time. */
static bool render_batch(XtfRecords *records, const XtfFormat *format, XtfRowBatch *batch, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(records->formats->context, error);
    if (!locations)
        return false;
    bool is_only = add_rendering_threads(records, 1) == 0;
    bool good = xtf_row_batch_render(batch, records->formats, format, locations, is_only, error);

    add_rendering_threads(records, -1);
    return good;
}

/* Reads from at most one array by a new stream: a descent finds the row, so reads need not share streams. */
static bool read_single_array(XtfRecords *records, Stream *stream, XtfSpans *spans, const XtfFormat *format,
                              uint64_t offset, char *buffer, size_t length, GError **error)
{
    bool good = stream_begin(stream, records, spans, format, error) &&
                fill_buffer(stream, format, offset, buffer, length, NULL, error);

    stream_free(stream);
    return good;
}

bool xtf_records_read(XtfRecords *records, XtfSelection *selection, uint64_t offset, char *buffer, size_t length,
                      GError **error)
{
    const XtfFormat *format = xtf_formats_of(records->formats, selection, error);
    g_autoptr(XtfSpans) spans = format && length ? xtf_resolver_spans(records->resolver, selection, error) : NULL;

    if (!format || !spans)
        return format && !length;
    Stream *stream = stream_new(selection, offset / format->line, (offset + length - 1) / format->line + 1);
    if (spans->n <= 1)
        return read_single_array(records, stream, spans, format, offset, buffer, length, error);
    /* A stream's renderer keeps the readers that find the cells of calls. */
    XtfRowBatch *batch = xtf_format_shows_calls(format) ? NULL : take_batch(records);
    stream = xtf_keeper_take(&records->streams, stream);
    bool good = (stream->reader || stream_begin(stream, records, spans, format, error)) &&
                fill_buffer(stream, format, offset, buffer, length, batch, error);
    xtf_keeper_put(&records->streams, stream, good ? stream_bytes(stream) : 0, good);
    if (batch) {
        good = good && render_batch(records, format, batch, error);
        put_batch(records, batch, good);
    }
    return good;
}
