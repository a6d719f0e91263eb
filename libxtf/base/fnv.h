/*
 * Hashes of texts (FNV-1a). They are the same everywhere and always: files of several nodes agree in them, and inode
 * numbers and colours last. For strings that somebody else chooses, and might choose to collide, see string-hash.h.
 *
 * This header knows libc alone: it is compiled into programs that are traced.
 */
#pragma once

#include <stdint.h>

#define XTF_FNV32 UINT32_C(2166136261) /* of no text */
#define XTF_FNV64 UINT64_C(14695981039346656037)

/* The hash of what was hashed so far and of a text behind it. */
static inline uint32_t xtf_fnv32(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
    return hash;
}

static inline uint64_t xtf_fnv64(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}
