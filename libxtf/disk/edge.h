/*
 * Right edges as bytes: the open pages of an array, one a level. They are two items side by side, so that what concerns
 * totals is read without the rows:
 *
 *     the edge       XtfDiskEdge
 *                    head of each level (XtfDiskOpen), leaf first
 *                    entries of each level from 1 up
 *                    if the schema has aggregates, for each level from 1 up to the height: U32 length; U32 0; as many
 *                        bytes of totals (XtfDiskTotals): of the children of the level's open page, the open child too;
 *                        of the level above the root, whose only child is the whole array, totals of groups alone;
 *                        no bytes if the array is small (XTF_SMALL_ARRAY_ROWS): its rows are as quickly read
 *     the open leaf  its rows, at the next multiple of 8 behind the edge
 *
 * Every part begins at a multiple of 8. The P index names the edge; the length of the leaf is in the head of level 0.
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/base/bytes.h"
#include "libxtf/disk/catalog.h"
#include "libxtf/disk/format.h"

/* One level: its open page. */
typedef struct {
    uint64_t first_n;       /* N of the first row below the page */
    uint64_t place;         /* where the page will be written; 0: not reserved, the level has sealed no page */
    uint64_t previous;      /* place of the level's last sealed page; 0: none */
    uint32_t count;         /* rows or entries */
    uint32_t length;        /* bytes of the payload */
    const uint8_t *payload; /* entries; NULL of level 0 */
} XtfEdgeLevel;

static inline const XtfDiskOpen *xtf_edge_heads(const uint8_t *edge)
{
    return (const XtfDiskOpen *)(const void *)(edge + sizeof(XtfDiskEdge));
}

/* A level of an edge that xtf_edge_layout_fault() has found sound. */
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

/* The item of the open leaf: its offset counts from where the edge's does. The edge's bytes may be anything, as long as
 * the heads of levels are whole. */
XtfRef xtf_edge_leaf(const XtfArray *array, const uint8_t *edge);

/* The totals of a level from 1 up to the height: a reader of their tables, failed if they are cut short. Of level 0: no
 * bytes, which end where the entries do. */
XtfBytesReader xtf_edge_totals(const uint8_t *edge, uint32_t length, unsigned height, unsigned level);

/* What is wrong with how the levels of an array's edge lie in it and lead to one another; NULL if nothing is. Memory
 * safety depends on this, and another array, with other rows, may name the same bytes: so every visit asks. */
const char *xtf_edge_layout_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length);
/* The same, and what is wrong with the levels' entries. */
const char *xtf_edge_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length);

/*
 * An edge being appended to bytes. The caller ends level 0, which has no payload here, appends the payload of each
 * level above and ends it; then, from level 1 up to the height, begins totals, appends them, and ends them; then ends
 * the edge and appends the leaf's rows, whose length and checksum it gives before.
 */
typedef struct {
    GByteArray *bytes;
    guint start; /* of the edge */
    guint part;  /* of the payload or totals being appended */
    unsigned level;
} XtfEdgeEncoder;

/* Pads `bytes` first, so that the edge begins at a multiple of 8 of them. */
XtfEdgeEncoder xtf_edge_encode(GByteArray *bytes, unsigned height, uint32_t leaf_checksum);
/* Of `level`, its length and payload are those of the bytes that the caller appended; of level 0 the length counts. */
void xtf_edge_end_level(XtfEdgeEncoder *edge, const XtfEdgeLevel *level);
void xtf_edge_begin_totals(XtfEdgeEncoder *edge);
void xtf_edge_end_totals(XtfEdgeEncoder *edge);
