/*
 * Pages of an array as views, sealed or open; and leaves: their times, or whole rows, whatever the codec.
 *
 * Rows that lie side by side are read where they are, in their page or in the right edge. Packed rows are unpacked into
 * a block of their own, which lives in the page cache like any other: the times alone, in few bytes, for counting
 * (pack/sampled-times.h), and the rows for reading; and where a clock map applies, the rows with global times, for
 * cursors. An unpacked block repeats what its page's head says, so that a visit looks at one block. The page itself is
 * not needed any more, and leaves the cache.
 */
#pragma once

#include "libxtf/disk/codec.h"
#include "libxtf/tree/trace-private.h"

/* A page of an array. It borrows its bytes from a pinned block, which it puts back when it is finished. */
typedef struct {
    XtfBlock *block;        /* pinned: the sealed page, the right edge, the open leaf, or what was unpacked of a leaf */
    const uint8_t *payload; /* entries, or rows side by side; NULL of a leaf whose times alone are there */
    const XtfCodecTimes *times; /* of such a leaf... */
    const XtfCodec *codec;      /* ...which this one reads; else NULL, and: */
    const uint8_t *keys;        /* the time of the first row or entry, a U64... */
    uint32_t stride;            /* ...and the bytes from each time to the next */
    uint32_t count;             /* rows or entries */
    uint64_t first_n;           /* N of the first row in or below it */
    uint64_t previous, next;    /* places; next of an open page is 0 */
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

/* Views of a sealed page, an index page or a leaf whose rows lie side by side; and of an open index page, a level of
 * the right edge. They take over the caller's pin. */
void xtf_page_view_of_page(const XtfArray *array, XtfBlock *page, XtfPageView *view);
void xtf_page_view_of_edge(const XtfArray *array, XtfBlock *edge, unsigned level, XtfPageView *view);

/* The time of a leaf's row or of an index page's entry. */
static inline uint64_t xtf_page_time(const XtfPageView *page, uint32_t i)
{
    return page->times ? page->codec->time_at(page->times, i) : xtf_load64(page->keys + (size_t)i * page->stride);
}

static inline const XtfDiskEntry *xtf_page_entry(const XtfPageView *page, uint32_t i)
{
    return (const XtfDiskEntry *)page->payload + i;
}

/* The part of a leaf that is needed. Rows that lie side by side are there in any case. */
typedef enum {
    XTF_LEAF_TIMES,
    XTF_LEAF_ROWS,
    XTF_LEAF_GLOBAL_ROWS, /* of an array with a clock map: instants are global, and so are the keys */
} XtfLeafPart;

/* Of each row of a packed leaf a bit, which is set if a field is 0: 64 rows a word. The field, not the time, is none
 * that is mapped. */
typedef struct {
    XtfBlock *block; /* pinned; NULL: the templates of the packed rows do not tell, whoever asks looks at the rows */
    const uint64_t *words;
    uint32_t count; /* rows */
    uint64_t first_n;
} XtfLeafZeros;

static inline void xtf_leaf_zeros_finish(XtfLeafZeros *zeros)
{
    xtf_block_put(g_steal_pointer(&zeros->block));
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLeafZeros, xtf_leaf_zeros_finish)

/* The number of bits set among those of rows [from, to). */
uint32_t xtf_leaf_zeros_count(const XtfLeafZeros *zeros, uint32_t from, uint32_t to);

/* The rows as callers of the library see them. */
static inline XtfLeafPart xtf_leaf_shown_rows(const XtfArray *array)
{
    return array->clock ? XTF_LEAF_GLOBAL_ROWS : XTF_LEAF_ROWS;
}

/* The sealed leaf at a place; the open leaf, of the array's right edge, whose pin stays the caller's. The caller
 * finishes the view. */
bool xtf_leaf_get(const XtfArray *array, uint64_t place, XtfLeafPart part, XtfPageView *leaf, GError **error);
bool xtf_leaf_get_open(const XtfArray *array, XtfBlock *edge, XtfLeafPart part, XtfPageView *leaf, GError **error);
/* The zeros of the sealed leaf at a place; of the open leaf if there is an edge. The caller finishes them. */
bool xtf_leaf_get_zeros(const XtfArray *array, uint64_t place, XtfBlock *edge, unsigned field, XtfLeafZeros *zeros,
                        GError **error);
