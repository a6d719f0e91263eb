/*
 * Batches. The rows of a batch lie side by side in one leaf. A stack of those frames that began in the batch says which
 * of them each row ends; frames that began before lie below and are not needed: a row that begins a frame and does not
 * lead into the batch ends all frames of the batch, whatever lies below. Only of a row that ends a frame, and leads
 * to a row before the batch, it is not known without a search whether that frame is open, so whether the frames of the
 * batch end too. Where some are open still, which badly nested rows alone do, the batch ends before this row.
 *
 * Batches begin small, for who wants one frame only, and grow while they follow one another.
 */
#include "libxtf/frame-reader.h"

#include "libxtf/aggregate/frame-exclusive.h"
#include "libxtf/base/le.h"
#include "libxtf/error.h"
#include "libxtf/field-load.h"

enum {
    FIRST_ROWS = 64,
    NOT_HERE = UINT32_MAX, /* its other row is not in the batch */
};

/* A row of the batch. */
typedef struct {
    uint64_t time, key;
    uint64_t inner; /* of a beginning: durations of the frames right in it that have ended so far */
    uint64_t distance;
    uint32_t other; /* of a beginning: the row that ends it; of an end: the row that began it */
    bool is_end;
    bool open; /* of a beginning: no row of the array ends it */
} Row;

struct XtfFrameReader {
    XtfArray array; /* in local ticks */
    unsigned index;
    uint64_t last;
    uint32_t most, wanted; /* rows of a batch: at most; of the next */
    uint64_t first;        /* row of the array that the batch begins with */
    uint32_t n, room;      /* rows */
    Row *rows;
    GArray *stack; /* uint32_t: rows of the batch that began the frames open at its end, outermost first */
    XtfFieldLoad key, is_end, distance;
};

XtfFrameReader *xtf_frame_reader_new(const XtfArray *array, unsigned index, uint64_t last, uint32_t most)
{
    XtfFrameReader *reader = g_new0(XtfFrameReader, 1);
    const XtfSchema *schema = array->schema;
    const XtfAggregate *aggregate = &schema->aggregates[index];

    reader->array = xtf_array_local(array);
    reader->index = index;
    reader->last = MAX(last, reader->array.last);
    reader->most = MAX(most, 1);
    reader->stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    reader->key = xtf_field_load(&schema->fields[aggregate->keys[0]]);
    reader->is_end = xtf_field_load(&schema->fields[aggregate->values[0]]);
    reader->distance = xtf_field_load(&schema->fields[aggregate->values[1]]);
    return reader;
}

void xtf_frame_reader_free(XtfFrameReader *reader)
{
    if (!reader)
        return;
    g_array_unref(reader->stack);
    g_free(reader->rows);
    g_free(reader);
}

/* ---- Batches. */

static Row *top(const XtfFrameReader *reader)
{
    return &reader->rows[g_array_index(reader->stack, uint32_t, reader->stack->len - 1)];
}

/* The frame on top ends in row `by` of the batch, or never, then by the location's last record. */
static void end_top(XtfFrameReader *reader, uint32_t by, uint64_t time)
{
    Row *frame = top(reader);

    frame->other = by;
    frame->open = by == NOT_HERE;
    g_array_set_size(reader->stack, reader->stack->len - 1);
    if (reader->stack->len > 0)
        top(reader)->inner += time - MIN(time, frame->time);
}

/* How many frames of the stack there are up to the one that a row of the batch began; 0 if it is not open. */
static guint find_frame(const XtfFrameReader *reader, uint32_t row)
{
    guint n = reader->stack->len;

    while (n > 0 && g_array_index(reader->stack, uint32_t, n - 1) > row)
        n--;
    return n > 0 && g_array_index(reader->stack, uint32_t, n - 1) == row ? n : 0;
}

/* Takes row i as the next. False if it can't be in this batch. */
static bool take_row(XtfFrameReader *reader, uint32_t i)
{
    Row *row = &reader->rows[i];
    bool is_here = row->distance > 0 && row->distance <= i, is_before = row->distance > i;
    guint found = is_here ? find_frame(reader, i - (uint32_t)row->distance) : 0;

    if (row->is_end && is_before && reader->stack->len > 0)
        return false;
    if (found > 0 && row->is_end)
        row->other = i - (uint32_t)row->distance;
    /* An end that leads to no frame ends none; a beginning that leads to none of the batch ends all of these. */
    if (found > 0 || !row->is_end)
        for (guint keep = row->is_end ? found - 1 : found; reader->stack->len > keep;)
            end_top(reader, i, row->time);
    if (!row->is_end)
        g_array_append_val(reader->stack, i);
    return true;
}

/* Pairs rows that lie side by side, at least one. */
static void pair(XtfFrameReader *reader, const uint8_t *row, uint32_t count)
{
    if (count > reader->room) {
        reader->room = count;
        reader->rows = g_renew(Row, reader->rows, count);
    }
    g_array_set_size(reader->stack, 0);
    for (reader->n = 0; reader->n < count; reader->n++, row += reader->array.schema->row_size) {
        reader->rows[reader->n] = (Row){
            .time = xtf_load64(row),
            .key = xtf_load_value(&reader->key, row),
            .distance = xtf_load_bits(&reader->distance, row),
            .is_end = xtf_load_bits(&reader->is_end, row) != 0,
            .other = NOT_HERE,
        };
        if (!take_row(reader, reader->n))
            break;
    }
    if (reader->first + reader->n == reader->array.n_rows)
        while (reader->stack->len > 0)
            end_top(reader, NOT_HERE, reader->last);
}

static bool load_batch(XtfFrameReader *reader, uint64_t n, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, &reader->array);
    if (!xtf_cursor_seek_n(&cursor, n, &found, error))
        return false;
    if (!found)
        return xtf_fail(error, XTF_ERROR_INVALID, "array %u has no row %" PRIu64, reader->array.id, n);
    reader->first = n;
    pair(reader, xtf_cursor_row(&cursor), (uint32_t)MIN(xtf_cursor_available(&cursor), (uint64_t)reader->wanted));
    return true;
}

/* Makes a batch that begins with row n, unless the batch has the row. */
static bool load(XtfFrameReader *reader, uint64_t n, GError **error)
{
    if (n >= reader->first && n - reader->first < reader->n)
        return true;
    bool goes_on = n >= reader->first && n - reader->first < (uint64_t)reader->n + reader->wanted;
    reader->wanted = goes_on ? MIN(2 * reader->wanted, reader->most) : MIN(FIRST_ROWS, reader->most);
    reader->n = 0;
    return load_batch(reader, n, error);
}

/* ---- Frames. */

/* A frame that the batch does not see end. */
static bool find_beyond(const XtfFrameReader *reader, const Row *begin, XtfFrameTimes *frame, GError **error)
{
    const XtfArray *array = &reader->array;
    g_autofree uint8_t *row = g_malloc(array->schema->row_size);
    XtfFrameSpan *span = &frame->span;

    if (!xtf_array_frame_end(array, reader->index, span->row, &span->end_row, error))
        return false;
    span->end = reader->last;
    frame->ending = XTF_FRAME_OPEN;
    if (span->end_row < array->n_rows) {
        if (!xtf_array_row(array, span->end_row, row, error))
            return false;
        bool leads = xtf_load_bits(&reader->is_end, row) != 0 &&
                     xtf_load_bits(&reader->distance, row) == span->end_row - span->row;
        span->end = xtf_load64(row);
        frame->ending = leads ? XTF_FRAME_LEFT : XTF_FRAME_CUT;
    }
    return xtf_frame_exclusive(array, reader->index, span, &frame->exclusive, error);
}

bool xtf_frame_reader_find(XtfFrameReader *reader, uint64_t n, XtfFrameTimes *frame, GError **error)
{
    if (!load(reader, n, error))
        return false;
    uint32_t i = (uint32_t)(n - reader->first);
    const Row *begin = &reader->rows[i];
    if (begin->is_end)
        return xtf_fail(error, XTF_ERROR_INVALID, "array %u: row %" PRIu64 " begins no frame", reader->array.id, n);
    *frame = (XtfFrameTimes){.span = {.key = begin->key, .row = n, .begin = begin->time}};
    if (begin->other == NOT_HERE && !begin->open)
        return find_beyond(reader, begin, frame, error);
    if (begin->open) {
        frame->span.end_row = reader->array.n_rows;
        frame->span.end = reader->last;
        frame->ending = XTF_FRAME_OPEN;
    } else {
        const Row *end = &reader->rows[begin->other];
        frame->span.end_row = reader->first + begin->other;
        frame->span.end = end->time;
        frame->ending = end->is_end && end->other == i ? XTF_FRAME_LEFT : XTF_FRAME_CUT;
    }
    uint64_t duration = frame->span.end - MIN(frame->span.end, frame->span.begin);
    frame->exclusive = duration - MIN(duration, begin->inner);
    return true;
}

/* Whether the frame that row n ends began with row `begin`, before the batch, and when. */
static bool find_before(const XtfFrameReader *reader, uint64_t n, uint64_t begin, bool *known, uint64_t *time,
                        GError **error)
{
    g_autofree uint8_t *row = g_malloc(reader->array.schema->row_size);
    uint64_t end;

    *known = false;
    if (!xtf_array_row(&reader->array, begin, row, error))
        return false;
    if (xtf_load_bits(&reader->is_end, row) != 0)
        return true;
    if (!xtf_array_frame_end(&reader->array, reader->index, begin, &end, error))
        return false;
    *known = end == n;
    *time = xtf_load64(row);
    return true;
}

bool xtf_frame_reader_duration(XtfFrameReader *reader, uint64_t n, bool *known, uint64_t *ticks, GError **error)
{
    if (!load(reader, n, error))
        return false;
    const Row *end = &reader->rows[n - reader->first];
    uint64_t time = 0, distance = end->distance;
    *known = end->is_end && end->other != NOT_HERE;
    if (*known)
        time = reader->rows[end->other].time;
    else if (end->is_end && distance <= n && distance > n - reader->first &&
             !find_before(reader, n, n - distance, known, &time, error))
        return false;
    *ticks = end->time - MIN(end->time, time);
    return true;
}
