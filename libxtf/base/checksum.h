/*
 * Checksums: CRC-32 as in zlib, PNG and gzip.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

static inline uint32_t xtf_checksum(const void *bytes, size_t length)
{
    return (uint32_t)crc32_z(0, bytes, length);
}
