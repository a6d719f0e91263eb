#include "src/analysis/replay/replay-rows.h"

#include "libxtf/error.h"
#include "libxtf/group-filter.h"
#include "libxtf/vocabulary.h"

struct XtfReplayReader {
    XtfArray array, cancelled_array;
    const XtfReplayColumns *columns; /* of the kind, if it is one of messages */
    XtfReplayRowKind kind;           /* SEND, POSTING, RECV, SENT; BEGIN: all rows of collectives */
    uint32_t location;
    bool any_cancelled;
    bool begun;   /* the row before was a BEGIN, which the reader returned */
    uint64_t end; /* row after the last one to read */
    XtfCursor cursor, cancelled;
    bool found, found_cancelled;
    bool ready; /* `row` is the next row to return */
    XtfReplayRow row;
};

/* ---- Sources. */

void xtf_replay_rows_init(XtfReplayRows *rows, const XtfReplayFields *fields, XtfRunWindow window)
{
    *rows = (XtfReplayRows){.fields = fields, .window = window};
}

void xtf_replay_rows_finish(XtfReplayRows *rows)
{
    for (uint32_t i = 0; i < rows->n_readers; i++) {
        xtf_cursor_finish(&rows->readers[i].cursor);
        xtf_cursor_finish(&rows->readers[i].cancelled);
    }
    g_clear_pointer(&rows->readers, g_free);
    rows->n_readers = rows->room = 0;
}

static void add_reader(XtfReplayRows *rows, XtfReplayRowKind kind, const XtfArray *array, const XtfArray *cancelled,
                       uint32_t location)
{
    if (!array)
        return;
    if (rows->n_readers == rows->room) {
        rows->room = MAX(4, 2 * rows->room);
        rows->readers = g_renew(XtfReplayReader, rows->readers, rows->room);
    }
    rows->readers[rows->n_readers++] = (XtfReplayReader){
        .array = *array,
        .cancelled_array = cancelled ? *cancelled : (XtfArray){0},
        .any_cancelled = cancelled,
        .columns = &rows->fields->columns[kind],
        .kind = kind,
        .location = location,
    };
}

const XtfArray *xtf_replay_array_of(const XtfArray *arrays, uint32_t n_arrays, const XtfSchema *schema)
{
    for (uint32_t i = 0; schema && i < n_arrays; i++)
        if (arrays[i].schema == schema && xtf_array_is_supported(&arrays[i], NULL))
            return &arrays[i];
    return NULL;
}

const XtfArray *xtf_replay_rows_array(const XtfReplayRows *rows, uint32_t i, XtfReplayRowKind *kind,
                                      const XtfArray **cancelled)
{
    const XtfReplayReader *reader = &rows->readers[i];

    *kind = reader->kind;
    *cancelled = reader->any_cancelled ? &reader->cancelled_array : NULL;
    return &reader->array;
}

typedef struct {
    unsigned place; /* index of the event among the keys */
    uint64_t event;
} Completions;

static XtfMatch match_completions(const uint64_t *key, unsigned depth, const void *data)
{
    const Completions *of = data;

    if (depth <= of->place)
        return XTF_MATCH_SOME;
    return key[of->place] == of->event ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* True if a send may complete among these requests. Where all requests are of receives, the totals of the array are
 * enough. */
static bool may_complete(const XtfReplayFields *fields, const XtfArray *requests)
{
    const XtfSchema *schema = requests->schema;
    uint64_t count;
    bool known;

    for (unsigned i = 0; fields->request.event && i < schema->n_aggregates; i++) {
        const XtfAggregate *aggregate = &schema->aggregates[i];
        for (unsigned k = 0; aggregate->kind == XTF_AGGREGATE_GROUPS && k < aggregate->n_keys; k++) {
            if (&schema->fields[aggregate->keys[k]] != fields->request.event)
                continue;
            const Completions completions = {.place = k, .event = fields->sent_event};
            const XtfGroupFilter filter = {.match = match_completions, .data = &completions};
            g_autoptr(GError) unknown = NULL; /* a reader of the rows reports the error */
            if (xtf_array_group_known(requests, i, &filter, &count, &known, &unknown) && known)
                return count > 0;
        }
    }
    return true;
}

void xtf_replay_rows_add(XtfReplayRows *rows, const XtfArray *arrays, uint32_t n_arrays, bool calls, uint32_t number)
{
    const XtfReplayFields *fields = rows->fields;

    add_reader(rows, XTF_ROW_SEND, xtf_replay_array_of(arrays, n_arrays, fields->sends),
               xtf_replay_array_of(arrays, n_arrays, fields->cancelled), number);
    add_reader(rows, XTF_ROW_POSTING, xtf_replay_array_of(arrays, n_arrays, fields->postings), NULL, number);
    add_reader(rows, XTF_ROW_RECV, xtf_replay_array_of(arrays, n_arrays, fields->recvs), NULL, number);
    add_reader(rows, XTF_ROW_BEGIN, xtf_replay_array_of(arrays, n_arrays, fields->collectives), NULL, number);
    const XtfArray *requests = calls ? xtf_replay_array_of(arrays, n_arrays, fields->requests) : NULL;
    if (requests && may_complete(fields, requests))
        add_reader(rows, XTF_ROW_SENT, requests, NULL, number);
}

/* ---- Reading. */

static uint64_t value_or(const XtfField *field, const uint8_t *row, uint64_t none)
{
    return !field || xtf_field_is_none(field, row) ? none : xtf_field_get(field, row);
}

/* Returns a number of 32 bits. Wider numbers become UINT32_MAX, which means none. */
static uint32_t value32(const XtfField *field, const uint8_t *row)
{
    return (uint32_t)MIN(value_or(field, row, UINT32_MAX), UINT32_MAX);
}

static inline uint64_t column_or(const XtfReplayColumn *column, const uint8_t *row, uint64_t none)
{
    const bool has_value = column->known && (xtf_load_bits(&column->load, row) != column->none || !column->optional);

    return has_value ? xtf_load_value(&column->load, row) : none;
}

static inline uint32_t column32(const XtfReplayColumn *column, const uint8_t *row)
{
    return (uint32_t)MIN(column_or(column, row, UINT32_MAX), UINT32_MAX);
}

static bool next_row(XtfReplayReader *reader, GError **error)
{
    if (reader->cursor.n + 1 >= reader->end) {
        reader->found = false;
        return true;
    }
    if (xtf_cursor_available(&reader->cursor) <= 1)
        return xtf_cursor_next(&reader->cursor, 1, &reader->found, error);
    xtf_cursor_skip(&reader->cursor, 1);
    return true;
}

/* Checks whether the send at the reader's row was cancelled. */
static bool is_cancelled(XtfReplayReader *reader, const XtfReplayFields *fields, bool *cancelled, GError **error)
{
    *cancelled = false;
    while (reader->found_cancelled) {
        uint64_t message = xtf_field_get(fields->cancel.message, xtf_cursor_row(&reader->cancelled));
        if (message >= reader->cursor.n) {
            *cancelled = message == reader->cursor.n;
            return true;
        }
        if (!xtf_cursor_next(&reader->cancelled, 1, &reader->found_cancelled, error))
            return false;
    }
    return true;
}

/* Reads the columns of a row of messages. `kind` is a constant: each kind has some of the columns. */
__attribute__((always_inline)) static inline void take_columns(XtfReplayReader *reader, XtfReplayRowKind kind)
{
    const XtfReplayColumns *of = reader->columns;
    const uint8_t *row = xtf_cursor_row(&reader->cursor);
    const bool has_envelope = kind == XTF_ROW_SEND || kind == XTF_ROW_POSTING;

    reader->row = (XtfReplayRow){
        .time = xtf_cursor_time(&reader->cursor),
        .row = reader->cursor.n,
        .seq = column_or(&of->seq, row, reader->cursor.n),
        .bytes = kind == XTF_ROW_SEND || kind == XTF_ROW_RECV ? column_or(&of->bytes, row, 0) : 0,
        .message = kind == XTF_ROW_RECV ? UINT64_MAX : column_or(&of->message, row, UINT64_MAX),
        .comm = has_envelope ? column32(&of->comm, row) : UINT32_MAX,
        .peer = has_envelope ? column32(&of->peer, row) : UINT32_MAX,
        .tag = has_envelope ? column32(&of->tag, row) : UINT32_MAX,
        .location = reader->location,
        .kind = (uint8_t)kind,
    };
}

/* Moves over sends that were cancelled, and over requests that complete no send. */
static bool skip_messages(XtfReplayReader *reader, const XtfReplayFields *fields, GError **error)
{
    bool cancelled = reader->kind == XTF_ROW_SEND && reader->found_cancelled;

    while (cancelled) {
        if (!is_cancelled(reader, fields, &cancelled, error) || (cancelled && !next_row(reader, error)))
            return false;
        cancelled &= reader->found;
    }
    while (reader->found && reader->kind == XTF_ROW_SENT &&
           value32(fields->request.event, xtf_cursor_row(&reader->cursor)) != fields->sent_event)
        if (!next_row(reader, error))
            return false;
    return true;
}

static inline bool next_message(XtfReplayReader *reader, const XtfReplayFields *fields, GError **error)
{
    if (!reader->found)
        return true;
    if ((reader->found_cancelled || reader->kind == XTF_ROW_SENT) && !skip_messages(reader, fields, error))
        return false;
    if (!reader->found)
        return true;
    if (reader->kind == XTF_ROW_SEND)
        take_columns(reader, XTF_ROW_SEND);
    else if (reader->kind == XTF_ROW_POSTING)
        take_columns(reader, XTF_ROW_POSTING);
    else if (reader->kind == XTF_ROW_RECV)
        take_columns(reader, XTF_ROW_RECV);
    else
        take_columns(reader, XTF_ROW_SENT);
    reader->ready = true;
    return next_row(reader, error);
}

static void copy_end(const XtfReplayFields *fields, const uint8_t *row, XtfReplayRow *to)
{
    uint32_t operation = value32(fields->operation, row);
    bool barrier = operation == fields->barrier && operation != UINT32_MAX;

    to->comm = value32(fields->comm, row);
    to->peer = value32(fields->root, row);
    to->tag = operation;
    to->pattern =
        operation < fields->patterns->len ? g_array_index(fields->patterns, uint8_t, operation) : XTF_ROW_NO_PATTERN;
    /* This member's record says that all exchange data with all. The replay checks that the other members' records
     * agree. */
    if (xtf_replay_fields_shape(fields, operation) == XTF_COLLECTIVE_SOME_TO_SOME &&
        value_or(fields->n_to_n, row, 0) == 1)
        to->pattern = XTF_REPLAY_ALL_TO_ALL;
    to->bytes = value_or(fields->sent, row, 0);
    to->sends = barrier || value_or(fields->sent, row, 1) > 0;
    to->receives = barrier || value_or(fields->received, row, 1) > 0;
}

/* Reads the next row of collectives that the replay needs. A BEGIN gets the fields of its END, which is the next
 * row. */
static bool next_collective(XtfReplayReader *reader, const XtfReplayFields *fields, GError **error)
{
    while (reader->found && !reader->ready) {
        const uint8_t *row = xtf_cursor_row(&reader->cursor);
        uint32_t event = value32(fields->event, row);
        reader->row = (XtfReplayRow){.time = xtf_cursor_time(&reader->cursor),
                                     .row = reader->cursor.n,
                                     .seq = value_or(fields->seq, row, reader->cursor.n),
                                     .message = UINT64_MAX,
                                     .location = reader->location};
        if (event == fields->end) {
            copy_end(fields, row, &reader->row);
            reader->row.kind = reader->begun ? XTF_ROW_END : XTF_ROW_UNCERTAIN;
            reader->ready = true;
        } else if (event == fields->complete) {
            reader->row.kind = XTF_ROW_UNCERTAIN;
            reader->row.comm = XTF_NONE_COMM;
            reader->ready = true;
        }
        reader->begun = false;
        if (!next_row(reader, error))
            return false;
        if (event == fields->begin && reader->found) {
            const uint8_t *end = xtf_cursor_row(&reader->cursor);
            reader->begun = reader->ready = value32(fields->event, end) == fields->end;
            reader->row.kind = XTF_ROW_BEGIN;
            copy_end(fields, end, &reader->row);
        }
    }
    return true;
}

__attribute__((always_inline)) static inline bool read_row(XtfReplayReader *reader, const XtfReplayFields *fields,
                                                           GError **error)
{
    if (reader->ready)
        return true;
    return reader->kind == XTF_ROW_BEGIN ? next_collective(reader, fields, error) : next_message(reader, fields, error);
}

/* Compares rows in the order of the process's clock. A record that posts a receive and completes it precedes as a
 * posting. */
static bool precedes(const XtfReplayReader *a, const XtfReplayReader *b)
{
    if (a->row.time != b->row.time)
        return a->row.time < b->row.time;
    if (a->row.location != b->row.location)
        return a->row.location < b->row.location;
    return a->row.seq != b->row.seq ? a->row.seq < b->row.seq : a->row.kind < b->row.kind;
}

static bool reader_begin(XtfReplayReader *reader, const XtfReplayRows *rows, GError **error)
{
    const XtfReplayFields *fields = rows->fields;
    uint64_t first, first_cancelled = 0;

    if (!xtf_run_window_rows(&rows->window, &reader->array, &first, &reader->end, error) ||
        (reader->any_cancelled && !xtf_array_first_kept(&reader->cancelled_array, &first_cancelled, error)))
        return false;
    xtf_cursor_init(&reader->cursor, &reader->array);
    xtf_cursor_init(&reader->cancelled, &reader->cancelled_array);
    if (first >= reader->end)
        return true;
    return xtf_cursor_seek_n(&reader->cursor, first, &reader->found, error) &&
           (!reader->any_cancelled ||
            xtf_cursor_seek_n(&reader->cancelled, first_cancelled, &reader->found_cancelled, error)) &&
           read_row(reader, fields, error);
}

bool xtf_replay_rows_begin(XtfReplayRows *rows, GError **error)
{
    for (uint32_t i = 0; i < rows->n_readers; i++)
        if (!reader_begin(&rows->readers[i], rows, error))
            return false;
    return true;
}

/* Returns the reader of the earliest row of all readers except `except`. */
static XtfReplayReader *first_of(const XtfReplayRows *rows, const XtfReplayReader *except)
{
    XtfReplayReader *first = NULL;

    for (XtfReplayReader *reader = rows->readers; reader < rows->readers + rows->n_readers; reader++)
        if (reader != except && reader->ready && (!first || precedes(reader, first)))
            first = reader;
    return first;
}

/* Returns the next row. It usually has the same reader as the row before. */
bool xtf_replay_rows_next(XtfReplayRows *rows, XtfReplayRow **row, GError **error)
{
    XtfReplayReader *current = rows->current;

    if (current) {
        current->ready = false;
        if (!read_row(current, rows->fields, error))
            return false;
    }
    if (!current || !current->ready || (rows->next && !precedes(current, rows->next))) {
        rows->current = current = current ? rows->next : first_of(rows, NULL);
        rows->next = first_of(rows, current);
    }
    *row = current ? &current->row : NULL;
    return true;
}
