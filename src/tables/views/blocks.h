/*
 * Tables side by side: a view of each block of a grouping, one after the other, with the block's values of the keys as
 * first columns.
 *
 * A line is the cells of the keys and, byte for byte, a line of the view of the block's selection: what KEY/VALUE/VIEW
 * shows, in the order of `fill_in_order`. All blocks have the same number of lines. This is so for each view and each
 * key, but those in the view's `not_by`.
 *
 * Most views are made block by block. A view with `fill_together` makes many blocks at one go, where they share work.
 */
#pragma once

#include "src/tables/views/view.h"
#include "src/trace/select/grouping.h"

/* Whether the tables of a view can stand side by side; XTF_ERROR_NOT_FOUND says why not. */
bool xtf_blocks_exist(const XtfViews *views, const XtfView *view, const XtfGrouping *grouping, GError **error);

/* These are as a view's own `shape` and `fill`. */
bool xtf_blocks_shape(XtfViews *views, const XtfView *view, const XtfGrouping *grouping, XtfViewShape *shape,
                      GError **error);
bool xtf_blocks_fill(XtfViews *views, const XtfView *view, const XtfGrouping *grouping, uint64_t first, uint64_t count,
                     XtfLines *lines, GError **error);
