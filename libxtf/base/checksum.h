/*
 * Checksums: CRC-32 as in zlib, PNG and gzip. libdeflate computes CRC-32 several times faster than zlib.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <xtf-options.h>

#ifdef XTF_WITH_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

/* Returns the checksum of a byte sequence that continues with `length` bytes. `before` is the checksum of the sequence
 * without them; 0 for no bytes. */
static inline uint32_t xtf_checksum_on(uint32_t before, const void *bytes, size_t length)
{
#ifdef XTF_WITH_LIBDEFLATE
    return libdeflate_crc32(before, bytes, length);
#else
    return (uint32_t)crc32_z(before, bytes, length);
#endif
}

static inline uint32_t xtf_checksum(const void *bytes, size_t length)
{
    return xtf_checksum_on(0, bytes, length);
}
