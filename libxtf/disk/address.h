/*
 * Positions of pages. A page is named by its place: its number from the beginning of its segment.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/writer.h"

/* Returns the number of a page in the file. */
static inline uint64_t xtf_page_number(const XtfSegment *segment, uint64_t place)
{
    return segment->first_page + place;
}

/* Returns the offset of a page's first byte in the file. */
static inline uint64_t xtf_page_offset(const XtfSegment *segment, uint32_t page_size, uint64_t place)
{
    return xtf_page_number(segment, place) * page_size;
}

/* Returns the place of the page that begins at a byte offset of the file. */
static inline uint64_t xtf_place_at(const XtfSegment *segment, uint32_t page_size, uint64_t offset)
{
    return offset / page_size - segment->first_page;
}

/* Returns the first place that a page may have. */
static inline uint64_t xtf_first_place(uint32_t page_size)
{
    return page_size < XTF_RESERVED_BYTES ? XTF_RESERVED_BYTES / page_size : 1;
}

static inline bool xtf_page_size_valid(uint32_t size)
{
    return size >= XTF_PAGE_SIZE_MIN && size <= XTF_PAGE_SIZE_MAX && (size & (size - 1)) == 0;
}

/* Rounds an offset up to the alignment of items and their parts. */
static inline uint64_t xtf_aligned(uint64_t offset)
{
    return (offset + XTF_ITEM_ALIGNMENT - 1) / XTF_ITEM_ALIGNMENT * XTF_ITEM_ALIGNMENT;
}

/* Returns the maximum bytes of a page's payload. */
static inline uint32_t xtf_page_room(uint32_t page_size)
{
    return page_size - (uint32_t)sizeof(XtfDiskPage);
}

static inline uint32_t xtf_index_entries_max(uint32_t page_size)
{
    return xtf_page_room(page_size) / (uint32_t)sizeof(XtfDiskEntry);
}
