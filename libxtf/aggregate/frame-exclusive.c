/*
 * The totals of the frame's key over the rows that the frame is open in hold its own time, and that of all frames of
 * the same key nested in it. For most frames there are none. Else the totals of the outermost of these, each over its
 * own rows, are what is too much: with each come those nested in it. They are found one after the other by rank and
 * select of the rows that begin frames of the key.
 *
 *     frame     [ f                                          ]     totals of f
 *     nested          [ f [ f ] ]          [ f ]                   less totals of f in these two
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

/* The cells of the key over rows (begin, end]: each row is charged with the time before it. */
static bool key_totals(const KeySearch *search, uint64_t begin, uint64_t end, uint64_t *begun, uint64_t *ticks,
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

/* The first row from n on that begins a frame of the key; n_rows if there is none. */
static bool next_beginning(const KeySearch *search, uint64_t n, uint64_t *row, GError **error)
{
    uint64_t rank;

    return xtf_array_group_rank(search->array, search->index, &search->filter, n, &rank, error) &&
           xtf_array_group_select(search->array, search->index, &search->filter, rank, row, error);
}

/* The time of all frames of the key that begin in rows [from, to). */
static bool nested_ticks(const KeySearch *search, uint64_t from, uint64_t to, uint64_t *ticks, GError **error)
{
    uint64_t row, end, begun, more;

    *ticks = 0;
    for (uint64_t n = from; n < to; n = end) {
        if (!next_beginning(search, n, &row, error))
            return false;
        if (row >= to)
            return true;
        if (!xtf_array_frame_end(search->array, search->index, row, &end, error) ||
            !key_totals(search, row, end, &begun, &more, error))
            return false;
        *ticks += more;
    }
    return true;
}

bool xtf_frame_exclusive(const XtfArray *array, unsigned index, const XtfFrameSpan *span, uint64_t *ticks,
                         GError **error)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[index], 1);
    const KeySearch search = {array, index, {.exact = &span->key, .begun = true}, totals};
    uint64_t begun, all, nested = 0;

    if (!key_totals(&search, span->row, span->end_row, &begun, &all, error) ||
        (begun > 0 && !nested_ticks(&search, span->row + 1, span->end_row, &nested, error)))
        return false;
    *ticks = all - MIN(nested, all);
    if (span->end_row < array->n_rows)
        return true;
    /* Behind the last row the time belongs to the frame that is on top there. */
    g_auto(XtfFrameStack) stack;
    xtf_frame_stack_init(&stack);
    if (!xtf_frames_before_row(array, index, array->n_rows, &stack, error))
        return false;
    if (stack.frames->len > 0 && xtf_frame_stack_at(&stack, stack.frames->len - 1)->row == span->row)
        *ticks += span->end - MIN(span->end, array->last);
    return true;
}
