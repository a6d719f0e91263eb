/*
 * Stored totals: the totals that the file holds for the children of an index page (XtfDiskTotals in format.h), decoded
 * into child totals and held in the page cache.
 *
 * Those of a sealed page are in its companion, those of an open page in the right edge, the open child's too. For
 * aggregates of frames there is what lies before each child, the stack only on level 1. The right edge also has the
 * totals of the whole array, as of the only child of a page above the root.
 */
#pragma once

#include "libxtf/totals/child-totals.h"
#include "libxtf/totals/filters.h"
#include "libxtf/tree/descent.h"

/* The totals of a page's children, pinned: block->data is an XtfChildTotals with a child for each entry of the page.
 * The caller puts the block back. */
XtfBlock *xtf_stored_totals_get(const XtfDescentPage *page, unsigned index, GError **error);
/* The filters of the children of a page of level 1, pinned: block->data is an XtfFilters. */
XtfBlock *xtf_stored_filters_get(const XtfDescentPage *page, unsigned index, GError **error);
/* The page's tables as they are stored: *bytes holds those of a sealed page, to be freed. */
bool xtf_stored_totals_tables(const XtfDescentPage *page, uint8_t **bytes, XtfBytesReader *tables, GError **error);
/* Those of the whole array, as of one child; without stacks. */
XtfBlock *xtf_stored_totals_of_array(const XtfArray *array, XtfBlock *edge, unsigned index, GError **error);
