/*
 * Right edges as bytes: the open pages of an array, one a level, in one item.
 *
 *     head of each level (XtfDiskEdge), leaf first
 *     payload of each level, leaf first
 *     for each level from 1 up, if the schema has aggregates: U32 length, and as many bytes of totals (XtfDiskTotals)
 *         of the level's sealed children, with the snapshot of the open child's stack
 */
#pragma once

#include "libxtf/array.h"
#include "libxtf/base/bytes.h"
#include "libxtf/disk/format.h"

/* One level: its open page. */
typedef struct {
    uint64_t first_n;  /* N of the first row below the page */
    uint64_t place;    /* where the page will be written; 0: not reserved, the level has sealed no page */
    uint64_t previous; /* place of the level's last sealed page; 0: none */
    uint32_t count;    /* rows or entries */
    uint32_t length;   /* bytes of the payload */
    const uint8_t *payload;
} XtfEdgeLevel;

/* A level of an edge that xtf_edge_layout_fault() has found sound. */
static inline XtfEdgeLevel xtf_edge_level(const uint8_t *edge, unsigned height, unsigned level)
{
    const XtfDiskEdge *heads = (const XtfDiskEdge *)edge, *head = &heads[level];
    const uint8_t *payload = edge + height * sizeof *heads;

    for (unsigned below = 0; below < level; below++)
        payload += xtf_read32(heads[below].length);
    return (XtfEdgeLevel){
        .first_n = xtf_read64(head->first_n),
        .place = xtf_read64(head->place),
        .previous = xtf_read64(head->previous),
        .count = xtf_read32(head->count),
        .length = xtf_read32(head->length),
        .payload = payload,
    };
}

/* The totals of a level, 1 or more: a reader of their bytes, failed if they are cut short. */
XtfBytesReader xtf_edge_totals(const uint8_t *edge, uint32_t length, unsigned height, unsigned level);

/* What is wrong with how the levels of an array's edge lie in it and lead to one another; NULL if nothing is. Memory
 * safety depends on this, and another array, with other rows, may name the same bytes: so every visit asks. */
const char *xtf_edge_layout_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length);
/* The same, and what is wrong with the levels' payloads. */
const char *xtf_edge_fault(const XtfArray *array, uint32_t page_size, const uint8_t *edge, uint32_t length);

/*
 * An edge being appended to bytes. The caller appends a level's payload and ends the level, leaf first; then, from
 * level 1 up, begins totals, appends them, and ends them.
 */
typedef struct {
    GByteArray *bytes;
    guint start; /* of the edge */
    guint part;  /* of the payload or totals being appended */
    unsigned level;
} XtfEdgeEncoder;

XtfEdgeEncoder xtf_edge_encode(GByteArray *bytes, unsigned height);
/* Of `level`, its length and payload are those of the bytes that the caller appended. */
void xtf_edge_end_level(XtfEdgeEncoder *edge, const XtfEdgeLevel *level);
void xtf_edge_begin_totals(XtfEdgeEncoder *edge);
void xtf_edge_end_totals(XtfEdgeEncoder *edge);
