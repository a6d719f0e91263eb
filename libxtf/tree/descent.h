/*
 * Descents of an array's tree, from the root to a leaf, page by page or by a key. Steps from a leaf to its neighbours.
 *
 * The range of rows below a page is known from its parent's entries, and that of the root from the P index. So the row
 * numbers of a leaf are known before it is read, and often it need not be read. A page stays pinned until the caller
 * leaves it, so a caller may also continue from it later.
 */
#pragma once

#include "libxtf/disk/lists/pieces.h"
#include "libxtf/tree/leaf.h"

/* An index page. Borrows the array and the edge, which outlive it. */
typedef struct {
    const XtfArray *array;
    XtfBlock *edge; /* pinned by the caller */
    XtfPageView page;
    unsigned level; /* 1 or more */
    bool open;
    uint64_t end; /* number of the last row below it, plus 1 */
} XtfDescentPage;

/* A leaf, not read yet. */
typedef struct {
    const XtfArray *array;
    XtfBlock *edge;               /* the parent's edge */
    const XtfDescentPage *parent; /* NULL: the leaf is the root */
    uint32_t slot;                /* slot in the parent */
    bool open;
    uint64_t place; /* place of a sealed leaf */
    uint64_t first_n, end;
    uint64_t offset; /* file offset of the leaf: of its page or, if it is open, of its item */
} XtfDescentLeaf;

/* Describes the root of an array of height 1: a leaf. The caller keeps ownership of the edge. */
void xtf_descent_root_leaf(const XtfArray *array, XtfBlock *edge, XtfDescentLeaf *leaf);
/* Describes the root of a higher array: a page. The caller keeps ownership of the edge. */
void xtf_descent_root_page(const XtfArray *array, XtfBlock *edge, XtfDescentPage *root);

/* Returns the number of the first row below a child. */
uint64_t xtf_descent_child_start(const XtfDescentPage *page, uint32_t slot);
/* Returns the number of the last row below a child, plus 1. */
uint64_t xtf_descent_child_end(const XtfDescentPage *page, uint32_t slot);
/* Returns the child that has row n below it. */
uint32_t xtf_descent_child_of_row(const XtfDescentPage *page, uint64_t n);

/* Returns the last child that begins before t (local time), or the first child. */
uint32_t xtf_descent_child_of_time(const XtfDescentPage *page, uint64_t t);

/* Describes a child of a page of level 1: a leaf. */
void xtf_descent_leaf(const XtfDescentPage *page, uint32_t slot, XtfDescentLeaf *leaf);
/* Enters a child page of a page of level 2 or more. The caller leaves it. */
bool xtf_descent_enter(const XtfDescentPage *page, uint32_t slot, XtfDescentPage *child, GError **error);
void xtf_descent_leave(XtfDescentPage *page); /* an all-zero page is allowed */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfDescentPage, xtf_descent_leave)

/* Reads a part of a leaf, and checks that it holds the rows that its parent names. The caller finishes the view. */
bool xtf_descent_leaf_part(const XtfDescentLeaf *leaf, XtfLeafPart part, XtfPageView *view, GError **error);
/* Reads the rows of a leaf like xtf_descent_leaf_part(). */
bool xtf_descent_leaf_rows(const XtfDescentLeaf *leaf, XtfPageView *view, GError **error);

/* Returns the zeros of a field in a leaf (leaf.h), and checks the leaf as xtf_descent_leaf_rows() does. */
bool xtf_descent_leaf_zeros(const XtfDescentLeaf *leaf, unsigned field, XtfLeafZeros *zeros, GError **error);

/* Appends the entries of all pages of level 1 (XtfDiskEntry), the open page last. XTF_ERROR_TOO_LARGE if there are more
 * than `most`. The array's height must be 2 or more. */
bool xtf_array_leaves(const XtfArray *array, GArray *entries, guint most, GError **error);

/* Gets the entries of level 1 of an array from the leaf lists that the trace has loaded, as one open page without an
 * edge. Returns false if there is no list, or it is damaged. The caller finishes page->page. */
bool xtf_leaf_list_get(const XtfArray *array, XtfDescentPage *page);

/* Finds the piece of row n of a joined array. For a piece of another array, sets *source to that array. Its
 * rows are read with the numbers of the joined array, but by their own N. Both borrow the edge. */
bool xtf_joined_piece(const XtfArray *array, const XtfBlock *edge, uint64_t n, XtfPiece *piece, XtfArray *source,
                      GError **error);
/* Reads the leaf of a joined array that begins with row n. `place` is the child of its entry; 0: the open leaf of
 * another array, or rows in the edge. Times are global. */
bool xtf_joined_leaf_get(const XtfArray *array, const XtfBlock *edge, uint64_t n, uint64_t place, XtfLeafPart part,
                         XtfPageView *leaf, GError **error);

/* A complete descent to the leaf that holds row n, which must exist. The leaf is valid until the descent is finished.
 */
typedef struct {
    XtfBlock *edge;
    XtfDescentPage pages[XTF_HEIGHT_MAX];
    unsigned n_pages;
    XtfDescentLeaf leaf;
} XtfDescent;

bool xtf_descent_find(const XtfArray *array, uint64_t n, XtfDescent *descent, GError **error);
void xtf_descent_finish(XtfDescent *descent); /* may be called twice */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfDescent, xtf_descent_finish)

/* Starts to read the leaves of two times (local), so that the source works on both at once. Without effect if the
 * source cannot, or a page is damaged. */
void xtf_descent_expect(const XtfArray *array, uint64_t t1, uint64_t t2);

typedef enum { XTF_KEY_T, XTF_KEY_N } XtfKeyKind;

/* Finds a leaf by a key. By N: the leaf that holds row n, which must exist. By T (local time): the last leaf that
 * begins before t, or the first leaf. The caller finishes the view. The next two functions also return views to
 * finish. */
bool xtf_leaf_find(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                   GError **error);

/* Reads the next leaf, which must exist: by its link or, in a trace of volumes, by a descent. Its times are global, or
 * local if the array is an xtf_array_local(). */
bool xtf_leaf_next(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error);
/* Reads the previous leaf, as xtf_leaf_next() reads the next. */
bool xtf_leaf_previous(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error);

/* Returns the number of the leaf's rows with a time before t. t is local or global, as the leaf's keys are. */
uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t);
