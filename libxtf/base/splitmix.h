/*
 * A mixer of 64 bits (splitmix64: S. Vigna, after G. Steele, D. Lea, C. Flood). The step of a filter's hash is one of
 * the file format: docs/FORMAT.md, section 7.
 */
#pragma once

#include <stdint.h>

/* A number that hangs on all bits of another: no two numbers have the same. */
static inline uint64_t xtf_splitmix(uint64_t h)
{
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/* The hash of what was hashed so far and of a value behind it. */
static inline uint64_t xtf_splitmix_step(uint64_t hash, uint64_t value)
{
    return xtf_splitmix((hash ^ value) + UINT64_C(0x9e3779b97f4a7c15));
}
