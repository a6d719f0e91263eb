/*
 * Aggregates: totals over any range of rows of an array, at the cost of a descent.
 *
 * A schema declares its aggregates (schema.h). The index stores the totals of each child of each page. A query descends
 * once for each end of the range and adds the totals of the siblings beside both descents. It reads rows only in the
 * two leaves that contain the ends.
 *
 * Frames. The stack at row n consists of the frames that the rows before n leave open. Row n changes it in this order:
 *
 *   1. Row n is charged with the ticks since the previous row of the array; row 0 is charged with none. These ticks are
 *      exclusive time of the key on top of the stack. If the stack is empty, they go to XTF_FRAMES_BEFORE if row n ends
 *      a frame that never began, else to no key.
 *   2. Row n ends frames. Its distance d refers to the frame that row n - d began. If d is 0 or no open frame began
 *      there, it refers to no frame.
 *        - A row that ends a frame ends the frame it refers to and all frames above that frame. If it refers to no
 *          frame, its frame never began, and the row ends no frame.
 *        - A row that begins a frame ends all frames above the frame it refers to. If it refers to no frame, it ends
 *          all frames.
 *      Each frame that ends has a duration, from its begin to row n. If the row that began the frame marked it as
 *      outermost, the duration is added to the key's inclusive time. The key's longest duration becomes at least this
 *      duration, outermost or not.
 *   3. If row n begins a frame, the new frame is on top of the stack.
 *
 * A frame may have no ending row. It ends when a frame below it ends, or when a row begins a frame outside of it. Rows
 * that begin frames, and rows that end frames, are counted under the row's own key, even if the frame never began. The
 * two counts together are all rows of the key. The cells of XTF_FRAMES_BEFORE are: the number of rows whose frame never
 * began (with any stack), 0, twice the ticks, and 0. Totals of depth 0 leave XTF_FRAMES_BEFORE out, because their one
 * group already counts its rows.
 *
 * Clock maps (clock-map.h). All times in totals are ticks of the location's clock: durations, and the least, greatest
 * and last values of instants. The same rows lie in a range by local and by global time.
 *
 * The functions are thread-safe. One thread at a time may use a XtfGroupTotals. For groups chosen by a filter, and
 * their ranks and selects, see group-filter.h.
 */
#pragma once

#include "libxtf/array.h"

XTF_BEGIN_DECLS

/* Key of the group for frames that no row began: the rows that end them, and their ticks. */
#define XTF_FRAMES_BEFORE UINT64_MAX

/* Indices of a group's cells in an XTF_AGGREGATE_FRAMES: two counts of rows, then local ticks. */
enum {
    XTF_FRAMES_BEGUN,
    XTF_FRAMES_ENDED,
    XTF_FRAMES_INCLUSIVE,
    XTF_FRAMES_EXCLUSIVE,
    XTF_FRAMES_LONGEST, /* longest duration of an ended frame, outermost or not; a maximum, not a sum */
    XTF_FRAMES_CELLS,
};

/*
 * Cells of a group of an XTF_AGGREGATE_GROUPS: the number of rows, then the cells of each value field. A value field
 * has XTF_VALUE_CELLS cells if the aggregate has extremes, else the sum alone.
 *
 * Absent values (XTF_FIELD_OPTIONAL) are skipped. A NaN makes the sum NaN; the least, greatest and last value skip it.
 * If a group has no values, the least is greater than the greatest, and the last is 0.
 */
enum { XTF_GROUP_ROWS = 0, XTF_VALUE_SUM = 0, XTF_VALUE_MIN, XTF_VALUE_MAX, XTF_VALUE_LAST, XTF_VALUE_CELLS };

/*
 * Totals by group. A group's key is the values of the aggregate's first `depth` key fields, as xtf_field_get() returns
 * them. If the depth is less than the number of keys, the cells of last values are unknown and hold 0. All cells of a
 * value hold 0 if its type depends on a key beyond the depth.
 */
typedef struct XtfGroupTotals XtfGroupTotals;

/* Returns totals without groups. `depth` is at most aggregate->n_keys. Borrows the aggregate. */
XtfGroupTotals *xtf_group_totals_new(const XtfAggregate *aggregate, unsigned depth);
void xtf_group_totals_free(XtfGroupTotals *totals); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfGroupTotals, xtf_group_totals_free)
void xtf_group_totals_clear(XtfGroupTotals *totals);

uint32_t xtf_group_totals_n(const XtfGroupTotals *totals);                      /* number of groups */
const uint64_t *xtf_group_totals_key(const XtfGroupTotals *totals, uint32_t i); /* `depth` values */
const uint64_t *xtf_group_totals_cells(const XtfGroupTotals *totals, uint32_t i);
/* Returns the cells of the group with the key; NULL if there is no such group. */
const uint64_t *xtf_group_totals_find(const XtfGroupTotals *totals, const uint64_t *key);
/* Sorts the groups by key, ascending. Before sorting, groups are in the order of their first addition. */
void xtf_group_totals_sort(XtfGroupTotals *totals);

/* Adds cells to the group with the key. Last values are right only if the cells are of rows after all rows that were
 * added before. */
void xtf_group_totals_add(XtfGroupTotals *totals, const uint64_t *key, const uint64_t *cells);
/* Adds all groups of `from`, whose depth is at least that of `totals`. */
void xtf_group_totals_add_all(XtfGroupTotals *totals, const XtfGroupTotals *from);

/* Defined in group-filter.h. A NULL filter accepts all groups. */
typedef struct XtfGroupFilter XtfGroupFilter;

/*
 * Adds the totals of rows [n1, n2) to `totals`, which must have been created for schema->aggregates[index]. Cuts n2 off
 * at the array's end. After an error `totals` may hold the totals of some of the rows.
 */
bool xtf_array_totals(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                      XtfGroupTotals *totals, GError **error);

typedef struct {
    uint64_t key;
    uint64_t row;  /* row that began the frame */
    uint64_t time; /* time of the row that began the frame */
    bool outermost;
} XtfOpenFrame;

/*
 * Returns the stack at row n, which is at most n_rows: the *n_frames open frames, outermost first. The caller frees
 * *frames with g_free(). Times are global, or local if the array is an xtf_array_local(). Up to 64 frames cost one
 * leaf; each 64 more cost at most one more leaf.
 */
bool xtf_array_stack(const XtfArray *array, unsigned index, uint64_t n, XtfOpenFrame **frames, size_t *n_frames,
                     GError **error);

/*
 * Finds the frame that row n began, if row n is before the kept time (trace.h) and the frame is open then. The row
 * itself may be in a removed volume. *depth, which may be NULL, is the number of open frames up to this one, from 1 for
 * the outermost. *found is false for other rows. Times are as in xtf_array_stack().
 */
bool xtf_array_removed_frame(const XtfArray *array, unsigned index, uint64_t n, XtfOpenFrame *frame, uint64_t *depth,
                             bool *found, GError **error);

/*
 * Finds the row that ends the frame that row n begins. The row may be the frame's own end, the end of an enclosing
 * frame, or a row that begins a frame outside of it. Sets *end to n_rows if no row ends the frame. XTF_ERROR_INVALID if
 * row n begins no frame. Costs one descent and the digests of two leaves.
 */
bool xtf_array_frame_end(const XtfArray *array, unsigned index, uint64_t n, uint64_t *end, GError **error);

typedef struct {
    uint64_t key;
    uint64_t row, end_row; /* rows that begin and end the frame; end_row is n_rows if no row ends it */
    uint64_t begin, end;   /* times of these rows, in local ticks: durations are measured by the location's clock */
} XtfFrameSpan;

/*
 * Adds the time by key in the window [a, b) of one location to `totals`, exact to the tick. The totals are grouped by
 * the first key (depth 1). `first` and `last` are the times of the location's first and last record of any type, in
 * local ticks (local_first and local_last of its arrays). Frames begun and ended are counted by the rows in the window.
 *
 * The exclusive time of a key is the ticks of the window during which a frame of the key was on top. The inclusive time
 * is the ticks during which an outermost frame of the key was open. It is the sum of the durations of the frames that
 * ended in the window. The part before a of frames open at a is subtracted, and the part up to b of frames open at b is
 * added. The stack at a is the stack before all rows with a time of a or later. A frame that no row ends lasts until
 * `last`. Ticks charged to XTF_FRAMES_BEFORE begin at `first` if its row is row 0. A window is cut off at `first` and
 * `last`.
 *
 * With a clock map, the local window begins at the least local tick that maps to a or later. It ends at the least local
 * tick that maps to b or later. The local window contains the same rows, and adjacent windows stay adjacent.
 * Knots in the window make no difference. If an edge lies inside a jump, the local edge is the first tick after the
 * jump.
 */
bool xtf_array_profile(const XtfArray *array, unsigned index, uint64_t a, uint64_t b, uint64_t first, uint64_t last,
                       XtfGroupTotals *totals, GError **error);

XTF_END_DECLS
