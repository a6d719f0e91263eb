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
} XtfWalkPage;

/* A leaf, not read yet. */
typedef struct {
    const XtfArray *array;
    const XtfWalkPage *parent; /* NULL: it is the root */
    uint32_t slot;             /* in the parent */
    bool open;
    uint64_t place; /* of a sealed one */
    uint64_t first_n, end;
    uint64_t offset; /* in the file: where it begins, if sealed; where the right edge does, if open */
} XtfWalkLeaf;

/* The root: of an array of height 1 a leaf, else a page. The edge stays the caller's. */
void xtf_walk_root_leaf(const XtfArray *array, const XtfBlock *edge, XtfWalkLeaf *leaf);
void xtf_walk_root_page(const XtfArray *array, XtfBlock *edge, XtfWalkPage *root);

/* Rows below a child: [start, end). The child that a row is below. */
uint64_t xtf_walk_start(const XtfWalkPage *page, uint32_t slot);
uint64_t xtf_walk_end(const XtfWalkPage *page, uint32_t slot);
uint32_t xtf_walk_slot(const XtfWalkPage *page, uint64_t n);

/* A child: of level 1 a leaf, else a page, which the caller leaves. */
void xtf_walk_leaf(const XtfWalkPage *page, uint32_t slot, XtfWalkLeaf *leaf);
bool xtf_walk_down(const XtfWalkPage *page, uint32_t slot, XtfWalkPage *child, GError **error);
void xtf_walk_leave(XtfWalkPage *page);

/* The rows of a leaf, pinned: view->block is the caller's to put back. */
bool xtf_walk_rows(const XtfWalkLeaf *leaf, XtfPageView *view, GError **error);

/* The whole way to the leaf that holds row n, which must exist. The leaf is good until the way is left. */
typedef struct {
    XtfBlock *edge;
    XtfWalkPage pages[XTF_HEIGHT_MAX];
    unsigned n_pages;
    XtfWalkLeaf leaf;
} XtfWay;

bool xtf_way_find(const XtfArray *array, uint64_t n, XtfWay *way, GError **error);
void xtf_way_leave(XtfWay *way); /* twice is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWay, xtf_way_leave)
