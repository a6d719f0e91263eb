/*
 * Hashes of texts (FNV-1a). They are the same everywhere: files of several nodes agree in them.
 *
 * This header knows libc alone: it is compiled into programs that are traced.
 */
#pragma once

#include <stdint.h>

#define XTF_HASH UINT32_C(2166136261) /* of no text */

/* The hash of what was hashed so far and of a text behind it. */
static inline uint32_t xtf_hash_text(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
    return hash;
}
