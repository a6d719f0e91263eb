/*
 * The digest of a leaf: its rows in chunks, each with what they add up to and the stack before them. With it an
 * interval that begins or ends inside the leaf reads the rows of one chunk at each edge, no more. It is made when it is
 * first asked for, by going through the leaf's rows once, and lives in the page cache.
 */
#pragma once

#include "libxtf/aggregate/child-totals.h"
#include "libxtf/tree/descent.h"

enum { XTF_CHUNK_ROWS = 64 };

/* Whether going through the rows is as good as a digest. It is for an array that is one small leaf: a trace of very
 * many locations has mostly such, each looked at once, and to make a digest takes ten times as long as to read the
 * rows. */
static inline bool xtf_leaf_needs_no_digest(const XtfDescentLeaf *leaf)
{
    enum { FEW_ROWS = 1024 };
    return leaf->first_n == 0 && leaf->end <= FEW_ROWS;
}

/* The lists of a leaf's chunks, pinned: block->data is an XtfChildTotals. The caller puts the block back. */
XtfBlock *xtf_leaf_digest_get(const XtfDescentLeaf *leaf, unsigned index, GError **error);
