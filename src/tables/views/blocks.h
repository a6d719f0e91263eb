/*
 * Tables side by side: the views of all blocks of a grouping, one after another. The first columns are the block's
 * values of the keys.
 *
 * A line has the cells of the keys, then, byte for byte, a line of the view of the block's selection. KEY/VALUE/VIEW
 * shows the same lines, in the order of `fill_in_order`. All blocks have the same number of lines, for every view and
 * every key except the keys in the view's `refused_keys`.
 *
 * Most views are made block by block. A view with `fill_batch` makes many blocks in one call, to share work.
 */
#pragma once

#include "src/tables/views/view.h"
#include "src/trace/select/grouping.h"

/* True if a view has tables side by side for a grouping. Otherwise XTF_ERROR_NOT_FOUND says why not. */
bool xtf_blocks_exist(const XtfViews *views, const XtfView *view, const XtfGrouping *grouping, GError **error);

/* Finds the shape of the table, like `shape` of a view. */
bool xtf_blocks_shape(XtfViews *views, const XtfView *view, const XtfGrouping *grouping, XtfViewShape *shape,
                      GError **error);
/* Adds lines of the table, like `fill` of a view. */
bool xtf_blocks_fill(XtfViews *views, const XtfView *view, const XtfGrouping *grouping, uint64_t first, uint64_t count,
                     XtfLines *lines, GError **error);
