#include "src/query/select/span.h"

#include "libxtf/error.h"

bool xtf_span_position(const XtfSpan *span, uint64_t n, uint64_t *position, GError **error)
{
    XtfGroupFilter filter = xtf_filter_groups(&span->filter);

    if (!span->filter.matcher) {
        *position = n;
        return true;
    }
    return xtf_array_group_rank(&span->array, xtf_matcher_aggregate(span->filter.matcher), &filter, n, position, error);
}

static bool disagree(const XtfSpan *span, GError **error)
{
    g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "array %u: its sums count other rows than it has", span->array.id);
    return false;
}

bool xtf_span_row_number(const XtfSpan *span, uint64_t position, uint64_t *n, GError **error)
{
    XtfGroupFilter filter = xtf_filter_groups(&span->filter);
    uint64_t row;

    if (!span->filter.matcher) {
        *n = position;
        return true;
    }
    if (!xtf_array_group_select(&span->array, xtf_matcher_aggregate(span->filter.matcher), &filter, position, &row,
                                error))
        return false;
    if (row >= span->array.n_rows)
        return disagree(span, error);
    *n = row;
    return true;
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

    if (!span->filter.matcher)
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

/* ---- Walks. */

void xtf_span_reader_init(XtfSpanReader *walk, const XtfSpan *span)
{
    *walk = (XtfSpanReader){.span = span};
    xtf_cursor_init(&walk->cursor, &span->array);
}

void xtf_span_reader_finish(XtfSpanReader *walk)
{
    walk->n_rows = 0;
    xtf_cursor_finish(&walk->cursor);
}

/* Of so many rows from `row` on, how many match, or do not, before the first that is otherwise. */
static uint64_t stretch(const XtfSpanReader *walk, const uint8_t *row, uint64_t n_rows, bool matches)
{
    uint32_t row_size = walk->span->array.schema->row_size;
    uint64_t n = 0;

    while (n < n_rows && xtf_filter_has(&walk->span->filter, row + n * row_size) == matches)
        n++;
    return n;
}

/* Measures the run that begins at the cursor. */
static bool measure_run(XtfSpanReader *walk, GError **error)
{
    const XtfSpan *span = walk->span;
    uint64_t most = MIN(xtf_cursor_available(&walk->cursor), span->hi - walk->position);

    if (span->filter.matcher)
        most = stretch(walk, xtf_cursor_row(&walk->cursor), most, true);
    walk->n_rows = most;
    return most || disagree(span, error);
}

bool xtf_span_reader_seek(XtfSpanReader *walk, uint64_t position, GError **error)
{
    bool found;
    uint64_t n;

    if (position >= walk->span->hi) {
        xtf_span_reader_finish(walk);
        walk->position = position;
        return true;
    }
    if (!xtf_span_row_number(walk->span, position, &n, error) || !xtf_cursor_seek_n(&walk->cursor, n, &found, error))
        return false;
    walk->position = position;
    return found ? measure_run(walk, error) : disagree(walk->span, error);
}

bool xtf_span_reader_next(XtfSpanReader *walk, GError **error)
{
    XtfCursor *cursor = &walk->cursor;
    uint64_t position = walk->position + walk->n_rows, end = cursor->n + walk->n_rows;
    bool found;

    if (position >= walk->span->hi)
        return xtf_span_reader_seek(walk, position, error);
    uint64_t left = xtf_cursor_available(cursor) - walk->n_rows;
    if (walk->span->filter.matcher) {
        const uint8_t *row = xtf_cursor_row(cursor) + walk->n_rows * walk->span->array.schema->row_size;
        uint64_t passed = stretch(walk, row, left, false);
        if (passed == left) { /* what is next may be many leaves on */
            if (!xtf_span_reader_seek(walk, position, error))
                return false;
            return cursor->n >= end || disagree(walk->span, error);
        }
        end += passed;
    }
    if (!xtf_cursor_next(cursor, (int64_t)(end - cursor->n), &found, error))
        return false;
    walk->position = position;
    return found ? measure_run(walk, error) : disagree(walk->span, error);
}
