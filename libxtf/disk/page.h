/*
 * Encoding of pages: a head (XtfDiskPage), the payload, zeros.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/format.h"

/* Returns the checksum that a page's head should have. */
uint32_t xtf_page_checksum(const XtfDiskPage *head, uint64_t place, const uint8_t *payload, size_t length);

/* Returns what is wrong with a leaf or index page, without knowledge of its array; NULL if nothing is. `length` is the
 * page size. */
const char *xtf_page_fault(const uint8_t *page, uint32_t length, uint64_t place, const XtfSegment *segment);

/* Returns what is wrong with the payload of a page, sealed or open: rows of `row_size` bytes, or entries. */
const char *xtf_payload_fault(unsigned level, const XtfCodec *codec, uint64_t first_n, uint32_t count,
                              uint32_t row_size, const uint8_t *payload, uint64_t length);

/* Returns the codec of an array's level: index pages are plain. */
static inline unsigned xtf_level_codec(unsigned codec, unsigned level)
{
    return level > 0 ? XTF_CODEC_PLAIN : codec;
}

/* Returns the size in bytes of a level's rows or entries. */
static inline uint32_t xtf_level_stride(const XtfSchema *schema, unsigned level)
{
    return level > 0 ? (uint32_t)sizeof(XtfDiskEntry) : schema->row_size;
}
