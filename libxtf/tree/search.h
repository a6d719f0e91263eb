/*
 * The TN index: descents from the root of an array's tree to a leaf, by time or by number.
 */
#pragma once

#include "libxtf/tree/leaf.h"

typedef enum { XTF_KEY_T, XTF_KEY_N } XtfKeyKind;

/* The leaf in which the search for a key ends: by N, the leaf that holds row n, which must exist; by T, the last leaf
 * that begins before t, or the first leaf. The caller puts leaf->block back. */
bool xtf_index_leaf(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                    GError **error);

/* The leaf beside another one, by its link, with its rows. There must be one. */
bool xtf_index_next_leaf(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error);
bool xtf_index_previous_leaf(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error);

/* The number of the leaf's rows with a time before t. */
uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t);
