/*
 * Descents of an array's tree, from the root to a leaf: a page at a time, or by a key; and the steps from a leaf to its
 * neighbours.
 *
 * What lies below a page is known from its parent's entries, and of the root from the P index. So a leaf is known, its
 * rows' numbers and all, before it is read, and often it need not be read. A page stays pinned until it is left, so a
 * caller may go on beside the descent.
 */
#pragma once

#include "libxtf/tree/leaf.h"

/* An index page. It borrows the array and the edge, which outlive it. */
typedef struct {
    const XtfArray *array;
    XtfBlock *edge; /* pinned by the caller */
    XtfPageView page;
    unsigned level; /* 1 or more */
    bool open;
    uint64_t end; /* the row behind the last one below it */
} XtfDescentPage;

/* A leaf, not read yet. */
typedef struct {
    const XtfArray *array;
    XtfBlock *edge;               /* as of its parent */
    const XtfDescentPage *parent; /* NULL: the leaf is the root */
    uint32_t slot;                /* in the parent */
    bool open;
    uint64_t place; /* of a sealed leaf */
    uint64_t first_n, end;
    uint64_t offset; /* byte of the file at which the leaf begins, a page or, if it is open, an item */
} XtfDescentLeaf;

/* The root: a leaf if the array's height is 1, else a page. The edge stays the caller's. */
void xtf_descent_root_leaf(const XtfArray *array, XtfBlock *edge, XtfDescentLeaf *leaf);
void xtf_descent_root_page(const XtfArray *array, XtfBlock *edge, XtfDescentPage *root);

/* Rows below a child: [start, end). The child that a row is below. */
uint64_t xtf_descent_child_start(const XtfDescentPage *page, uint32_t slot);
uint64_t xtf_descent_child_end(const XtfDescentPage *page, uint32_t slot);
uint32_t xtf_descent_child_of_row(const XtfDescentPage *page, uint64_t n);

/* A child: a leaf if the page's level is 1, else a page, which the caller leaves. */
void xtf_descent_leaf(const XtfDescentPage *page, uint32_t slot, XtfDescentLeaf *leaf);
bool xtf_descent_enter(const XtfDescentPage *page, uint32_t slot, XtfDescentPage *child, GError **error);
void xtf_descent_leave(XtfDescentPage *page); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfDescentPage, xtf_descent_leave)

/* Reads a leaf, and checks that it holds the rows that its parent says. The caller finishes the view. */
bool xtf_descent_leaf_rows(const XtfDescentLeaf *leaf, XtfPageView *view, GError **error);

/* The zeros of a field in a leaf (leaf.h), with the same check. */
bool xtf_descent_leaf_zeros(const XtfDescentLeaf *leaf, unsigned field, XtfLeafZeros *zeros, GError **error);

/* The whole descent to the leaf that holds row n, which must exist. The leaf is good until the descent is finished. */
typedef struct {
    XtfBlock *edge;
    XtfDescentPage pages[XTF_HEIGHT_MAX];
    unsigned n_pages;
    XtfDescentLeaf leaf;
} XtfDescent;

bool xtf_descent_find(const XtfArray *array, uint64_t n, XtfDescent *descent, GError **error);
void xtf_descent_finish(XtfDescent *descent); /* twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfDescent, xtf_descent_finish)

typedef enum { XTF_KEY_T, XTF_KEY_N } XtfKeyKind;

/* The leaf in which the search for a key ends, a time of it being local: by N, the leaf that holds row n, which must
 * exist; by T, the last leaf that begins before t, or the first leaf. The caller finishes the view, here and below. */
bool xtf_leaf_find(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                   GError **error);

/* The leaf beside another one, by its link, with the rows that callers see. There must be one. */
bool xtf_leaf_next(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error);
bool xtf_leaf_previous(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error);

/* The number of the leaf's rows with a time before t, which is local or global as the leaf's keys are. */
uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t);
