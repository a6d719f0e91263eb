/*
 * Checksums: CRC-32 as in zlib, PNG and gzip.
 */
#pragma once

#include <stddef.h>
#include <zlib.h>

#include "libxtf/disk/format.h"

static inline uint32_t xtf_checksum(const void *bytes, size_t length)
{
    return (uint32_t)crc32_z(0, bytes, length);
}

/* Of a page: its place, its head up to the checksum itself, its payload. The place is in it so that a page which was
 * written to the wrong place is found out. */
static inline uint32_t xtf_page_checksum(const XtfDiskPage *head, uint64_t place, const uint8_t *payload, size_t length)
{
    XtfLe64 le_place;

    xtf_write64(&le_place, place);
    uLong crc = crc32_z(0, le_place.bytes, sizeof le_place);
    crc = crc32_z(crc, (const Bytef *)head, offsetof(XtfDiskPage, checksum));
    return (uint32_t)crc32_z(crc, payload, length);
}
