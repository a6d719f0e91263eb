/*
 * Hashes of strings (FNV-1a). The hashes are the same on every machine and in every version. All machines of a job
 * therefore agree on them in file names, and inode numbers and colours stay the same. For strings that an attacker
 * could choose to collide, see string-hash.h.
 *
 * This header depends on libc only, because traced programs include it.
 */
#pragma once

#include <stdint.h>

#define XTF_FNV32 UINT32_C(2166136261) /* hash of the empty string */
#define XTF_FNV64 UINT64_C(14695981039346656037)

/* Returns the hash of a string that continues with `text`. `hash` is the hash of the string without it. */
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
