/*
 * Computes the exclusive time of a frame. Over the rows where the frame is open, the totals of its key contain the
 * frame's own time. They also contain the time of nested frames of the same key. Most frames have no such nested
 * frames. Otherwise the totals of the outermost nested frames, each over its own rows, are subtracted; they include the
 * frames nested deeper. Rank and select of the rows that begin frames of the key find these frames one by one.
 *
 *     frame     [ f                                          ]     totals of f
 *     nested          [ f [ f ] ]          [ f ]                   minus totals of f in these two
 */
#include "libxtf/aggregate/frame-exclusive.h"

#include "libxtf/aggregate/frames.h"
#include "libxtf/group-filter.h"

typedef struct {
    const XtfArray *array;
    unsigned index;
    XtfGroupFilter filter; /* rows that begin frames of the key */
    XtfGroupTotals *totals;
} KeySearch;

/* Counts the frames of the key that rows (begin, end] begin, and the key's exclusive ticks in these rows. A row is
 * charged with the ticks before it, so the range leaves out row `begin`. */
static bool compute_key_totals(const KeySearch *search, uint64_t begin, uint64_t end, uint64_t *begun, uint64_t *ticks,
                               GError **error)
{
    xtf_group_totals_clear(search->totals);
    if (!xtf_array_totals(search->array, search->index, &search->filter, begin + 1, end + 1, search->totals, error))
        return false;
    const uint64_t *cells = xtf_group_totals_find(search->totals, search->filter.exact);
    *begun = cells ? cells[XTF_FRAMES_BEGUN] : 0;
    *ticks = cells ? cells[XTF_FRAMES_EXCLUSIVE] : 0;
    return true;
}

/* Finds the first row from n on that begins a frame of the key; n_rows if there is none. */
static bool find_next_begin(const KeySearch *search, uint64_t n, uint64_t *row, GError **error)
{
    uint64_t rank;

    return xtf_array_group_rank(search->array, search->index, &search->filter, n, &rank, error) &&
           xtf_array_group_select(search->array, search->index, &search->filter, rank, row, error);
}

/* Computes the exclusive time of all frames of the key, also nested ones, that begin in rows [from, to). */
static bool compute_nested_ticks(const KeySearch *search, uint64_t from, uint64_t to, uint64_t *ticks, GError **error)
{
    uint64_t row, end, begun, frame_ticks;

    *ticks = 0;
    for (uint64_t n = from; n < to; n = end) {
        if (!find_next_begin(search, n, &row, error))
            return false;
        if (row >= to)
            return true;
        if (!xtf_array_frame_end(search->array, search->index, row, &end, error) ||
            !compute_key_totals(search, row, end, &begun, &frame_ticks, error))
            return false;
        *ticks += frame_ticks;
    }
    return true;
}

/* Finds the row that begins a frame, or the last row before the kept time if that is later. The rows after it are
 * charged to the frame. */
static bool find_begin(const XtfArray *array, const XtfFrameSpan *span, uint64_t *begin, GError **error)
{
    uint64_t first_kept;

    if (!xtf_array_first_kept(array, &first_kept, error))
        return false;
    *begin = MAX(span->row, first_kept - MIN(first_kept, 1));
    return true;
}

bool xtf_frame_exclusive(const XtfArray *array, unsigned index, const XtfFrameSpan *span, uint64_t *ticks,
                         GError **error)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[index], 1);
    const KeySearch search = {array, index, {.exact = &span->key, .begins_only = true}, totals};
    uint64_t begin, begun, key_ticks, nested_key_ticks = 0;

    if (!find_begin(array, span, &begin, error) ||
        !compute_key_totals(&search, begin, span->end_row, &begun, &key_ticks, error) ||
        (begun > 0 && !compute_nested_ticks(&search, begin + 1, span->end_row, &nested_key_ticks, error)))
        return false;
    *ticks = key_ticks - MIN(nested_key_ticks, key_ticks);
    if (span->end_row < array->n_rows)
        return true;
    /* The time after the last row is exclusive time of the frame on top of the stack. */
    g_auto(XtfFrameStack) stack;
    xtf_frame_stack_init(&stack);
    if (!xtf_frames_before_row(array, index, array->n_rows, &stack, error))
        return false;
    if (stack.frames->len > 0 && xtf_frame_stack_at(&stack, stack.frames->len - 1)->row == span->row)
        *ticks += span->end - MIN(span->end, array->last);
    return true;
}
