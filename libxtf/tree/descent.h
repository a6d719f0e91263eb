/*
 * Ways down an array's tree that keep each page on them pinned, so that whoever goes down can go on beside the way.
 *
 * What a page holds below it is known on the way: from its parent's entries, and of the root from the P index. So a
 * leaf is known, its rows' numbers and all, before it is read, and often it need not be.
 */
#pragma once

#include "libxtf/tree/search.h"

/* An index page. It borrows the array and the edge, which outlive it. */
typedef struct {
    const XtfArray *array;
    XtfBlock *edge; /* pinned by whoever began */
    XtfPageView page;
    unsigned level; /* 1 or more */
    bool open;
    uint64_t end; /* the row behind the last one below it */
} XtfDescentPage;

/* A leaf, not read yet. */
typedef struct {
    const XtfArray *array;
    const XtfDescentPage *parent; /* NULL: it is the root */
    uint32_t slot;                /* in the parent */
    bool open;
    uint64_t place; /* of a sealed one */
    uint64_t first_n, end;
    uint64_t offset; /* in the file: where it begins, if sealed; where the right edge does, if open */
} XtfDescentLeaf;

/* The root: of an array of height 1 a leaf, else a page. The edge stays the caller's. */
void xtf_descent_root_leaf(const XtfArray *array, const XtfBlock *edge, XtfDescentLeaf *leaf);
void xtf_descent_root_page(const XtfArray *array, XtfBlock *edge, XtfDescentPage *root);

/* Rows below a child: [start, end). The child that a row is below. */
uint64_t xtf_descent_child_start(const XtfDescentPage *page, uint32_t slot);
uint64_t xtf_descent_child_end(const XtfDescentPage *page, uint32_t slot);
uint32_t xtf_descent_child_of_row(const XtfDescentPage *page, uint64_t n);

/* A child: of level 1 a leaf, else a page, which the caller leaves. */
void xtf_descent_leaf(const XtfDescentPage *page, uint32_t slot, XtfDescentLeaf *leaf);
bool xtf_descent_enter(const XtfDescentPage *page, uint32_t slot, XtfDescentPage *child, GError **error);
void xtf_descent_leave(XtfDescentPage *page);

/* The rows of a leaf, pinned: view->block is the caller's to put back. */
bool xtf_descent_leaf_rows(const XtfDescentLeaf *leaf, XtfPageView *view, GError **error);

/* The whole way to the leaf that holds row n, which must exist. The leaf is good until the way is left. */
typedef struct {
    XtfBlock *edge;
    XtfDescentPage pages[XTF_HEIGHT_MAX];
    unsigned n_pages;
    XtfDescentLeaf leaf;
} XtfDescent;

bool xtf_descent_find(const XtfArray *array, uint64_t n, XtfDescent *way, GError **error);
void xtf_descent_finish(XtfDescent *way); /* twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfDescent, xtf_descent_finish)
