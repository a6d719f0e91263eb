/*
 * Blocks of consecutive locations: block i has the locations from borders[i] up to borders[i + 1], without it.
 */
#pragma once

#include <stdint.h>

#include "src/trace/context/sorted.h"

/* Returns the block of a location, of n blocks. */
static inline uint32_t xtf_block_of(const uint32_t *borders, uint32_t n, uint32_t location)
{
    return n == 0 ? 0 : xtf_sorted_rank(borders + 1, n - 1, (uint64_t)location + 1);
}
