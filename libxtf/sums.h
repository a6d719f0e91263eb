/*
 * Sums: totals of rows over any interval of an array, for the price of a descent.
 *
 * Which totals there are, a schema declares (schema.h). The index keeps them for each child of each page, so that a
 * query adds up at most the siblings on its way down to both edges of the interval, and reads rows only in the two
 * leaves there.
 *
 * Frames. The stack at row n is what the rows before n leave open. Row n acts on it in this order:
 *
 *   1. It is charged with the ticks since the row before it in the array; row 0 with nothing. They are exclusive time
 *      of the key on top of the stack. With an empty stack they go to XTF_FRAMES_BEFORE, if the row ends a frame that
 *      never began, and else nowhere.
 *   2. It ends frames. Its distance d leads to the frame that row n - d began; where no such frame is open, or d is 0,
 *      to none. A row that ends a frame ends the one that it leads to and all above it; if it leads to none, it ends
 *      none: it is one whose frame never began. A row that begins a frame ends all above the one that it leads to, and
 *      if it leads to none, all. Each frame that ends adds its whole duration, up to this row, to its key's inclusive
 *      time, if it is an outermost one as the row said that began it.
 *   3. If it begins a frame, that is now on top.
 *
 * So frames that are never ended themselves end when a frame below does, or when a row tells that another one is around
 * it. Frames begun and rows that end one are counted by the key in the row itself, also those whose frame never began:
 * both together are all rows of that key. XTF_FRAMES_BEFORE has as cells the rows whose frame never began (with any
 * stack), 0, and twice the ticks. Where frames of all keys are one group it is left out: its rows are counted already.
 *
 * All functions may be called from any thread; a XtfGroupTotals belongs to one at a time.
 */
#pragma once

#include "libxtf/array.h"

XTF_BEGIN_DECLS

/* The key of ends without a beginning, in sums of frames. */
#define XTF_FRAMES_BEFORE UINT64_MAX

/* Cells of sums of frames. */
enum { XTF_FRAMES_BEGUN, XTF_FRAMES_ENDED, XTF_FRAMES_INCLUSIVE, XTF_FRAMES_EXCLUSIVE, XTF_FRAMES_CELLS };

/* Cells of groups: rows, then these of each value field, so many apart if there are extremes; else the sums only. A
 * value that is none does not count; one that is not a number makes the sum NaN, and else does not count. Without any
 * the least is greater than the greatest; the last is then 0. */
enum { XTF_GROUP_ROWS = 0, XTF_VALUE_SUM = 0, XTF_VALUE_MIN, XTF_VALUE_MAX, XTF_VALUE_LAST, XTF_VALUE_CELLS };

/* Totals by group. Keys are values of key fields as xtf_field_get() gives them. What takes all keys to be known is 0 at
 * a lesser depth: the last values, and all cells of values whose type a key tells that is not among the first. */
typedef struct XtfGroupTotals XtfGroupTotals;

/* Groups are told apart by the first `depth` keys only: at most sums->n_keys. Borrows the sums. */
XtfGroupTotals *xtf_group_totals_new(const XtfAggregate *aggregate, unsigned depth);
void xtf_group_totals_free(XtfGroupTotals *totals); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGroupTotals, xtf_group_totals_free)
void xtf_group_totals_clear(XtfGroupTotals *totals);

/* Adds cells to the group of a key: of rows behind all that were added before, which matters to last values only. */
void xtf_group_totals_add(XtfGroupTotals *totals, const uint64_t *key, const uint64_t *cells);
/* Adds all groups of `from`, whose depth is no less. */
void xtf_group_totals_add_all(XtfGroupTotals *totals, const XtfGroupTotals *from);

uint32_t xtf_group_totals_n(const XtfGroupTotals *totals);                      /* groups */
const uint64_t *xtf_group_totals_key(const XtfGroupTotals *totals, uint32_t i); /* `depth` values */
const uint64_t *xtf_group_totals_cells(const XtfGroupTotals *totals, uint32_t i);
const uint64_t *xtf_group_totals_find(const XtfGroupTotals *totals,
                                      const uint64_t *key); /* cells; NULL if there is no such group */
void xtf_group_totals_sort(
    XtfGroupTotals *totals); /* by key, ascending; else the order is that of the first additions */

/* Which groups are meant. Told the first `depth` values of a key: none of the groups that begin so, all of them, or
 * that more must be known. Told all keys it says NONE or ALL. Called often: it should be quick. */
typedef enum { XTF_MATCH_NONE, XTF_MATCH_ALL, XTF_MATCH_SOME } XtfMatch;

typedef struct {
    XtfMatch (*match)(const uint64_t *key, unsigned depth, const void *data);
    const void *data; /* borrowed */
} XtfGroupFilter;

/* Adds the totals of rows [n1, n2) to `totals`, which is of schema->sums[sums]; n2 is cut off at the array's end.
 * `filter` may be NULL. What was added when it fails means nothing. */
bool xtf_array_totals(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                      XtfGroupTotals *totals, GError **error);

/* The number of rows before n that are in the groups meant: for frames, the rows that hold such a key.
 * (XTF_FRAMES_BEFORE has none: its rows hold keys of their own.) */
bool xtf_array_group_rank(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n,
                          uint64_t *rank, GError **error);
/* The row that has k such rows before it and is one itself; n_rows if there is none. */
bool xtf_array_group_select(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t k,
                            uint64_t *n, GError **error);
/* Whether a row is in the groups meant. */
bool xtf_row_matches(const XtfSchema *schema, unsigned index, const XtfGroupFilter *filter, const uint8_t *row);

typedef struct {
    uint64_t key;
    uint64_t row;  /* that began it */
    uint64_t time; /* of that row */
    bool outermost;
} XtfOpenFrame;

/* Appends the frames open before row n (at most n_rows), the outermost first, to an array of XtfOpenFrame. Up to 64
 * deep it takes one leaf; beyond, one more for each 64. */
bool xtf_array_stack(const XtfArray *array, unsigned index, uint64_t n, GArray *frames, GError **error);

/*
 * Time by key, to the tick, in the window [a, b), of one location whose first and last records, of any type, are at
 * `first` and `last`. Adds to `totals`, of depth 1. Frames begun and ended are those of the rows in the window.
 *
 * Exclusive: the ticks of the window during which a frame of the key was on top. Inclusive: those during which an
 * outermost one was open: durations of those that ended in the window, less the part before a of those open at a, plus
 * the part up to b of those open at b. The stack at a is the one before all rows with a time of a or later. What is
 * never ended lasts until `last`; what XTF_FRAMES_BEFORE is charged with begins at `first`, if its row is row 0. No
 * window reaches beyond `first` and `last`.
 */
bool xtf_array_profile(const XtfArray *array, unsigned index, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                       XtfGroupTotals *totals, GError **error);

XTF_END_DECLS
