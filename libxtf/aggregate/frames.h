/*
 * The stack of frames at any row, from what the index stores: from inside (xtf_array_stack() is its public face).
 */
#pragma once

#include "libxtf/aggregate/accumulate.h"
#include "libxtf/tree/descent.h"

/* The stack before a leaf's first row: the innermost frames, as many as the index stores. `stack` is initialised. */
bool xtf_frames_before_leaf(const XtfDescentLeaf *leaf, unsigned index, XtfFrameStack *stack, GError **error);

/* The stack before row n, at most n_rows: its innermost frames, as many as are known without another leaf. */
bool xtf_frames_before_row(const XtfArray *array, unsigned index, uint64_t n, XtfFrameStack *stack, GError **error);

/* What leads further down a stack. Borrows the array. */
typedef struct {
    const XtfArray *array;
    unsigned index;
    XtfFrameLoader loader;
} XtfOuterFrames;

void xtf_outer_frames_init(XtfOuterFrames *outer, const XtfArray *array, unsigned index);

/* Finds all frames of a stack, however deep. */
bool xtf_frames_load_all(const XtfArray *array, unsigned index, XtfFrameStack *stack, GError **error);
