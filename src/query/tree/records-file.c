#include "src/query/tree/records-file.h"

#include <string.h>

#include "libxtf/error.h"

enum {
    STREAMS_MAX = 8, /* idle ones */
};

/*
 * A merge with its renderer. Free: nobody's. Busy: one reader's, from the moment it is in `streams` until it is put
 * back. Only `busy` and `next` are looked at by others meanwhile, with the lock held.
 */
typedef struct {
    XtfSelection *selection;
    XtfMerge *merge;
    XtfRenderer *renderer;
    uint64_t row; /* what the merge gives next */
    char *line;   /* the line of row - 1, if that was not needed whole */
    bool has_line;
    bool busy;
    uint64_t next; /* what `row` is, or will be once it is idle */
    GList link;
} Stream;

void xtf_records_init(XtfRecords *records, XtfResolver *resolver, XtfFormats *formats)
{
    XtfCounters counters;

    memset(records, 0, sizeof *records);
    records->resolver = resolver;
    records->formats = formats;
    g_mutex_init(&records->lock);
    g_cond_init(&records->stopped);
    g_queue_init(&records->streams);
    xtf_trace_get_counters(resolver->context->trace, &counters);
    records->bytes_max = counters.cache_limit / 4;
}

static void stream_free(Stream *stream)
{
    if (!stream)
        return;
    xtf_selection_unref(stream->selection);
    xtf_merge_free(stream->merge);
    xtf_renderer_free(stream->renderer);
    g_free(stream->line);
    g_free(stream);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stream, stream_free)

void xtf_records_finish(XtfRecords *records)
{
    GList *link;
    while ((link = g_queue_pop_head_link(&records->streams)))
        stream_free(link->data);
    g_cond_clear(&records->stopped);
    g_mutex_clear(&records->lock);
}

bool xtf_records_size(XtfRecords *records, XtfSelection *selection, uint64_t *size, GError **error)
{
    const XtfFormat *format = xtf_formats_get(records->formats, selection->type, error);
    uint64_t count, bytes;

    if (!format || !xtf_resolver_count(records->resolver, selection, &count, error))
        return false;
    if (__builtin_mul_overflow(count, (uint64_t)format->line, &bytes) || bytes > INT64_MAX) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED, "the records of this selection make too large a file");
        return false;
    }
    *size = bytes;
    return true;
}

/* ---- Getting a stream. */

static Stream *stream_new(XtfRecords *records, XtfSelection *selection, XtfSpans *spans, const XtfFormat *format,
                          uint64_t row, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(records->formats->context, error);
    g_autoptr(Stream) stream = g_new0(Stream, 1);

    stream->selection = xtf_selection_ref(selection);
    stream->row = row;
    stream->link.data = stream;
    if (!locations || !(stream->merge = xtf_merge_new(spans, row, error)))
        return NULL;
    stream->renderer = xtf_renderer_new(records->formats, format, locations);
    stream->line = g_malloc(format->line);
    return g_steal_pointer(&stream);
}

/* With the lock held: a stream that gives `row` next, or gave the line of it last. */
static Stream *find_stream(XtfRecords *records, const XtfSelection *selection, uint64_t row)
{
    for (GList *link = records->streams.head; link; link = link->next) {
        Stream *stream = link->data;
        bool last_line = stream->next == row + 1 && (stream->busy || stream->has_line);
        if (stream->selection == selection && (stream->next == row || last_line))
            return stream;
    }
    return NULL;
}

/* Waits for one that is busy just before `row`; NULL if there is none. What it gets is busy, and on its way to `next`.
 */
static Stream *take_stream(XtfRecords *records, const XtfSelection *selection, uint64_t row, uint64_t next)
{
    Stream *stream;

    g_mutex_lock(&records->lock);
    while ((stream = find_stream(records, selection, row)) && stream->busy)
        g_cond_wait(&records->stopped, &records->lock);
    if (stream) {
        stream->busy = true;
        stream->next = next;
        g_queue_unlink(&records->streams, &stream->link);
        g_queue_push_head_link(&records->streams, &stream->link);
    }
    g_mutex_unlock(&records->lock);
    return stream;
}

static void announce_stream(XtfRecords *records, Stream *stream, uint64_t next)
{
    g_mutex_lock(&records->lock);
    stream->busy = true;
    stream->next = next;
    g_queue_push_head_link(&records->streams, &stream->link);
    g_mutex_unlock(&records->lock);
}

/* The idle streams that are too many, oldest first; with the lock held. */
static void drop_idle(XtfRecords *records, GQueue *dropped)
{
    uint64_t n_idle = 0, bytes = 0;

    for (GList *link = records->streams.head, *next; link; link = next) {
        Stream *stream = link->data;
        next = link->next;
        if (stream->busy)
            continue;
        bytes += xtf_merge_bytes(stream->merge);
        if (n_idle++ && (n_idle > STREAMS_MAX || bytes > records->bytes_max)) {
            g_queue_unlink(&records->streams, link);
            g_queue_push_tail_link(dropped, link);
        }
    }
}

static void put_stream(XtfRecords *records, Stream *stream, bool good)
{
    GQueue dropped = G_QUEUE_INIT;
    GList *link;

    g_mutex_lock(&records->lock);
    stream->busy = false;
    stream->next = stream->row;
    if (!good) {
        g_queue_unlink(&records->streams, &stream->link);
        g_queue_push_tail_link(&dropped, &stream->link);
    }
    drop_idle(records, &dropped);
    g_cond_broadcast(&records->stopped);
    g_mutex_unlock(&records->lock);
    while ((link = g_queue_pop_head_link(&dropped)))
        stream_free(link->data);
}

/* ---- Lines. */

/* Renders at most `max` records from the current one on. */
static bool render_some(Stream *stream, uint64_t max, char *out, uint64_t *n, GError **error)
{
    XtfRowRun run;

    if (!xtf_merge_next(stream->merge, max, &run, error))
        return false;
    if (!run.n_rows) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "the trace has fewer records than it states");
        return false;
    }
    if (!xtf_renderer_run(stream->renderer, &run, out, error))
        return false;
    stream->row += run.n_rows;
    *n = run.n_rows;
    return true;
}

/* Part of a line: the first or the last of a read. A line that an earlier read began is still there. */
static bool copy_part(Stream *stream, uint64_t row, size_t from, size_t length, char *buffer, GError **error)
{
    uint64_t n;

    if (!(stream->has_line && stream->row == row + 1) && !render_some(stream, 1, stream->line, &n, error))
        return false;
    stream->has_line = true;
    memcpy(buffer, stream->line + from, length);
    return true;
}

static bool fill(Stream *stream, const XtfFormat *format, uint64_t offset, char *buffer, size_t length, GError **error)
{
    size_t line = format->line;

    for (uint64_t done = 0; length; offset += done, buffer += done, length -= done) {
        uint64_t row = offset / line, n;
        size_t skip = offset % line;

        if (skip || length < line || stream->row != row) {
            done = MIN(length, line - skip);
            if (!copy_part(stream, row, skip, done, buffer, error))
                return false;
        } else {
            stream->has_line = false;
            if (!render_some(stream, length / line, buffer, &n, error))
                return false;
            done = n * line;
        }
    }
    return true;
}

bool xtf_records_read(XtfRecords *records, XtfSelection *selection, uint64_t offset, char *buffer, size_t length,
                      GError **error)
{
    const XtfFormat *format = xtf_formats_get(records->formats, selection->type, error);
    g_autoptr(XtfSpans) spans = format && length ? xtf_resolver_spans(records->resolver, selection, error) : NULL;
    uint64_t row, next;
    Stream *stream;
    bool good, pooled;

    if (!format || !spans)
        return format && !length;
    row = offset / format->line;
    next = (offset + length - 1) / format->line + 1;
    pooled = spans->n > 1; /* one array: a descent gets there, and readers need not wait for one another */
    stream = pooled ? take_stream(records, selection, row, next) : NULL;
    if (!stream) {
        stream = stream_new(records, selection, spans, format, row, error);
        if (!stream)
            return false;
        if (pooled)
            announce_stream(records, stream, next);
    }
    good = fill(stream, format, offset, buffer, length, error);
    if (pooled)
        put_stream(records, stream, good);
    else
        stream_free(stream);
    return good;
}
