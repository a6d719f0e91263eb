/*
 * Aggregates: totals over any range of rows of an array, for the price of a descent.
 *
 * A schema declares which aggregates there are (schema.h). The index keeps the totals of each child of each page, so a
 * query adds up at most the siblings beside its two descents, one for each end of the range, and reads rows only in the
 * two leaves where these end.
 *
 * Frames. The stack at row n is the frames that the rows before n leave open. Row n acts on it in this order:
 *
 *   1. Row n is charged with the ticks since the row before it in the array; row 0 is charged with none. These ticks
 *      are exclusive time of the key on top of the stack. If the stack is empty they go to XTF_FRAMES_BEFORE where
 *      row n ends a frame that never began, and are charged to nothing otherwise.
 *   2. Row n ends frames. Its distance d leads to the frame that row n - d began, or to no frame if d is 0 or no open
 *      frame began there. A row that ends a frame ends the frame that it leads to and all frames above it; if it leads
 *      to no frame, its frame never began, and it ends none. A row that begins a frame ends all frames above the one
 *      that it leads to; if it leads to no frame, it ends all. Each frame that ends adds its whole duration, up to row
 *      n, to its key's inclusive time, if the row that began it said that it is an outermost one; and whether or not it
 *      is, its key's longest duration is at least this.
 *   3. If row n begins a frame, that frame is now on top.
 *
 * So a frame that no row ends itself ends when a frame below it ends, or when a row says that another frame is around
 * it. Rows that begin and rows that end frames are counted under the key in the row itself, also where the frame never
 * began: both counts together are all rows of that key. The cells of XTF_FRAMES_BEFORE are the rows whose frame never
 * began (with any stack), 0, twice the ticks, and 0. Where frames of all keys are one group, XTF_FRAMES_BEFORE is left
 * out, since its rows are counted already.
 *
 * Clock maps (clock-map.h). All times in totals are in ticks of the location's clock, and so are least, greatest and
 * last values of instants. Durations are what that clock measured. Ranges of rows are the same by either time.
 *
 * Any thread may call these functions; a XtfGroupTotals belongs to one thread at a time. Groups chosen by a filter, and
 * rank and select among them, are in group-filter.h.
 */
#pragma once

#include "libxtf/array.h"

XTF_BEGIN_DECLS

/* The key of rows that end a frame that never began. */
#define XTF_FRAMES_BEFORE UINT64_MAX

/* Cells of a group of an XTF_AGGREGATE_FRAMES. */
enum {
    XTF_FRAMES_BEGUN,
    XTF_FRAMES_ENDED,
    XTF_FRAMES_INCLUSIVE,
    XTF_FRAMES_EXCLUSIVE,
    XTF_FRAMES_LONGEST, /* the longest duration of a frame that ended, of any frame, outermost or not: not a sum */
    XTF_FRAMES_CELLS,
};

/*
 * Cells of a group of an XTF_AGGREGATE_GROUPS: the number of rows, then the cells of each value field, XTF_VALUE_CELLS
 * of them if the aggregate has extremes, else the sum alone.
 *
 * Absent values (XTF_FIELD_OPTIONAL) are skipped. A NaN makes the sum NaN, and is skipped by least, greatest and last.
 * If no value counted, the least is greater than the greatest, and the last is 0.
 */
enum { XTF_GROUP_ROWS = 0, XTF_VALUE_SUM = 0, XTF_VALUE_MIN, XTF_VALUE_MAX, XTF_VALUE_LAST, XTF_VALUE_CELLS };

/*
 * Totals by group. A group's key is the values of the aggregate's first `depth` key fields, as xtf_field_get() gives
 * them. With a depth less than the number of keys two things are unknown, and 0: the last values, and every cell of a
 * value whose type is given by a key beyond the depth.
 */
typedef struct XtfGroupTotals XtfGroupTotals;

/* No groups yet. `depth` is at most aggregate->n_keys. Borrows the aggregate. */
XtfGroupTotals *xtf_group_totals_new(const XtfAggregate *aggregate, unsigned depth);
void xtf_group_totals_free(XtfGroupTotals *totals); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGroupTotals, xtf_group_totals_free)
void xtf_group_totals_clear(XtfGroupTotals *totals);

uint32_t xtf_group_totals_n(const XtfGroupTotals *totals);                      /* the number of groups */
const uint64_t *xtf_group_totals_key(const XtfGroupTotals *totals, uint32_t i); /* `depth` values */
const uint64_t *xtf_group_totals_cells(const XtfGroupTotals *totals, uint32_t i);
/* The cells of the group with a key; NULL if there is no such group. */
const uint64_t *xtf_group_totals_find(const XtfGroupTotals *totals, const uint64_t *key);
/* Orders groups by key, ascending. Unsorted, groups are in the order in which they were first added. */
void xtf_group_totals_sort(XtfGroupTotals *totals);

/* Adds cells to the group of a key. The rows behind them must come after all rows added before, which matters to last
 * values only. */
void xtf_group_totals_add(XtfGroupTotals *totals, const uint64_t *key, const uint64_t *cells);
/* Adds all groups of `from`, whose depth is at least that of `totals`. */
void xtf_group_totals_add_all(XtfGroupTotals *totals, const XtfGroupTotals *from);

/* Of group-filter.h; NULL means all groups. */
typedef struct XtfGroupFilter XtfGroupFilter;

/*
 * Adds the totals of rows [n1, n2) to `totals`, which were made for schema->aggregates[index]; n2 is cut off at the
 * array's end. If it fails, `totals` may hold a part.
 */
bool xtf_array_totals(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                      XtfGroupTotals *totals, GError **error);

typedef struct {
    uint64_t key;
    uint64_t row;  /* the row that began the frame */
    uint64_t time; /* of that row */
    bool outermost;
} XtfOpenFrame;

/*
 * The stack at row n, which is at most n_rows: *frames, the outermost first, *n_frames of them. The caller frees
 * *frames with g_free(). The frames' times are global, unless the array is an xtf_array_local(). Up to 64 frames cost
 * one leaf, and each 64 more at most one leaf more.
 */
bool xtf_array_stack(const XtfArray *array, unsigned index, uint64_t n, XtfOpenFrame **frames, size_t *n_frames,
                     GError **error);

/*
 * The row that ends the frame that row n begins: its own end, or another row that ends frames around it, or begins one
 * that it is not around. *end is n_rows if no row does. XTF_ERROR_INVALID if row n begins no frame. One descent, and
 * digests of two leaves.
 */
bool xtf_array_frame_end(const XtfArray *array, unsigned index, uint64_t n, uint64_t *end, GError **error);

typedef struct {
    uint64_t key;
    uint64_t row, end_row; /* that began it; that ended it, n_rows if none did */
    uint64_t begin, end;   /* times of these rows, in local ticks: a duration is that of the location's clock */
} XtfFrameSpan;

/*
 * Time by key, to the tick, in the window [a, b), of one location whose first and last records, of any type, are at
 * `first` and `last`, in local ticks (local_first and local_last of its arrays). Adds to `totals`, whose depth is 1.
 * Frames begun and ended are counted by the rows in the window.
 *
 * Exclusive time of a key is the ticks of the window during which a frame of the key was on top. Inclusive time is the
 * ticks during which an outermost frame of the key was open: durations of the frames that ended in the window, less the
 * part before a of those open at a, plus the part up to b of those open at b. The stack at a is the stack before all
 * rows with a time of a or later. A frame that no row ends lasts until `last`. Ticks charged to XTF_FRAMES_BEFORE begin
 * at `first` if its row is row 0. A window that reaches beyond `first` or `last` is cut off there.
 *
 * With a clock map, the window is the local one from the least local tick that leads to a or later, to the least one
 * that leads to b or later. These hold the same rows, and windows side by side stay so. Knots in the window do not
 * matter. An edge inside of a jump is, locally, the first tick that leads behind it.
 */
bool xtf_array_profile(const XtfArray *array, unsigned index, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                       XtfGroupTotals *totals, GError **error);

XTF_END_DECLS
