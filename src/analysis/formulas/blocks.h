/*
 * Blocks of consecutive locations: block i has the locations from borders[i] up to borders[i + 1], without it.
 */
#pragma once

#include <stdint.h>

/* Returns the block of a location, of n blocks. */
static inline uint32_t xtf_block_of(const uint32_t *borders, uint32_t n, uint32_t location)
{
    uint32_t low = 0, high = n;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (borders[middle] <= location)
            low = middle;
        else
            high = middle;
    }
    return low;
}
