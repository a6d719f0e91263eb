/*
 * The items that a reader needs to open a trace: schemas, limits and the catalog. They are written last, side by side.
 *
 * A commit stores those of the schemas and limits that changed. A commit that closes the file stores all of them, and
 * twice, a copy for each superblock: so damage to one of them costs nothing, and one read is enough to open the file.
 */
#pragma once

#include "libxtf/write/commit-block.h"

typedef struct {
    XtfRef catalog;
    uint64_t offset; /* where the copy begins */
    uint32_t length;
} XtfOpeningItems;

/* Stores the items, so many copies of them, and ends the block. The catalog says all that the writer knows by then. */
bool xtf_writer_add_opening_items(XtfCommitBlock *block, XtfOpeningItems *copies, unsigned n_copies, GError **error);
