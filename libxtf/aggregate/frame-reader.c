/*
 * Batches. The rows of a batch are consecutive rows of one leaf. The reader keeps a stack of the frames that began in
 * the batch, and so knows which of them each row ends. The reader does not need the frames below, which began before
 * the batch. A row that begins a frame, and whose distance leads out of the batch, ends all frames of the batch in any
 * case. One kind of row needs a search: a row that ends a frame and refers to a row before the batch. If that frame is
 * open, the row also ends the frames of the batch. If frames of the batch are open at such a row, which happens only
 * with badly nested rows, the batch ends before the row.
 *
 * Batches start small, for callers that want one frame only, and grow while they are consecutive.
 */
#include "libxtf/frame-reader.h"

#include "libxtf/aggregate/frame-exclusive.h"
#include "libxtf/base/le.h"
#include "libxtf/error.h"
#include "libxtf/field-load.h"

enum {
    FIRST_BATCH_ROWS = 64,
    NO_ROW = UINT32_MAX, /* the matching row is not in the batch */
};

typedef struct {
    uint64_t time, key;
    uint64_t children_ticks; /* of a begin: durations of the direct children that have ended so far */
    uint64_t distance;
    uint32_t match; /* index in the batch; of a begin: the row that ends the frame; of an end: the row that began it */
    bool is_end;
    bool open; /* of a begin: no row of the array ends the frame */
} BatchRow;

struct XtfFrameReader {
    XtfArray array; /* in local ticks */
    unsigned index;
    uint64_t last;
    uint32_t most, next_rows; /* maximum rows of a batch; rows of the next batch */
    uint64_t first;           /* number in the array of the batch's first row */
    uint32_t n, n_allocated;  /* rows in the batch; allocated rows */
    BatchRow *rows;
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

static BatchRow *top_row(const XtfFrameReader *reader)
{
    return &reader->rows[g_array_index(reader->stack, uint32_t, reader->stack->len - 1)];
}

/* Ends the frame on top of the stack, at `time`, by row `by` of the batch. If no row ends it, `by` is NO_ROW, and
 * `time` is that of the location's last record. */
static void end_top_frame(XtfFrameReader *reader, uint32_t by, uint64_t time)
{
    BatchRow *frame = top_row(reader);

    frame->match = by;
    frame->open = by == NO_ROW;
    g_array_set_size(reader->stack, reader->stack->len - 1);
    if (reader->stack->len > 0)
        top_row(reader)->children_ticks += time - MIN(time, frame->time);
}

/* Counts the frames in the stack up to and including the frame that a row of the batch began. Returns 0 if the frame
 * is not open. */
static guint count_frames_up_to(const XtfFrameReader *reader, uint32_t row)
{
    guint n = reader->stack->len;

    while (n > 0 && g_array_index(reader->stack, uint32_t, n - 1) > row)
        n--;
    return n > 0 && g_array_index(reader->stack, uint32_t, n - 1) == row ? n : 0;
}

/* Processes row i, the next row. Returns false if row i cannot be in this batch. */
static bool process_row(XtfFrameReader *reader, uint32_t i)
{
    BatchRow *row = &reader->rows[i];
    bool in_batch = row->distance > 0 && row->distance <= i, before_batch = row->distance > i;
    guint n_up_to_frame = in_batch ? count_frames_up_to(reader, i - (uint32_t)row->distance) : 0;

    if (row->is_end && before_batch && reader->stack->len > 0)
        return false;
    if (n_up_to_frame > 0 && row->is_end)
        row->match = i - (uint32_t)row->distance;
    /* An end without an open frame ends no frame. A begin whose outer frame is not in the batch ends all frames of the
     * batch. */
    if (n_up_to_frame > 0 || !row->is_end)
        for (guint n_kept = row->is_end ? n_up_to_frame - 1 : n_up_to_frame; reader->stack->len > n_kept;)
            end_top_frame(reader, i, row->time);
    if (!row->is_end)
        g_array_append_val(reader->stack, i);
    return true;
}

/* Matches the rows that begin frames with the rows that end them, in `count` consecutive rows, at least one. */
static void match_rows(XtfFrameReader *reader, const uint8_t *row, uint32_t count)
{
    if (count > reader->n_allocated) {
        reader->n_allocated = count;
        reader->rows = g_renew(BatchRow, reader->rows, count);
    }
    g_array_set_size(reader->stack, 0);
    for (reader->n = 0; reader->n < count; reader->n++, row += reader->array.schema->row_size) {
        reader->rows[reader->n] = (BatchRow){
            .time = xtf_load64(row),
            .key = xtf_load_value(&reader->key, row),
            .distance = xtf_load_bits(&reader->distance, row),
            .is_end = xtf_load_bits(&reader->is_end, row) != 0,
            .match = NO_ROW,
        };
        if (!process_row(reader, reader->n))
            break;
    }
    if (reader->first + reader->n == reader->array.n_rows)
        while (reader->stack->len > 0)
            end_top_frame(reader, NO_ROW, reader->last);
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
    match_rows(reader, xtf_cursor_row(&cursor),
               (uint32_t)MIN(xtf_cursor_available(&cursor), (uint64_t)reader->next_rows));
    return true;
}

/* Ensures that the batch contains row n: loads a batch from row n if it does not. */
static bool ensure_row(XtfFrameReader *reader, uint64_t n, GError **error)
{
    if (n >= reader->first && n - reader->first < reader->n)
        return true;
    bool consecutive = n >= reader->first && n - reader->first < (uint64_t)reader->n + reader->next_rows;
    reader->next_rows = consecutive ? MIN(2 * reader->next_rows, reader->most) : MIN(FIRST_BATCH_ROWS, reader->most);
    reader->n = 0;
    return load_batch(reader, n, error);
}

/* ---- Frames. */

/* Finds the end and the exclusive time of a frame that does not end in the batch. */
static bool find_end_after_batch(const XtfFrameReader *reader, XtfFrameTimes *frame, GError **error)
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
        bool refers_to_frame = xtf_load_bits(&reader->is_end, row) != 0 &&
                               xtf_load_bits(&reader->distance, row) == span->end_row - span->row;
        span->end = xtf_load64(row);
        frame->ending = refers_to_frame ? XTF_FRAME_LEFT : XTF_FRAME_CUT;
    }
    return xtf_frame_exclusive(array, reader->index, span, &frame->exclusive, error);
}

bool xtf_frame_reader_find(XtfFrameReader *reader, uint64_t n, XtfFrameTimes *frame, GError **error)
{
    XtfOpenFrame removed_frame;
    bool removed = false;

    if (reader->array.kept > 0 &&
        !xtf_array_removed_frame(&reader->array, reader->index, n, &removed_frame, NULL, &removed, error))
        return false;
    if (removed) {
        *frame = (XtfFrameTimes){.span = {.key = removed_frame.key, .row = n, .begin = removed_frame.time}};
        return find_end_after_batch(reader, frame, error);
    }
    if (!ensure_row(reader, n, error))
        return false;
    uint32_t i = (uint32_t)(n - reader->first);
    const BatchRow *begin = &reader->rows[i];
    if (begin->is_end)
        return xtf_fail(error, XTF_ERROR_INVALID, "array %u: row %" PRIu64 " begins no frame", reader->array.id, n);
    *frame = (XtfFrameTimes){.span = {.key = begin->key, .row = n, .begin = begin->time}};
    if (begin->match == NO_ROW && !begin->open)
        return find_end_after_batch(reader, frame, error);
    if (begin->open) {
        frame->span.end_row = reader->array.n_rows;
        frame->span.end = reader->last;
        frame->ending = XTF_FRAME_OPEN;
    } else {
        const BatchRow *end = &reader->rows[begin->match];
        frame->span.end_row = reader->first + begin->match;
        frame->span.end = end->time;
        frame->ending = end->is_end && end->match == i ? XTF_FRAME_LEFT : XTF_FRAME_CUT;
    }
    uint64_t duration = frame->span.end - MIN(frame->span.end, frame->span.begin);
    frame->exclusive = duration - MIN(duration, begin->children_ticks);
    return true;
}

/* Sets *known if row n ends the frame that row `begin` began, before the batch. *time is then the time of row
 * `begin`. */
static bool find_begin_before_batch(const XtfFrameReader *reader, uint64_t n, uint64_t begin, bool *known,
                                    uint64_t *time, GError **error)
{
    g_autofree uint8_t *row = g_malloc(reader->array.schema->row_size);
    XtfOpenFrame removed_frame;
    uint64_t end, first_kept;
    bool removed;

    *known = false;
    if (!xtf_array_first_kept(&reader->array, &first_kept, error) ||
        !xtf_array_removed_frame(&reader->array, reader->index, begin, &removed_frame, NULL, &removed, error))
        return false;
    if (begin < first_kept && !removed)
        return true;
    if (!removed && !xtf_array_row(&reader->array, begin, row, error))
        return false;
    if (!removed && xtf_load_bits(&reader->is_end, row) != 0)
        return true;
    if (!xtf_array_frame_end(&reader->array, reader->index, begin, &end, error))
        return false;
    *known = end == n;
    *time = removed ? removed_frame.time : xtf_load64(row);
    return true;
}

bool xtf_frame_reader_duration(XtfFrameReader *reader, uint64_t n, bool *known, uint64_t *ticks, GError **error)
{
    if (!ensure_row(reader, n, error))
        return false;
    const BatchRow *end = &reader->rows[n - reader->first];
    uint64_t time = 0, distance = end->distance;
    *known = end->is_end && end->match != NO_ROW;
    if (*known)
        time = reader->rows[end->match].time;
    else if (end->is_end && distance <= n && distance > n - reader->first &&
             !find_begin_before_batch(reader, n, n - distance, known, &time, error))
        return false;
    *ticks = end->time - MIN(end->time, time);
    return true;
}
