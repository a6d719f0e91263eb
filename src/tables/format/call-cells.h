/*
 * Cells of calls: what a row of `enters_leaves` does not say itself, since it takes two rows to know it.
 */
#pragma once

#include "libxtf/frame-reader.h"
#include "src/tables/format/format.h"

enum {
    XTF_CALL_ROWS_MAX = 64, /* of a block */
};

/* Calls of rows that follow one another in their array. */
typedef struct {
    const XtfTimeScale *scale;
    const XtfClockMap *clock; /* of the location; may be NULL */
    XtfFrameReader *reader;   /* of the location */
    uint64_t first;           /* the number of the first row */
    uint32_t n;
    XtfFrameTimes frames[XTF_CALL_ROWS_MAX]; /* of rows that are calls */
} XtfCallBlock;

/* Finds the calls of a block whose rows are ENTERs. */
bool xtf_call_block_load(XtfCallBlock *block, GError **error);
/* Fills in a cell of the lines of the block's rows. */
bool xtf_call_cell_put(const XtfCell *cell, XtfCallBlock *block, char *const *lines, GError **error);
