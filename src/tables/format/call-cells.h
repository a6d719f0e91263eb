/*
 * Cells of calls: figures that follow from two rows of `enters_leaves`, the call's ENTER and its LEAVE.
 */
#pragma once

#include "libxtf/frame-reader.h"
#include "src/tables/format/format.h"

enum {
    XTF_CALL_ROWS_MAX = 64, /* most rows of a block */
};

/* The calls of consecutive rows of an array. */
typedef struct {
    const XtfTimeScale *scale;
    const XtfClockMap *clock; /* of the location; may be NULL */
    XtfFrameReader *reader;   /* reader of the location's calls */
    uint64_t first;           /* number of the first row */
    uint32_t n;
    XtfFrameTimes frames[XTF_CALL_ROWS_MAX]; /* by row; set by xtf_call_block_load() */
} XtfCallBlock;

/* Loads the calls of a block whose rows are ENTERs. */
bool xtf_call_block_load(XtfCallBlock *block, GError **error);
/* Fills in a cell of the lines of the block's rows. */
bool xtf_call_cell_put(const XtfCell *cell, XtfCallBlock *block, char *const *lines, GError **error);
