/*
 * Encoding of right edges: the open pages of an array, one for each level. A right edge is two consecutive items, so
 * that readers of totals need not read the rows:
 *
 *     the edge       XtfDiskEdge
 *                    head of each level (XtfDiskOpen), leaf first
 *                    entries of each level from 1 up
 *                    if the schema has aggregates, for each level from 1 up to the height: U32 length; U32 0; as many
 *                        bytes of totals (XtfDiskTotals): of the children of the level's open page, including the open
 *                        child; for the level above the root, whose only child is the whole array, totals of groups
 *                        alone; no bytes if the array is small (XTF_SMALL_ARRAY_ROWS): reading its rows is as fast
 *     the open leaf  its rows, at the next multiple of 8 after the edge
 *
 * Every part begins at a multiple of 8. The P index references the edge; the head of level 0 has the length of the
 * leaf.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/base/bytes.h"
#include "libxtf/disk/catalog.h"
#include "libxtf/disk/format.h"

/* One level: its open page. */
typedef struct {
    uint64_t first_n;       /* N of the first row below the page */
    uint64_t place;         /* place reserved for the page; 0: not reserved, because the level has no sealed page */
    uint64_t previous;      /* place of the level's last sealed page; 0: none */
    uint32_t count;         /* number of rows or entries */
    uint32_t length;        /* bytes of the payload */
    const uint8_t *payload; /* entries; NULL for level 0 */
} XtfEdgeLevel;

static inline const XtfDiskOpen *xtf_edge_heads(const uint8_t *edge)
{
    return (const XtfDiskOpen *)(const void *)(edge + sizeof(XtfDiskEdge));
}

/* Returns a level of an edge that xtf_edge_layout_fault() has accepted. */
static inline XtfEdgeLevel xtf_edge_level(const uint8_t *edge, unsigned height, unsigned level)
{
    const XtfDiskOpen *heads = xtf_edge_heads(edge), *head = &heads[level];
    const uint8_t *payload = (const uint8_t *)(heads + height);

    for (unsigned below = 1; below < level; below++)
        payload += xtf_read32(heads[below].length);
    return (XtfEdgeLevel){
        .first_n = xtf_read64(head->first_n),
        .place = xtf_read64(head->place),
        .previous = xtf_read64(head->previous),
        .count = xtf_read32(head->count),
        .length = xtf_read32(head->length),
        .payload = level > 0 ? payload : NULL,
    };
}

/* Returns the item of the open leaf. Its offset counts from the begin of the array's segment, as that of the edge does.
 * The heads of levels must be complete; all other bytes of the edge may be damaged. */
XtfRef xtf_edge_leaf(const XtfArray *array, const uint8_t *edge);

/* Returns a reader of the tables of totals of a level, from 1 up to the height. The reader has failed if the totals are
 * cut short. For level 0 it has no bytes, and begins at the end of the entries. */
XtfBytesReader xtf_edge_totals(const uint8_t *edge, uint32_t length, unsigned height, unsigned level);

/* Returns what is wrong with the layout of an array's edge, or with the links between its levels; NULL if nothing is.
 * Memory safety depends on this check. Another array, with other rows, may reference the same bytes, so every visit
 * repeats it. */
const char *xtf_edge_layout_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length);
/* Returns what is wrong with the layout, the links, or the levels' entries; NULL if nothing is. */
const char *xtf_edge_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length);

/*
 * An encoder that appends an edge to bytes. The caller first calls xtf_edge_end_level() for level 0, which has no
 * payload here. For each level above, it appends the payload and calls xtf_edge_end_level(). For each level from 1 up
 * to the height, it then calls xtf_edge_begin_totals(), appends the totals, and calls xtf_edge_end_totals(). The caller
 * then appends the leaf's rows, whose length and checksum it has passed before.
 */
typedef struct {
    GByteArray *bytes;
    guint start; /* offset in `bytes` of the edge */
    guint part;  /* offset in `bytes` of the current payload or totals */
    unsigned level;
} XtfEdgeEncoder;

/* Starts an edge. Pads `bytes` first, so that the edge begins at a multiple of 8. */
XtfEdgeEncoder xtf_edge_encode(GByteArray *bytes, unsigned height, uint32_t leaf_checksum);
/* Ends a level. For level 0 the length is level->length; for others, the number of bytes appended by the caller. */
void xtf_edge_end_level(XtfEdgeEncoder *edge, const XtfEdgeLevel *level);
void xtf_edge_begin_totals(XtfEdgeEncoder *edge);
void xtf_edge_end_totals(XtfEdgeEncoder *edge);
