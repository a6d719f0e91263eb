/*
 * Pages as bytes: a head (XtfDiskPage), the payload, zeros.
 */
#pragma once

#include "libxtf/disk/catalog.h"
#include "libxtf/disk/codec.h"
#include "libxtf/disk/format.h"

/* The checksum that should stand in a page's head. */
uint32_t xtf_page_checksum(const XtfDiskPage *head, uint64_t place, const uint8_t *payload, size_t length);

/* What is wrong with a leaf or index page in itself, whichever array it is of; NULL if nothing is. `length` is a whole
 * page. */
const char *xtf_page_fault(const uint8_t *page, uint32_t length, uint64_t place, const XtfSegment *segment);

/* The same of the payload of a page, sealed or open: rows of `row_size`, or entries. */
const char *xtf_payload_fault(unsigned level, const XtfCodec *codec, uint64_t first_n, uint32_t count,
                              uint32_t row_size, const uint8_t *payload, uint64_t length);

/* The codec of an array's level: index pages are plain. */
static inline unsigned xtf_level_codec(unsigned codec, unsigned level)
{
    return level > 0 ? XTF_CODEC_PLAIN : codec;
}

/* Bytes of a row or an entry. */
static inline uint32_t xtf_level_stride(const XtfSchema *schema, unsigned level)
{
    return level > 0 ? (uint32_t)sizeof(XtfDiskEntry) : schema->row_size;
}
