/*
 * The TN index: the search for a leaf by time or by number, and the steps from a leaf to its neighbours.
 */
#pragma once

#include "libxtf/tree/descent.h"

typedef enum { XTF_KEY_T, XTF_KEY_N } XtfKeyKind;

/* The leaf in which the search for a key ends: by N, the leaf that holds row n, which must exist; by T, the last leaf
 * that begins before t, or the first leaf. The caller finishes the view, here and below. */
bool xtf_leaf_find(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                   GError **error);

/* The leaf beside another one, by its link, with its rows. There must be one. */
bool xtf_leaf_next(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error);
bool xtf_leaf_previous(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error);

/* The number of the leaf's rows with a time before t. */
uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t);
