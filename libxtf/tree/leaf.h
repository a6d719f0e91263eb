/*
 * Views of an array's pages, sealed or open; and access to leaves: their times or whole rows, for any codec.
 *
 * Plain rows are read in place, from their page or the right edge. Packed rows are unpacked into a block of their own
 * in the page cache. A block for counting has only the times, compactly (pack/sampled-times.h). A block for totals of
 * frames has what they need of each row (XtfFrameColumns), and one for sums has the times and the sums. A block for
 * reading has the rows. Where a clock map applies, a block for cursors has the rows with global times. An unpacked
 * block repeats the page head, so that a visit needs only this block. The page itself leaves the cache.
 */
#pragma once

#include "libxtf/disk/codec.h"
#include "libxtf/tree/trace-private.h"

/* A view of a page. Borrows its bytes from a pinned block, which finishing the view unpins. */
typedef struct {
    XtfBlock *block;               /* pinned: the sealed page, the right edge, the open leaf, or an unpacked leaf */
    const uint8_t *payload;        /* entries, or rows; NULL if only a part of a leaf is present, times in any case */
    const XtfCodecTimes *times;    /* times of such a leaf, read by `codec` */
    const XtfCodec *codec;         /* codec of `times`; NULL: `keys` and `stride` are valid */
    const XtfFrameColumns *frames; /* columns of the leaf, instead of the payload; else NULL */
    /* Sums of the leaf, instead of the payload; else NULL. Each value of an aggregate has count + 1 sums: of the rows
     * before each row, then of all rows. */
    const uint64_t *sums;
    const uint8_t *keys;     /* time of the first row or entry, a U64 */
    uint32_t stride;         /* bytes from each time to the next */
    uint32_t count;          /* number of rows or entries */
    uint64_t first_n;        /* N of the first row in or below the page */
    uint64_t previous, next; /* places of the level's previous and next page; next of an open page is 0 */
} XtfPageView;

static inline void xtf_page_view_finish(XtfPageView *view)
{
    xtf_block_put(g_steal_pointer(&view->block));
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPageView, xtf_page_view_finish)

static inline XtfPageView xtf_page_view_steal(XtfPageView *view)
{
    XtfPageView stolen = *view;
    view->block = NULL;
    return stolen;
}

/* Creates the view of a sealed page: an index page or a plain leaf. The view takes over the caller's pin. */
void xtf_page_view_of_page(const XtfArray *array, XtfBlock *page, XtfPageView *view);
/* Creates the view of an open index page, a level of the right edge. The view takes over the caller's pin. */
void xtf_page_view_of_edge(const XtfArray *array, XtfBlock *edge, unsigned level, XtfPageView *view);

/* Returns the time of a leaf's row or of an index page's entry. */
static inline uint64_t xtf_page_time(const XtfPageView *page, uint32_t i)
{
    return page->times ? page->codec->time_at(page->times, i) : xtf_load64(page->keys + (size_t)i * page->stride);
}

/* Returns the sum of value i of the aggregate over rows [from, to) of a leaf that has sums. */
static inline uint64_t xtf_leaf_sum(const XtfPageView *leaf, unsigned i, uint32_t from, uint32_t to)
{
    const uint64_t *sums = leaf->sums + i * ((size_t)leaf->count + 1);

    return sums[to] - sums[from];
}

static inline const XtfDiskEntry *xtf_page_entry(const XtfPageView *page, uint32_t i)
{
    return (const XtfDiskEntry *)page->payload + i;
}

/* The part of a leaf that the caller needs. Plain rows are always present. */
typedef enum {
    XTF_LEAF_TIMES,
    XTF_LEAF_ROWS,
    XTF_LEAF_GLOBAL_ROWS, /* for an array with a clock map: instants and keys are global */
    /* Plus the number of an aggregate of frames: view->frames, if the leaf is packed and its templates hold the fields
     * of frames; else the rows. Times are local. */
    XTF_LEAF_FRAMES,
    /* Likewise, but a column of keys is not unpacked (lacks_keys). */
    XTF_LEAF_FRAMES_WITHOUT_KEYS = XTF_LEAF_FRAMES + XTF_AGGREGATES_MAX,
    /* Plus the number of an aggregate of groups, whose values are integers. If the leaf is packed, and the values can
     * be unpacked alone: view->sums. Else the rows. Times are local. */
    XTF_LEAF_SUMS = XTF_LEAF_FRAMES_WITHOUT_KEYS + XTF_AGGREGATES_MAX,
} XtfLeafPart;

/* One bit per row of a packed leaf, set if a field is 0; 64 rows per word. The field must be neither the time nor a
 * field that a row map changes. */
typedef struct {
    /* Pinned. NULL: the templates of the packed rows do not show the zeros, so the caller reads the rows. */
    XtfBlock *block;
    const uint64_t *words;
    uint32_t count; /* number of rows */
    uint64_t first_n;
} XtfLeafZeros;

static inline void xtf_leaf_zeros_finish(XtfLeafZeros *zeros)
{
    xtf_block_put(g_steal_pointer(&zeros->block));
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLeafZeros, xtf_leaf_zeros_finish)

/* Returns the number of bits set for rows [from, to). */
uint32_t xtf_leaf_zeros_count(const XtfLeafZeros *zeros, uint32_t from, uint32_t to);

/* Returns the part that holds rows as callers of the library see them. */
static inline XtfLeafPart xtf_leaf_shown_rows(const XtfArray *array)
{
    return array->clock ? XTF_LEAF_GLOBAL_ROWS : XTF_LEAF_ROWS;
}

/* Reads the sealed leaf at a place. The caller finishes the view. */
bool xtf_leaf_get(const XtfArray *array, uint64_t place, XtfLeafPart part, XtfPageView *leaf, GError **error);
/* Reads the open leaf of the array's right edge. The caller keeps the edge's pin, and finishes the view. */
bool xtf_leaf_get_open(const XtfArray *array, XtfBlock *edge, XtfLeafPart part, XtfPageView *leaf, GError **error);
/* Returns the zeros of the sealed leaf at a place or, if `edge` is not NULL, of the open leaf. The caller finishes
 * them. */
bool xtf_leaf_get_zeros(const XtfArray *array, uint64_t place, XtfBlock *edge, unsigned field, XtfLeafZeros *zeros,
                        GError **error);
