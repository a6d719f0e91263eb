/*
 * A 64-bit mixer (splitmix64: S. Vigna, after G. Steele, D. Lea, C. Flood). xtf_splitmix_step() computes the hashes of
 * filters in files: docs/FORMAT.md, section 7.
 */
#pragma once

#include <stdint.h>

/* Returns a mix of all bits of h. The function is a bijection: different numbers give different results. */
static inline uint64_t xtf_splitmix(uint64_t h)
{
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/* Returns the hash of a sequence that continues with `value`. `hash` is the hash of the sequence without it. */
static inline uint64_t xtf_splitmix_step(uint64_t hash, uint64_t value)
{
    return xtf_splitmix((hash ^ value) + UINT64_C(0x9e3779b97f4a7c15));
}
