#include "src/analysis/replay/replay-rows.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"

enum {
    ARRAYS_AT_ONCE = 64,
};

/* An array on its way. */
struct XtfReplaySource {
    XtfArray array, cancelled;
    XtfReplayRowKind kind; /* SEND, POSTING, RECV, SENT; or BEGIN, which stands for all of collectives */
    uint32_t location;
    bool any_cancelled;
    uint64_t n, n_cancelled; /* the next rows */
    bool begun;              /* the row before was a BEGIN that was handed out */
};

/* A source while a batch is read. */
typedef struct {
    XtfReplaySource *source;
    XtfCursor cursor, cancelled;
    bool found, found_cancelled;
    bool ready; /* `row` is the next one */
    XtfReplayRow row;
} Reader;

/* ---- Sources. */

void xtf_replay_rows_init(XtfReplayRows *rows, uint32_t batch_size)
{
    *rows = (XtfReplayRows){.batch_size = batch_size};
}

void xtf_replay_rows_finish(XtfReplayRows *rows)
{
    g_clear_pointer(&rows->sources, g_free);
    g_clear_pointer(&rows->batch, g_free);
    g_clear_pointer(&rows->calls, g_free);
    for (uint32_t i = 0; i < rows->n_walks; i++)
        xtf_replay_walk_finish(&rows->walks[i]);
    g_clear_pointer(&rows->walks, g_free);
    rows->n_walks = 0;
}

static void add_source(XtfReplayRows *rows, XtfReplayRowKind kind, const XtfArray *array, const XtfArray *cancelled,
                       uint32_t location)
{
    if (rows->n_sources == rows->room) {
        rows->room = MAX(4, 2 * rows->room);
        rows->sources = g_renew(XtfReplaySource, rows->sources, rows->room);
    }
    rows->sources[rows->n_sources++] = (XtfReplaySource){
        .array = *array,
        .cancelled = cancelled ? *cancelled : (XtfArray){0},
        .any_cancelled = cancelled,
        .kind = kind,
        .location = location,
    };
    rows->n_rows += array->n_rows;
}

static bool read_arrays(XtfTrace *trace, bool local, const XtfLocation *location, GArray *all, GError **error)
{
    for (uint64_t i = 0; i < location->n_arrays; i += ARRAYS_AT_ONCE) {
        XtfArray arrays[ARRAYS_AT_ONCE];
        uint64_t n = MIN(location->n_arrays - i, (uint64_t)ARRAYS_AT_ONCE);
        if (!xtf_trace_get_arrays(trace, location->first_array + i, n, arrays, error))
            return false;
        for (uint64_t a = 0; a < n; a++) {
            if (local)
                arrays[a] = xtf_array_local(&arrays[a]);
            g_array_append_val(all, arrays[a]);
        }
    }
    return true;
}

static const XtfArray *array_of(const GArray *all, const XtfSchema *schema)
{
    for (guint i = 0; schema && i < all->len; i++) {
        const XtfArray *array = &g_array_index(all, XtfArray, i);
        if (array->schema == schema && xtf_array_is_known(array, NULL))
            return array;
    }
    return NULL;
}

/* From the first to the last record of all types. */
static void add_walk(XtfReplayRows *rows, const XtfReplayCallTypes *types, const GArray *all)
{
    uint64_t first = UINT64_MAX, end = 0;

    for (guint i = 0; i < all->len; i++) {
        const XtfArray *array = &g_array_index(all, XtfArray, i);
        if (array->schema->kind != XTF_SCHEMA_RECORD)
            continue;
        first = MIN(first, array->first);
        end = MAX(end, array->last);
    }
    rows->walks = g_renew(XtfReplayWalk, rows->walks, rows->n_walks + 1);
    xtf_replay_walk_init(&rows->walks[rows->n_walks++], types, array_of(all, types->schema), first, end);
}

bool xtf_replay_rows_add(XtfReplayRows *rows, const XtfReplayFields *fields, const XtfReplayCallTypes *types,
                         XtfTrace *trace, bool local, const XtfLocation *location, uint32_t number, GError **error)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(XtfArray));

    if (!read_arrays(trace, local, location, all, error))
        return false;
    if (types)
        add_walk(rows, types, all);
    const XtfArray *sends = array_of(all, fields->sends), *postings = array_of(all, fields->postings);
    const XtfArray *recvs = array_of(all, fields->recvs), *collectives = array_of(all, fields->collectives);
    if (sends)
        add_source(rows, XTF_ROW_SEND, sends, array_of(all, fields->cancelled), number);
    if (postings)
        add_source(rows, XTF_ROW_POSTING, postings, NULL, number);
    if (recvs)
        add_source(rows, XTF_ROW_RECV, recvs, NULL, number);
    if (collectives)
        add_source(rows, XTF_ROW_BEGIN, collectives, NULL, number);
    const XtfArray *requests = types ? array_of(all, fields->requests) : NULL;
    if (requests)
        add_source(rows, XTF_ROW_SENT, requests, NULL, number);
    return true;
}

void xtf_replay_rows_rewind(XtfReplayRows *rows)
{
    for (uint32_t i = 0; i < rows->n_sources; i++) {
        rows->sources[i].n = rows->sources[i].n_cancelled = 0;
        rows->sources[i].begun = false;
    }
    for (uint32_t i = 0; i < rows->n_walks; i++)
        xtf_replay_walk_rewind(&rows->walks[i]);
    rows->at = rows->n = 0;
    g_clear_pointer(&rows->batch, g_free);
    g_clear_pointer(&rows->calls, g_free);
}

/* ---- Reading. */

static uint64_t value_or(const XtfField *field, const uint8_t *row, uint64_t none)
{
    return !field || xtf_field_is_none(field, row) ? none : xtf_field_get(field, row);
}

/* A number of 32 bits; of a wider one its greatest, which stands for none. */
static uint32_t value32(const XtfField *field, const uint8_t *row)
{
    return (uint32_t)MIN(value_or(field, row, UINT32_MAX), UINT32_MAX);
}

static bool reader_init(Reader *reader, XtfReplaySource *source, GError **error)
{
    *reader = (Reader){.source = source};
    xtf_cursor_init(&reader->cursor, &source->array);
    xtf_cursor_init(&reader->cancelled, &source->cancelled);
    if (source->n < source->array.n_rows && !xtf_cursor_seek_n(&reader->cursor, source->n, &reader->found, error))
        return false;
    return !source->any_cancelled || source->n_cancelled >= source->cancelled.n_rows ||
           xtf_cursor_seek_n(&reader->cancelled, source->n_cancelled, &reader->found_cancelled, error);
}

static void reader_finish(Reader *reader)
{
    xtf_cursor_finish(&reader->cursor);
    xtf_cursor_finish(&reader->cancelled);
}

static bool step(Reader *reader, GError **error)
{
    reader->source->n++;
    return xtf_cursor_next(&reader->cursor, 1, &reader->found, error);
}

/* Whether the send that the reader stands on was cancelled. */
static bool is_cancelled(Reader *reader, const XtfReplayFields *fields, bool *cancelled, GError **error)
{
    *cancelled = false;
    while (reader->found_cancelled) {
        uint64_t message = xtf_field_get(fields->cancel.message, xtf_cursor_row(&reader->cancelled));
        if (message >= reader->source->n) {
            *cancelled = message == reader->source->n;
            return true;
        }
        reader->source->n_cancelled++;
        if (!xtf_cursor_next(&reader->cancelled, 1, &reader->found_cancelled, error))
            return false;
    }
    return true;
}

static bool next_message(Reader *reader, const XtfReplayFields *fields, GError **error)
{
    const XtfReplaySource *source = reader->source;
    const __typeof__(fields->send) *of = source->kind == XTF_ROW_SEND      ? &fields->send
                                         : source->kind == XTF_ROW_POSTING ? (const void *)&fields->posting
                                         : source->kind == XTF_ROW_SENT    ? (const void *)&fields->request
                                                                           : (const void *)&fields->recv;
    bool cancelled = source->kind == XTF_ROW_SEND && reader->found;

    while (cancelled) {
        if (!is_cancelled(reader, fields, &cancelled, error) || (cancelled && !step(reader, error)))
            return false;
        cancelled &= reader->found;
    }
    while (reader->found && source->kind == XTF_ROW_SENT &&
           value32(of->event, xtf_cursor_row(&reader->cursor)) != fields->sent_event)
        if (!step(reader, error))
            return false;
    if (!reader->found)
        return true;
    const uint8_t *row = xtf_cursor_row(&reader->cursor);
    reader->row = (XtfReplayRow){
        .time = xtf_cursor_time(&reader->cursor),
        .row = source->n,
        .seq = value_or(of->seq, row, source->n),
        .bytes = value_or(of->bytes, row, 0),
        .message = value_or(of->message, row, UINT64_MAX),
        .comm = value32(of->comm, row),
        .peer = value32(of->peer, row),
        .tag = value32(of->tag, row),
        .location = source->location,
        .kind = (uint8_t)source->kind,
    };
    reader->ready = true;
    return step(reader, error);
}

/* What an END says. */
static void take_end(const XtfReplayFields *fields, const uint8_t *row, XtfReplayRow *to)
{
    uint32_t operation = value32(fields->operation, row);
    bool barrier = operation == fields->barrier && operation != UINT32_MAX;

    to->comm = value32(fields->comm, row);
    to->peer = value32(fields->root, row);
    to->tag = operation;
    to->pattern =
        operation < fields->patterns->len ? g_array_index(fields->patterns, uint8_t, operation) : XTF_ROW_NO_PATTERN;
    to->bytes = value_or(fields->sent, row, 0);
    to->sends = barrier || value_or(fields->sent, row, 1) > 0;
    to->receives = barrier || value_or(fields->received, row, 1) > 0;
}

/* The next row of collectives that means something. A BEGIN is told with what its END says, which is the next row. */
static bool next_collective(Reader *reader, const XtfReplayFields *fields, GError **error)
{
    XtfReplaySource *source = reader->source;

    while (reader->found && !reader->ready) {
        const uint8_t *row = xtf_cursor_row(&reader->cursor);
        uint32_t event = value32(fields->event, row);
        reader->row = (XtfReplayRow){.time = xtf_cursor_time(&reader->cursor),
                                     .row = source->n,
                                     .seq = value_or(fields->seq, row, source->n),
                                     .location = source->location};
        if (event == fields->end) {
            take_end(fields, row, &reader->row);
            reader->row.kind = source->begun ? XTF_ROW_END : XTF_ROW_UNCERTAIN;
            reader->ready = true;
        } else if (event == fields->complete) {
            reader->row.kind = XTF_ROW_UNCERTAIN;
            reader->row.comm = XTF_NONE_COMM;
            reader->ready = true;
        }
        source->begun = false;
        if (!step(reader, error))
            return false;
        if (event == fields->begin && reader->found) {
            const uint8_t *end = xtf_cursor_row(&reader->cursor);
            source->begun = reader->ready = value32(fields->event, end) == fields->end;
            reader->row.kind = XTF_ROW_BEGIN;
            take_end(fields, end, &reader->row);
        }
    }
    return true;
}

static bool get_ready(Reader *reader, const XtfReplayFields *fields, GError **error)
{
    if (reader->ready)
        return true;
    return reader->source->kind == XTF_ROW_BEGIN ? next_collective(reader, fields, error)
                                                 : next_message(reader, fields, error);
}

/* In the order of the process's clock. A record that posts a receive and completes it comes first as what posts. */
static bool comes_before(const Reader *a, const Reader *b)
{
    if (a->row.time != b->row.time)
        return a->row.time < b->row.time;
    if (a->row.location != b->row.location)
        return a->row.location < b->row.location;
    return a->row.seq != b->row.seq ? a->row.seq < b->row.seq : a->row.kind < b->row.kind;
}

static Reader *first_reader(Reader *readers, uint32_t n)
{
    Reader *first = NULL;

    for (uint32_t i = 0; i < n; i++)
        if (readers[i].ready && (!first || comes_before(&readers[i], first)))
            first = &readers[i];
    return first;
}

/* What a reader has read ahead is read again by the next batch. */
static void put_back(Reader *reader)
{
    XtfReplaySource *source = reader->source;

    if (!reader->ready)
        return;
    source->n = reader->row.row;
    source->begun = reader->row.kind == XTF_ROW_END;
}

static bool fill(XtfReplayRows *rows, Reader *readers, const XtfReplayFields *fields, GError **error)
{
    for (uint32_t i = 0; i < rows->n_sources; i++)
        if (!get_ready(&readers[i], fields, error))
            return false;
    while (rows->n < rows->batch_size) {
        Reader *reader = first_reader(readers, rows->n_sources);
        if (!reader)
            return true;
        rows->batch[rows->n++] = reader->row;
        reader->ready = false;
        if (!get_ready(reader, fields, error))
            return false;
    }
    return true;
}

/* The calls around the rows of the batch; behind the last batch, all that are left. */
static bool walk_calls(XtfReplayRows *rows, GError **error)
{
    bool good = true;

    for (uint32_t i = 0; good && i < rows->n; i++) {
        const XtfReplayRow *row = &rows->batch[i];
        good = xtf_replay_walk_to(&rows->walks[row->location], row->time, row->seq, &rows->calls[i], error);
    }
    for (uint32_t i = 0; i < rows->n_walks; i++) {
        good = good && (rows->n > 0 || xtf_replay_walk_end(&rows->walks[i], error));
        xtf_replay_walk_rest(&rows->walks[i]);
    }
    return good;
}

bool xtf_replay_rows_fill(XtfReplayRows *rows, const XtfReplayFields *fields, GError **error)
{
    g_autofree Reader *readers = g_new0(Reader, rows->n_sources + 1);
    uint32_t opened = 0;
    bool good = true;

    rows->at = rows->n = 0;
    if (!rows->batch)
        rows->batch = g_new(XtfReplayRow, rows->batch_size);
    if (!rows->calls && rows->walking)
        rows->calls = g_new(XtfReplayCall, rows->batch_size);
    for (; good && opened < rows->n_sources; opened++)
        good = reader_init(&readers[opened], &rows->sources[opened], error);
    good = good && fill(rows, readers, fields, error);
    for (uint32_t i = 0; i < opened; i++) {
        put_back(&readers[i]);
        reader_finish(&readers[i]);
    }
    good = good && (!rows->walking || walk_calls(rows, error));
    if (rows->n == 0) {
        g_clear_pointer(&rows->batch, g_free);
        g_clear_pointer(&rows->calls, g_free);
    }
    return good;
}
