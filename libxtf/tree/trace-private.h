/*
 * What the rooms of the reader share: the trace behind XtfTrace, and how its pages and items are fetched.
 */
#pragma once

#include <inttypes.h>
#include <stdatomic.h>

#include "libxtf/array.h"
#include "libxtf/base/fail.h"
#include "libxtf/cache/cache.h"
#include "libxtf/disk/catalog.h"
#include "libxtf/disk/format.h"
#include "libxtf/trace.h"

/* What a superblock says, checked. */
typedef struct {
    XtfTraceInfo info;
    uint64_t incompatible;
    XtfRef catalog;
} XtfSuperblock;

struct XtfTrace {
    gint references; /* atomic */
    XtfSource *source;
    XtfCache *cache;
    XtfSuperblock superblock;
    XtfCatalog catalog;

    GMutex lock;      /* guards the filling of the two below; once filled they never change */
    XtfTable *tables; /* as many as the catalog has; rows is NULL until a table is loaded */
    uint8_t *strings;

    atomic_uint_fast64_t page_visits, key_comparisons;
};

/* The better of the file's superblocks: the newest that is whole. */
bool xtf_superblock_read(XtfSource *source, XtfSuperblock *superblock, GError **error);
/* The one in a slot; *found is false where that slot holds none that is whole. */
bool xtf_superblock_read_slot(XtfSource *source, unsigned slot, XtfSuperblock *superblock, bool *found, GError **error);

/* Where in the file, by bytes, a page of an array lies. */
bool xtf_page_locate(const XtfArray *array, uint64_t place, uint64_t *offset, GError **error);

/* A sealed page, pinned. It is what the arguments say, and its own parts agree; what its parent says of its keys is the
 * caller's to compare. */
XtfBlock *xtf_page_get(const XtfArray *array, uint64_t place, unsigned level, GError **error);
static inline const XtfDiskPage *xtf_page_head(const XtfBlock *block)
{
    return (const XtfDiskPage *)block->data;
}

/* The array's right edge, pinned: `height` XtfDiskEdge, then their payloads, which agree with one another. */
XtfBlock *xtf_edge_get(const XtfArray *array, GError **error);

/* An item that the newest commit names, pinned. Its checksum is right. */
XtfBlock *xtf_item_get(XtfTrace *trace, XtfRef ref, GError **error);
