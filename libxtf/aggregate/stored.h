/*
 * Stored totals: the totals that the file holds for the children of an index page (XtfDiskTotals in format.h), decoded
 * into child totals and held in the page cache.
 *
 * Those of a sealed page are in its companion, those of an open page in the right edge. All children have totals except
 * the last child of an open page, which is open itself. On level 1, aggregates of frames have the stack before each
 * leaf, the open leaf too.
 */
#pragma once

#include "libxtf/aggregate/child-totals.h"
#include "libxtf/tree/descent.h"

/* The totals of a page's children, pinned: block->data is an XtfChildTotals with a child for each entry of the page,
 * the last one of an open page empty. The caller puts the block back. */
XtfBlock *xtf_stored_totals_get(const XtfDescentPage *page, unsigned index, GError **error);
