/*
 * The TN index: descents from the root of an array's tree to a leaf, by time or by number.
 */
#pragma once

#include "libxtf/trace-private.h"

/* A page of an array, sealed or open. It borrows its bytes from a pinned block. */
typedef struct {
    XtfBlock *block;        /* pinned; the sealed page, or the right edge */
    const uint8_t *payload; /* rows or entries */
    uint64_t first_n;
    uint64_t previous, next; /* places; next of an open page is 0 */
    uint32_t count;
} XtfPageView;

/* A pinned block as a page: a sealed one, or a level of the right edge. */
void xtf_view_page(XtfBlock *block, XtfPageView *view);
void xtf_view_edge(const XtfArray *array, XtfBlock *block, unsigned level, XtfPageView *view);

/* The time of the first row below the page: its first key. */
uint64_t xtf_page_key(const XtfPageView *page);

typedef enum { XTF_KEY_T, XTF_KEY_N } XtfKeyKind;

/* The leaf in which the search for a key ends: by N, the leaf that holds row n, which must exist; by T, the last leaf
 * that begins before t, or the first leaf. The caller puts leaf->block back. */
bool xtf_index_leaf(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfPageView *leaf, GError **error);

/* The leaf beside another one, by its link. There must be one. */
bool xtf_index_next_leaf(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error);
bool xtf_index_previous_leaf(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error);

/* The number of the leaf's rows with a time before t. */
uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t);

uint64_t xtf_leaf_time(const XtfArray *array, const XtfPageView *leaf, uint32_t slot);
