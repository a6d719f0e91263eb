/*
 * The rows of a leaf that are added to totals of frames, one after another. Reads the leaf's columns of frames. Most
 * rows end the top frame or begin one in it, and need no more. From the first other row on reads whole rows.
 */
#pragma once

#include "libxtf/totals/accumulate.h"
#include "libxtf/tree/descent.h"

typedef struct {
    const XtfDescentLeaf *leaf;
    unsigned index;
    XtfPageView view; /* columns or rows */
    XtfPageView rows; /* rows in addition to columns, if they are needed */
    XtfFrameWalk walk;
    const XtfFrameLoader *loader;
} XtfFrameLeaf;

/* Reads the columns, or rows, of a leaf. Borrows the leaf, and the loader of outer frames, until it is finished. */
bool xtf_frame_leaf_init(XtfFrameLeaf *frames, const XtfDescentLeaf *leaf, unsigned index, const XtfFrameLoader *loader,
                         GError **error);
void xtf_frame_leaf_finish(XtfFrameLeaf *frames); /* an all-zero struct is allowed */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfFrameLeaf, xtf_frame_leaf_finish)

/* Starts again with row `next` of the leaf. `nests`: all rows of the leaf are known to nest. */
bool xtf_frame_leaf_seek(XtfFrameLeaf *frames, uint32_t next, bool nests, GError **error);

/* Adds the rows up to row `to` of the leaf to totals of full depth, which may be NULL. The stack is that before the
 * next row, and moves behind the last. */
bool xtf_frame_leaf_add(XtfFrameLeaf *frames, uint32_t to, XtfFrameStack *stack, XtfGroupTotals *totals,
                        GError **error);

/* True if all rows that were added from row 0 on nest, and the leaf has columns. */
static inline bool xtf_frame_leaf_nests(const XtfFrameLeaf *frames)
{
    return frames->view.frames && !frames->rows.block;
}

/* The effect of a row on the frames. */
typedef enum {
    XTF_FRAME_ROW_UNKNOWN, /* the row was not read */
    XTF_FRAME_ROW_BEGINS,  /* it begins a frame */
    XTF_FRAME_ROW_ENDS,    /* it ends one */
} XtfFrameRow;

/* Returns what row `i` of a leaf does, from its columns of frames or its rows. */
XtfFrameRow xtf_frame_row(const XtfArray *array, unsigned index, const XtfPageView *leaf, uint32_t i);
