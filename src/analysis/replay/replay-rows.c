#include "src/analysis/replay/replay-rows.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/model/collective-shape.h"

enum {
    ARRAYS_AT_ONCE = 64,
};

/* An array on its way. */
struct XtfReplaySource {
    XtfArray array, cancelled;
    XtfReplayRowKind kind; /* SEND, POSTING, RECV; or BEGIN, which stands for all of collectives */
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
    uint64_t seq;
    XtfReplayRow row;
} Reader;

/* ---- Fields. */

static uint32_t label_number(const XtfField *field, const char *label)
{
    for (uint32_t i = 0; field && i < field->n_labels; i++)
        if (g_str_equal(field->labels[i], label))
            return i;
    return UINT32_MAX;
}

/* Who needs whom, where the operation tells. */
static uint8_t pattern_of(const char *operation)
{
    switch (xtf_collective_shape(operation)) {
    case XTF_COLLECTIVE_BARRIER:
    case XTF_COLLECTIVE_ALL_TO_ALL:
        return XTF_REPLAY_ALL_TO_ALL;
    case XTF_COLLECTIVE_FROM_ROOT:
        return XTF_REPLAY_ONE_TO_ALL;
    case XTF_COLLECTIVE_TO_ROOT:
        return XTF_REPLAY_ALL_TO_ONE;
    case XTF_COLLECTIVE_SCAN:
        return XTF_REPLAY_SCAN;
    case XTF_COLLECTIVE_SOME_TO_SOME:
    case XTF_COLLECTIVE_HANDLES:
    case XTF_COLLECTIVE_UNKNOWN:
        break;
    }
    return XTF_ROW_NO_PATTERN;
}

static const XtfSchema *schema_of(XtfTrace *trace, const char *name, XtfSchemaKind kind)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, name);
    return schema && schema->kind == kind ? schema : NULL;
}

#define FIND_FIELDS(of, schema)                                             \
    do {                                                                    \
        (of)->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);         \
        (of)->peer = xtf_schema_field_by_role(schema, XTF_ROLE_PEER);       \
        (of)->comm = xtf_schema_field_by_role(schema, XTF_ROLE_COMM);       \
        (of)->tag = xtf_schema_field_by_role(schema, XTF_ROLE_TAG);         \
        (of)->bytes = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES);     \
        (of)->message = xtf_schema_field_by_role(schema, XTF_ROLE_MESSAGE); \
    } while (0)

static void find_collectives(XtfReplayFields *fields)
{
    const XtfSchema *schema = fields->collectives;

    fields->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    fields->event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    fields->comm = xtf_schema_field_by_role(schema, XTF_ROLE_COMM);
    fields->operation = xtf_schema_field(schema, "operation");
    fields->root = xtf_schema_field(schema, "root");
    fields->sent = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES);
    fields->received = xtf_schema_field(schema, "received");
    fields->begin = label_number(fields->event, "MPI_COLLECTIVE_BEGIN");
    fields->end = label_number(fields->event, "MPI_COLLECTIVE_END");
    fields->complete = label_number(fields->event, "NON_BLOCKING_COLLECTIVE_COMPLETE");
    fields->barrier = label_number(fields->operation, "BARRIER");
    for (uint32_t i = 0; fields->operation && i < fields->operation->n_labels; i++) {
        uint8_t pattern = pattern_of(fields->operation->labels[i]);
        g_array_append_val(fields->patterns, pattern);
    }
    if (!fields->comm || !fields->operation)
        fields->collectives = NULL;
}

/* An array without the fields by which messages are matched is as good as none. */
void xtf_replay_fields_init(XtfReplayFields *fields, XtfTrace *trace)
{
    *fields = (XtfReplayFields){
        .sends = schema_of(trace, XTF_RECORD_SENDS, XTF_SCHEMA_RECORD),
        .postings = schema_of(trace, XTF_SIDE_POSTINGS, XTF_SCHEMA_SIDE),
        .recvs = schema_of(trace, XTF_RECORD_RECVS, XTF_SCHEMA_RECORD),
        .collectives = schema_of(trace, XTF_RECORD_COLLECTIVES, XTF_SCHEMA_RECORD),
        .cancelled = schema_of(trace, XTF_SIDE_CANCELLED, XTF_SCHEMA_SIDE),
        .patterns = g_array_new(FALSE, FALSE, sizeof(uint8_t)),
    };
    if (fields->sends)
        FIND_FIELDS(&fields->send, fields->sends);
    if (fields->postings)
        FIND_FIELDS(&fields->posting, fields->postings);
    if (fields->recvs)
        FIND_FIELDS(&fields->recv, fields->recvs);
    if (fields->cancelled)
        FIND_FIELDS(&fields->cancel, fields->cancelled);
    if (!fields->send.peer || !fields->send.comm || !fields->send.tag)
        fields->sends = NULL;
    if (!fields->posting.peer || !fields->posting.comm || !fields->posting.tag || !fields->posting.message)
        fields->postings = NULL;
    if (!fields->cancel.message)
        fields->cancelled = NULL;
    if (fields->collectives)
        find_collectives(fields);
}

void xtf_replay_fields_finish(XtfReplayFields *fields)
{
    g_clear_pointer(&fields->patterns, g_array_unref);
}

/* ---- Sources. */

void xtf_replay_rows_init(XtfReplayRows *rows, uint32_t batch_size)
{
    *rows = (XtfReplayRows){.batch_size = batch_size};
}

void xtf_replay_rows_finish(XtfReplayRows *rows)
{
    g_clear_pointer(&rows->sources, g_free);
    g_clear_pointer(&rows->batch, g_free);
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

static bool read_arrays(XtfTrace *trace, bool local, const XtfLocation *location, XtfArray *found, GArray *all,
                        GError **error)
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

bool xtf_replay_rows_add(XtfReplayRows *rows, const XtfReplayFields *fields, XtfTrace *trace, bool local,
                         const XtfLocation *location, uint32_t number, GError **error)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(XtfArray));

    if (!read_arrays(trace, local, location, NULL, all, error))
        return false;
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
    return true;
}

void xtf_replay_rows_rewind(XtfReplayRows *rows)
{
    for (uint32_t i = 0; i < rows->n_sources; i++) {
        rows->sources[i].n = rows->sources[i].n_cancelled = 0;
        rows->sources[i].begun = false;
    }
    rows->at = rows->n = 0;
    g_clear_pointer(&rows->batch, g_free);
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
                                                                           : (const void *)&fields->recv;
    bool cancelled = source->kind == XTF_ROW_SEND && reader->found;

    while (cancelled) {
        if (!is_cancelled(reader, fields, &cancelled, error) || (cancelled && !step(reader, error)))
            return false;
        cancelled &= reader->found;
    }
    if (!reader->found)
        return true;
    const uint8_t *row = xtf_cursor_row(&reader->cursor);
    reader->seq = value_or(of->seq, row, source->n);
    reader->row = (XtfReplayRow){
        .time = xtf_cursor_time(&reader->cursor),
        .row = source->n,
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
        reader->seq = value_or(fields->seq, row, source->n);
        reader->row =
            (XtfReplayRow){.time = xtf_cursor_time(&reader->cursor), .row = source->n, .location = source->location};
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
    return a->seq != b->seq ? a->seq < b->seq : a->row.kind < b->row.kind;
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

bool xtf_replay_rows_fill(XtfReplayRows *rows, const XtfReplayFields *fields, GError **error)
{
    g_autofree Reader *readers = g_new0(Reader, rows->n_sources + 1);
    uint32_t opened = 0;
    bool good = true;

    rows->at = rows->n = 0;
    if (!rows->batch)
        rows->batch = g_new(XtfReplayRow, rows->batch_size);
    for (; good && opened < rows->n_sources; opened++)
        good = reader_init(&readers[opened], &rows->sources[opened], error);
    good = good && fill(rows, readers, fields, error);
    for (uint32_t i = 0; i < opened; i++) {
        put_back(&readers[i]);
        reader_finish(&readers[i]);
    }
    if (rows->n == 0)
        g_clear_pointer(&rows->batch, g_free);
    return good;
}
