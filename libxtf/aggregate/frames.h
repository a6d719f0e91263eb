/*
 * The stack of frames at any row, computed from the snapshots in the index. xtf_array_stack() is the public function.
 */
#pragma once

#include "libxtf/totals/accumulate.h"
#include "libxtf/tree/descent.h"

/* Loads the stack before a leaf's first row: the innermost frames, which the leaf's snapshot holds. `stack` is
 * initialised. */
bool xtf_frames_before_leaf(const XtfDescentLeaf *leaf, unsigned index, XtfFrameStack *stack, GError **error);

/* Loads the stack before row n (0 to n_rows), without the outer frames that only other leaves have. */
bool xtf_frames_before_row(const XtfArray *array, unsigned index, uint64_t n, XtfFrameStack *stack, GError **error);

/* A loader of a stack's outer frames from earlier leaves. Borrows the array. */
typedef struct {
    const XtfArray *array;
    unsigned index;
    XtfFrameLoader loader;
} XtfOuterFrames;

void xtf_outer_frames_init(XtfOuterFrames *outer, const XtfArray *array, unsigned index);

/* Loads outer frames of a stack until it has all of its frames that began in row n1 or later. */
bool xtf_frames_load_until(const XtfArray *array, unsigned index, uint64_t n1, XtfFrameStack *stack, GError **error);
/* Loads all outer frames of a stack. */
bool xtf_frames_load_all(const XtfArray *array, unsigned index, XtfFrameStack *stack, GError **error);
