/*
 * Sums: totals of rows over any interval of an array, for the price of a descent.
 *
 * Which totals there are, a schema declares (schema.h). The index keeps them for each child of each page, so that a
 * query adds up at most the siblings on its way down to both edges of the interval, and reads rows only in the two
 * leaves there.
 *
 * Frames. The stack at row n is what the rows before n leave open. Each row is charged with the ticks since the row
 * before it in the array; the ticks go to the frame on top of the stack before the row: its key's exclusive time. A row
 * that ends a frame adds the frame's whole duration to its key's inclusive time, if the frame is an outermost one. A
 * row that ends a frame under the top ends those above with it, at the same time: they count as ended there, but not as
 * rows that end one; so does a row that begins a frame around which one under the top stands. A row that ends a frame
 * which never began ends none; with an empty stack, its ticks go to XTF_FRAMES_BEFORE, whose cells are then: such rows
 * (with any stack), 0, and twice the ticks. Ticks of other rows that find the stack empty go nowhere. Row 0 is charged
 * with nothing.
 *
 * Rows that end a frame are counted under the key that they hold themselves, those that end none too: so the rows of a
 * key are its frames begun plus its rows that end, whatever became of the frames.
 *
 * All functions may be called from any thread; a XtfTotals belongs to one at a time.
 */
#pragma once

#include "libxtf/array.h"

XTF_BEGIN_DECLS

/* The key of ends without a beginning, in sums of frames. */
#define XTF_FRAMES_BEFORE UINT64_MAX

/* Cells of sums of frames. */
enum { XTF_FRAMES_BEGUN, XTF_FRAMES_ENDED, XTF_FRAMES_INCLUSIVE, XTF_FRAMES_EXCLUSIVE, XTF_FRAMES_CELLS };

/* Cells of groups: rows, then these of each value field, so many apart if there are extremes. */
enum { XTF_GROUP_ROWS = 0, XTF_VALUE_SUM = 0, XTF_VALUE_MIN, XTF_VALUE_MAX, XTF_VALUE_LAST, XTF_VALUE_CELLS };

/* Totals by group. Keys are values of key fields as xtf_field_get() gives them. */
typedef struct XtfTotals XtfTotals;

/* Groups are told apart by the first `depth` keys only: at most sums->n_keys. Borrows the sums. */
XtfTotals *xtf_totals_new(const XtfSums *sums, unsigned depth);
void xtf_totals_free(XtfTotals *totals); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTotals, xtf_totals_free)
void xtf_totals_clear(XtfTotals *totals);

/* Adds cells to the group of a key: of rows behind all that were added before, which matters to last values only. */
void xtf_totals_add(XtfTotals *totals, const uint64_t *key, const uint64_t *cells);
/* Adds all groups of `from`, whose depth is no less. */
void xtf_totals_add_all(XtfTotals *totals, const XtfTotals *from);

uint32_t xtf_totals_n(const XtfTotals *totals);                      /* groups */
const uint64_t *xtf_totals_key(const XtfTotals *totals, uint32_t i); /* `depth` values */
const uint64_t *xtf_totals_cells(const XtfTotals *totals, uint32_t i);
const uint64_t *xtf_totals_find(const XtfTotals *totals,
                                const uint64_t *key); /* cells; NULL if there is no such group */
void xtf_totals_sort(XtfTotals *totals); /* by key, ascending; else the order is that of the first additions */

/* Which groups are meant. Told the first `depth` values of a key: none of the groups that begin so, all of them, or
 * that more must be known. Told all keys it says NONE or ALL. Called often: it should be quick. */
typedef enum { XTF_MATCH_NONE, XTF_MATCH_ALL, XTF_MATCH_SOME } XtfMatch;

typedef struct {
    XtfMatch (*match)(const uint64_t *key, unsigned depth, const void *data);
    const void *data; /* borrowed */
} XtfGroupFilter;

/* Adds the totals of rows [n1, n2) to `totals`, which is of schema->sums[sums]; n2 is cut off at the array's end.
 * `filter` may be NULL. What was added when it fails means nothing. */
bool xtf_array_sum(const XtfArray *array, unsigned sums, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                   XtfTotals *totals, GError **error);

/* The number of rows before n that are in the groups meant: for frames, the rows that hold such a key.
 * (XTF_FRAMES_BEFORE has none: its rows hold keys of their own.) */
bool xtf_array_group_rank(const XtfArray *array, unsigned sums, const XtfGroupFilter *filter, uint64_t n,
                          uint64_t *rank, GError **error);
/* The row that has k such rows before it and is one itself; n_rows if there is none. */
bool xtf_array_group_select(const XtfArray *array, unsigned sums, const XtfGroupFilter *filter, uint64_t k, uint64_t *n,
                            GError **error);
/* Whether a row is in the groups meant. */
bool xtf_row_matches(const XtfSchema *schema, unsigned sums, const XtfGroupFilter *filter, const uint8_t *row);

typedef struct {
    uint64_t key;
    uint64_t row;  /* that began it */
    uint64_t time; /* of that row */
    bool outermost;
} XtfOpenFrame;

/* Appends the frames open before row n (at most n_rows), the outermost first, to an array of XtfOpenFrame. Up to 64
 * deep it takes one leaf; beyond, one more for each 64. */
bool xtf_array_stack(const XtfArray *array, unsigned sums, uint64_t n, GArray *frames, GError **error);

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
bool xtf_array_profile(const XtfArray *array, unsigned sums, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                       XtfTotals *totals, GError **error);

XTF_END_DECLS
