/*
 * Leaves as the index and cursors see them: times, or whole rows, side by side, whatever the codec.
 *
 * Plain leaves are looked at where they lie, in their page or in the right edge. What a compact one holds is decoded
 * into a block of its own, which lives in the page cache like any other: the times alone, 8 bytes each, for whoever
 * counts, and the rows for whoever reads. A decoded block repeats what its page's head says, so that a visit looks at
 * one block, however long the page itself has been gone.
 */
#pragma once

#include "libxtf/tree/trace-private.h"

/* A page of an array, sealed or open. It borrows its bytes from a pinned block. */
typedef struct {
    XtfBlock *block;         /* pinned: the sealed page, the right edge, or what was decoded of either */
    const uint8_t *payload;  /* entries; rows side by side; NULL of a leaf whose times alone are there */
    const uint8_t *keys;     /* the first row's or entry's time, a U64... */
    uint32_t stride;         /* ...and the others', so many bytes apart */
    uint32_t count;          /* rows or entries */
    uint64_t first_n;        /* N of the first row in or below it */
    uint64_t previous, next; /* places; next of an open page is 0 */
} XtfPageView;

/* A pinned block as a page: an index page or plain leaf, sealed or of a level of the right edge. */
void xtf_page_view_of_page(const XtfArray *array, XtfBlock *block, XtfPageView *view);
void xtf_page_view_of_edge(const XtfArray *array, XtfBlock *block, unsigned level, XtfPageView *view);

/* Times of leaf rows and index entries are had alike. */
static inline uint64_t xtf_page_time(const XtfPageView *page, uint32_t i)
{
    return xtf_load64(page->keys + (size_t)i * page->stride);
}

typedef enum {
    XTF_LEAF_TIMES, /* no more is needed; of a plain leaf the rows are there all the same */
    XTF_LEAF_ROWS,
} XtfLeafPart;

/* The sealed leaf at a place. The caller puts leaf->block back. */
bool xtf_leaf_get(const XtfArray *array, uint64_t place, XtfLeafPart part, XtfPageView *leaf, GError **error);

/* The open leaf, of the array's right edge. Takes over the caller's pin of the edge, also when it fails; the caller
 * puts leaf->block back. */
bool xtf_leaf_get_open(const XtfArray *array, XtfBlock *edge, XtfLeafPart part, XtfPageView *leaf, GError **error);
