/*
 * Slices: totals of an array between each two of many edges, and stacks at many times, in one pass.
 *
 * A table of time slices has an edge for each slice. Each edge cuts a leaf, and one index page per level above this
 * leaf. One pass over all edges, in ascending order, reads each of these pages once. Queries of single slices read them
 * for the slice before the edge, and again for the slice after it.
 *
 * Memory: a pass holds the totals of one page per level, and one leaf. Leaves and totals that no other caller has read
 * leave the trace's page cache as soon as the pass is behind them (libxtf/cache/cache.h: xtf_block_pass()).
 *
 * The functions are thread-safe. One thread at a time may use a XtfGroupTotals.
 */
#pragma once

#include "libxtf/group-filter.h"

XTF_BEGIN_DECLS

/* Slice `number` of n - 1 slices lies between edges `number` and `number` + 1. */
typedef struct {
    uint64_t number;
    uint64_t n1, n2; /* its rows are [n1, n2) */
    uint64_t count;  /* number of its rows that the filter accepts; of totals without groups only */
    /* The caller's totals, cleared before each slice. Valid until the visitor returns, which may sort or clear them.
     * NULL if only rows are counted. */
    XtfGroupTotals *totals;
} XtfSlice;

/* Takes a slice. The pass visits all slices in ascending order, including empty ones. Returning false with an error
 * ends the pass, which returns the error. The visitor may read the trace, but not begin a pass with the same totals. */
typedef bool (*XtfSliceVisitor)(const XtfSlice *slice, void *data, GError **error);

/*
 * Visits the totals of the rows between each two of `n` row numbers, in ascending order. Equal numbers make empty
 * slices. Numbers above n_rows count as n_rows. xtf_array_totals() gives the same totals for a slice. `totals` must
 * have been created for schema->aggregates[index]. If `totals` is NULL, rows are counted as by xtf_array_group_count().
 * XTF_ERROR_INVALID if the numbers descend.
 */
bool xtf_array_slice_totals(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, const uint64_t *rows,
                            size_t n, XtfGroupTotals *totals, XtfSliceVisitor visit, void *data, GError **error);

/* Visits the totals of the rows between each two of `n` times, in ascending order. An edge is the first row at or after
 * its time. `totals` and `filter` are not both NULL. A search for the rows before xtf_array_slice_totals() would read
 * each leaf twice. XTF_ERROR_INVALID if the times descend. */
bool xtf_array_slice_totals_by_time(const XtfArray *array, unsigned index, const XtfGroupFilter *filter,
                                    const uint64_t *times, size_t n, XtfGroupTotals *totals, XtfSliceVisitor visit,
                                    void *data, GError **error);

/* Visits the numbers of rows between each two of `n` times, in ascending order: slice->n1 and n2. The array needs no
 * aggregate. XTF_ERROR_INVALID if the times descend. */
bool xtf_array_slice_counts(const XtfArray *array, const uint64_t *times, size_t n, XtfSliceVisitor visit, void *data,
                            GError **error);

/*
 * Visits the profile between each two of `n` times, in ascending order. The profile of a slice is that of
 * xtf_array_profile() with the same `first` and `last`; `totals` has depth 1. A slice between two equal times has no
 * groups. XTF_ERROR_INVALID if the times descend.
 */
bool xtf_array_slice_profiles(const XtfArray *array, unsigned index, const uint64_t *times, size_t n, uint64_t first,
                              uint64_t last, XtfGroupTotals *totals, XtfSliceVisitor visit, void *data, GError **error);

/* Takes the stack at time `i`: the frames that are open before row n, the first row at or after the time, outermost
 * first. Times are in ticks of the location's clock. The frames are valid until the visitor returns. */
typedef bool (*XtfStackVisitor)(size_t i, uint64_t n, const XtfOpenFrame *frames, size_t n_frames, void *data,
                                GError **error);

/* Visits the stacks of an XTF_AGGREGATE_FRAMES at `n` times, in ascending order, as xtf_array_stack() returns them.
 * XTF_ERROR_INVALID if the times descend. */
bool xtf_array_stacks(const XtfArray *array, unsigned index, const uint64_t *times, size_t n, XtfStackVisitor visit,
                      void *data, GError **error);

XTF_END_DECLS
