/*
 * Tables of sums: what the file stores for the children of an index page (XtfDiskTotals in format.h), decoded into
 * lists and held in the page cache.
 *
 * Of a sealed page they lie in its companion, of an open one behind the levels in the right edge. All children are told
 * of, but for the open page's last one, which is open itself. On level 1, sums of frames have the stack before each
 * leaf, the open one's too.
 */
#pragma once

#include "libxtf/aggregate/child-totals.h"
#include "libxtf/tree/descent.h"

/* The lists of a page's children, pinned: block->data is an XtfChildTotals of as many neighbours as the page has
 * entries, the last one of an open page empty. The caller puts the block back. */
XtfBlock *xtf_stored_totals_get(const XtfDescentPage *page, unsigned index, GError **error);
