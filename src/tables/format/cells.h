/*
 * Cells of a block of rows. All decisions about a cell are made once for the block, and a short loop without calls
 * handles its rows. The lines of the block stay in the processor's first-level cache.
 */
#pragma once

#include "src/tables/format/call-cells.h"
#include "src/tables/format/format.h"

enum {
    XTF_BLOCK_ROWS = XTF_CALL_ROWS_MAX,
};

typedef struct XtfSiteReader XtfSiteReader;

typedef struct {
    XtfTrace *trace;
    const XtfRanks *ranks;
    const XtfTimeScale *scale;
    uint64_t proc;           /* of the run's location */
    XtfCallBlock *calls;     /* of the block; NULL: the lines have no cells of calls */
    XtfSiteReader *sites;    /* NULL: the lines have no cells of call sites */
    uint32_t location;       /* of the run, as an index in XtfLocations */
    const XtfSchema *schema; /* of the run */
} XtfCellContext;

typedef struct {
    const uint8_t *rows;
    uint32_t n; /* at most XTF_BLOCK_ROWS */
    uint32_t row_size;
    char *lines[XTF_BLOCK_ROWS];
    uint64_t values[XTF_BLOCK_ROWS]; /* of the field of the current cell */
} XtfCellBlock;

/* Loads the values of a field of at most 8 bytes into block->values. */
void xtf_cell_block_load(XtfCellBlock *block, const XtfField *field);
/* Fills in a cell of all lines of a block. The lines already hold the template. */
bool xtf_cell_put_column(const XtfCellContext *context, const XtfCell *cell, XtfCellBlock *block, GError **error);
