/*
 * The digest of a leaf: the totals of each chunk of its rows, and the stack before each chunk. With a digest, a range
 * that begins or ends inside the leaf reads the rows of only one chunk at each edge. The first repeated query of a leaf
 * creates its digest in the page cache.
 */
#pragma once

#include "libxtf/totals/child-totals.h"
#include "libxtf/tree/descent.h"

enum { XTF_CHUNK_ROWS = 64 };

/* True if the array is one small leaf, whose rows can be read as fast as a digest. A trace with very many locations has
 * mostly such arrays, and reads each once. Creating a digest takes ten times as long as reading the rows. */
static inline bool xtf_leaf_needs_no_digest(const XtfDescentLeaf *leaf)
{
    enum { SMALL_ARRAY_ROWS = 1024 };
    return leaf->first_n == 0 && leaf->end <= SMALL_ARRAY_ROWS;
}

/* Reads of a leaf before its digest is worth its cost: a few passes over all rows of the leaf. */
typedef enum {
    XTF_READ_FOR_TOTALS = 2,
    XTF_READ_FOR_STACK = 3,
    XTF_READ_FOR_PROFILE = 4, /* two profiles, each of which finds the rank of a time before it reads totals */
} XtfLeafRead;

/* True if the leaf has been read too rarely to be worth a digest. */
static inline bool xtf_leaf_is_new(const XtfPageView *rows, XtfLeafRead read)
{
    return atomic_load_explicit(&rows->block->uses, memory_order_relaxed) <= (unsigned)read;
}

/* Returns the totals of a leaf's chunks, pinned: block->data is an XtfChildTotals. The caller releases the block. */
XtfBlock *xtf_leaf_digest_get(const XtfDescentLeaf *leaf, unsigned index, GError **error);
