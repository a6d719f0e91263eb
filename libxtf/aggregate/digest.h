/*
 * The digest of a leaf: totals of its rows by chunks, and the stack before each chunk. With a digest, a range that
 * begins or ends inside the leaf reads the rows of one chunk at each edge. A digest is made from the leaf's rows once
 * they are asked for repeatedly, and lives in the page cache.
 */
#pragma once

#include "libxtf/totals/child-totals.h"
#include "libxtf/tree/descent.h"

enum { XTF_CHUNK_ROWS = 64 };

/* Whether reading the rows is as good as a digest: if the array is one small leaf. A trace of very many locations has
 * mostly such arrays, each read once, and making a digest takes ten times as long as reading the rows. */
static inline bool xtf_leaf_needs_no_digest(const XtfDescentLeaf *leaf)
{
    enum { FEW_ROWS = 1024 };
    return leaf->first_n == 0 && leaf->end <= FEW_ROWS;
}

/* A profile reads the rows of its leaves three times: to find the rank of a time, for totals, and for a stack. */
typedef enum {
    XTF_READ_FOR_TOTALS = 2,
    XTF_READ_FOR_STACK = 3,
} XtfLeafRead;

/* Whether to make do without a digest, the leaf's rows being read: making one takes three times as long as going over
 * the rows once, so it is made for a leaf that is asked for again. That is a leaf whose rows were read more often than
 * one profile has read them by `read`. */
static inline bool xtf_leaf_is_new(const XtfPageView *rows, XtfLeafRead read)
{
    return atomic_load_explicit(&rows->block->uses, memory_order_relaxed) <= (unsigned)read;
}

/* The totals of a leaf's chunks, pinned: block->data is an XtfChildTotals. The caller puts the block back. */
XtfBlock *xtf_leaf_digest_get(const XtfDescentLeaf *leaf, unsigned index, GError **error);
