/*
 * Stored totals. The file holds totals of the children of each index page (XtfDiskTotals in format.h). They are decoded
 * into child totals in the page cache.
 *
 * The totals of a sealed page are in its companion. The totals of an open page, including the open child, are in the
 * right edge. Aggregates of frames also store the border before each child and, on level 1, the stack. The right edge
 * also has the totals of the whole array, as the only child of a page above the root.
 */
#pragma once

#include "libxtf/totals/child-totals.h"
#include "libxtf/totals/tables/companion.h"
#include "libxtf/totals/tables/filters.h"
#include "libxtf/tree/descent.h"

/* Returns the number of children whose totals are stored together: of a batch (batches.h), or of the whole page. The
 * children from a multiple of this number up to the next are together. */
uint32_t xtf_stored_batch_size(const XtfDescentPage *page);
/* Returns the totals of the children that are stored with a child, pinned. The caller puts the block back. block->data
 * is an XtfChildTotals. It has an item per child, from its `first` on. */
XtfBlock *xtf_stored_totals_get(const XtfDescentPage *page, unsigned index, uint32_t child, GError **error);
/* Returns the totals of the batches of a page that has several, pinned, as xtf_stored_totals_get() does. They have an
 * item per batch, and no stacks. */
XtfBlock *xtf_stored_totals_of_batches(const XtfDescentPage *page, unsigned index, GError **error);
/* A number for each of a page's children, in one allocation. */
typedef struct {
    XtfTotalsPage page;
    const uint64_t *numbers;
} XtfPageNumbers;

/* Returns how many frames begin below the children before each child and, as number n, below all n children, pinned:
 * block->data is an XtfPageNumbers. They take a tenth of the time and a hundredth of the memory of totals. */
XtfBlock *xtf_stored_begun_get(const XtfDescentPage *page, unsigned index, GError **error);
/* Returns how many frames are open before the first row of each child, pinned: block->data is an XtfPageNumbers. Reads
 * only the page's borders, so no group is unpacked. */
XtfBlock *xtf_stored_depths_get(const XtfDescentPage *page, unsigned index, GError **error);
/* Returns the filters of the children of a page of level 1, pinned: block->data is an XtfFilters. */
XtfBlock *xtf_stored_filters_get(const XtfDescentPage *page, unsigned index, GError **error);
/* Reads the page's tables as they are stored. *tables holds the bytes of a sealed page, for the caller to finish. If
 * the page has batches, *bytes begins with their directory: xtf_companion_section() finds the tables. */
bool xtf_stored_totals_tables(const XtfDescentPage *page, XtfCompanionTables *tables, XtfBytesReader *bytes,
                              GError **error);
/* Returns the totals of the whole array, pinned, as one child without stacks. */
XtfBlock *xtf_stored_totals_of_array(const XtfArray *array, XtfBlock *edge, unsigned index, GError **error);
