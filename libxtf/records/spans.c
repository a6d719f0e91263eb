#include "libxtf/spans.h"

#include "libxtf/error.h"

void xtf_span_init(XtfSpan *span, const XtfArray *array)
{
    *span = (XtfSpan){.array = *array, .hi = array->n_rows};
}

bool xtf_span_cut(XtfSpan *span, uint64_t from, uint64_t to, GError **error)
{
    const XtfArray *array = &span->array;

    if (from > array->last || from >= to || (to <= array->first && to != UINT64_MAX)) {
        span->hi = span->lo;
        return true;
    }
    if (from > array->first && !xtf_span_rank_within(span, from, span->lo, span->hi, &span->lo, error))
        return false;
    return to > array->last || to == UINT64_MAX || xtf_span_rank_within(span, to, span->lo, span->hi, &span->hi, error);
}

bool xtf_span_filter(XtfSpan *span, unsigned aggregate, const XtfGroupFilter *filter, GError **error)
{
    uint64_t from, to;

    if (span->lo >= span->hi)
        return true;
    if (!xtf_span_rows(span, &from, &to, error))
        return false;
    span->filter = *filter;
    span->aggregate = aggregate;
    return xtf_span_position(span, from, &span->lo, error) && xtf_span_position(span, to, &span->hi, error);
}

bool xtf_span_position(const XtfSpan *span, uint64_t n, uint64_t *position, GError **error)
{
    if (xtf_span_is_filtered(span))
        return xtf_array_group_rank(&span->array, span->aggregate, &span->filter, n, position, error);
    *position = n;
    return true;
}

static bool fail_inconsistent(const XtfSpan *span, GError **error)
{
    return xtf_damaged(error, "array %u: its aggregates do not match its rows", span->array.id);
}

bool xtf_span_find_row(const XtfSpan *span, XtfSpanMark *mark, uint64_t position, uint64_t *n, GError **error)
{
    const XtfSpanMark from = position < mark->position ? (XtfSpanMark){0} : *mark;
    uint64_t row = position;

    if (!xtf_span_is_filtered(span)) {
        *n = position;
        return true;
    }
    if (!xtf_array_group_select_from(&span->array, span->aggregate, &span->filter, from.n, position - from.position,
                                     &row, error))
        return false;
    if (row >= span->array.n_rows)
        return fail_inconsistent(span, error);
    *mark = (XtfSpanMark){.position = position, .n = row};
    *n = row;
    return true;
}

bool xtf_span_row_number(const XtfSpan *span, uint64_t position, uint64_t *n, GError **error)
{
    XtfSpanMark first = {0};

    return xtf_span_find_row(span, &first, position, n, error);
}

bool xtf_span_rows(const XtfSpan *span, uint64_t *from, uint64_t *to, GError **error)
{
    uint64_t first, last;

    if (!xtf_span_row_number(span, span->lo, &first, error) || !xtf_span_row_number(span, span->hi - 1, &last, error))
        return false;
    *from = first;
    *to = last + 1;
    return true;
}

bool xtf_span_rank_within(const XtfSpan *span, uint64_t t, uint64_t low, uint64_t high, uint64_t *position,
                          GError **error)
{
    uint64_t n, found;

    if (!xtf_span_is_filtered(span))
        return xtf_array_rank_within(&span->array, t, low, high, position, error);
    if (!xtf_array_rank_within(&span->array, t, 0, span->array.n_rows, &n, error) ||
        !xtf_span_position(span, n, &found, error))
        return false;
    *position = CLAMP(found, low, high);
    return true;
}

bool xtf_span_time(const XtfSpan *span, uint64_t position, uint64_t *t, GError **error)
{
    uint64_t n;
    return xtf_span_row_number(span, position, &n, error) && xtf_array_time(&span->array, n, t, error);
}

/* ---- Readers. */

void xtf_span_reader_init(XtfSpanReader *reader, const XtfSpan *span)
{
    *reader = (XtfSpanReader){.span = span};
    xtf_cursor_init(&reader->cursor, &span->array);
}

void xtf_span_reader_finish(XtfSpanReader *reader)
{
    reader->n_rows = 0;
    xtf_cursor_finish(&reader->cursor);
}

/* Returns the number of rows, of n_rows from `row` on, before the first that does not match; with `matching` false,
 * before the first that matches. */
static uint64_t count_run(const XtfSpan *span, const uint8_t *row, uint64_t n_rows, bool matching)
{
    const XtfSchema *schema = span->array.schema;
    const XtfGroupFilter filter = span->filter;
    uint64_t n = 0;

    if (!filter.accepts_row || filter.begins_only) {
        while (n < n_rows && xtf_row_matches(schema, span->aggregate, &filter, row + n * schema->row_size) == matching)
            n++;
        return n;
    }
    while (n < n_rows && filter.accepts_row(row + n * schema->row_size, filter.data) == matching)
        n++;
    return n;
}

/* Finds the length of the run that begins at the cursor. */
static bool measure_run(XtfSpanReader *reader, GError **error)
{
    const XtfSpan *span = reader->span;
    uint64_t most = MIN(xtf_cursor_available(&reader->cursor), span->hi - reader->position);

    if (xtf_span_is_filtered(span))
        most = count_run(span, xtf_cursor_row(&reader->cursor), most, true);
    reader->n_rows = most;
    return most || fail_inconsistent(span, error);
}

/* Moves to the run that begins at a position at or after the mark. */
static bool seek_from(XtfSpanReader *reader, XtfSpanMark mark, uint64_t position, GError **error)
{
    bool found;
    uint64_t n;

    if (position >= reader->span->hi) {
        xtf_span_reader_finish(reader);
        reader->position = position;
        return true;
    }
    if (!xtf_span_find_row(reader->span, &mark, position, &n, error) ||
        !xtf_cursor_seek_n(&reader->cursor, n, &found, error))
        return false;
    reader->position = position;
    return found ? measure_run(reader, error) : fail_inconsistent(reader->span, error);
}

bool xtf_span_reader_seek(XtfSpanReader *reader, uint64_t position, GError **error)
{
    return seek_from(reader, (XtfSpanMark){0}, position, error);
}

bool xtf_span_reader_next(XtfSpanReader *reader, GError **error)
{
    XtfCursor *cursor = &reader->cursor;
    uint64_t position = reader->position + reader->n_rows, end = cursor->n + reader->n_rows;
    bool found;

    if (position >= reader->span->hi)
        return xtf_span_reader_seek(reader, position, error);
    uint64_t left = xtf_cursor_available(cursor) - reader->n_rows;
    if (xtf_span_is_filtered(reader->span)) {
        const uint8_t *row = xtf_cursor_row(cursor) + reader->n_rows * reader->span->array.schema->row_size;
        uint64_t skipped = count_run(reader->span, row, left, false);
        if (skipped == left) { /* the next run may be many leaves ahead */
            const XtfSpanMark mark = {.position = position, .n = end + left};
            return seek_from(reader, mark, position, error);
        }
        end += skipped;
    }
    if (!xtf_cursor_next(cursor, (int64_t)(end - cursor->n), &found, error))
        return false;
    reader->position = position;
    return found ? measure_run(reader, error) : fail_inconsistent(reader->span, error);
}

/* ---- Sets of spans. */

XtfSpans *xtf_spans_new(void *data, GDestroyNotify free_data)
{
    XtfSpans *spans = g_new(XtfSpans, 1);
    *spans = (XtfSpans){.data = data, .free_data = free_data};
    g_atomic_ref_count_init(&spans->references);
    return spans;
}

XtfSpans *xtf_spans_ref(XtfSpans *spans)
{
    g_atomic_ref_count_inc(&spans->references);
    return spans;
}

void xtf_spans_unref(XtfSpans *spans)
{
    if (!spans || !g_atomic_ref_count_dec(&spans->references))
        return;
    if (spans->free_data)
        spans->free_data(spans->data);
    g_free(spans->spans);
    g_free(spans);
}

bool xtf_spans_add(XtfSpans *spans, const XtfSpan *span, GError **error)
{
    uint64_t count;

    if (span->lo >= span->hi)
        return true;
    if (spans->n && spans->spans[spans->n - 1].array.location > span->array.location)
        return xtf_fail(error, XTF_ERROR_INVALID, "spans must be added in the order of their locations");
    if (spans->n == UINT32_MAX || __builtin_add_overflow(spans->count, span->hi - span->lo, &count))
        return xtf_damaged(error, "the number of records exceeds 2^64, or that of spans 2^32");
    if (spans->n == spans->room) {
        spans->room = MAX(1, spans->room + MIN(spans->room, UINT32_MAX - spans->room));
        spans->spans = g_renew(XtfSpan, spans->spans, spans->room);
    }
    spans->spans[spans->n++] = *span;
    spans->count = count;
    return true;
}
