/*
 * The items that a reader needs to open a trace: schemas, limits and the catalog. The writer stores them last,
 * contiguously.
 *
 * A commit stores the schemas and limits that changed. A commit that closes the file stores all of them twice, one copy
 * for each superblock. So damage to one copy loses nothing, and a reader opens the file with one read.
 */
#pragma once

#include "libxtf/write/commit-block.h"

typedef struct {
    XtfRef catalog;
    uint64_t offset; /* file offset of the copy */
    uint32_t length;
} XtfOpeningItems;

/* Stores `n_copies` copies of the items and ends the block. The catalog holds the writer's state at the time of the
 * call. */
bool xtf_writer_add_opening_items(XtfCommitBlock *block, XtfOpeningItems *copies, unsigned n_copies, GError **error);

/* Stores leaf lists if the right edges of the arrays are not all in a short opening run. *offset gets their file
 * offset; 0: none are stored, as for files of several volumes. */
bool xtf_writer_add_leaf_lists(XtfCommitBlock *block, uint64_t *offset, GError **error);
