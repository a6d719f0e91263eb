/*
 * Searches in ascending numbers.
 */
#pragma once

#include <stdint.h>

/* Returns how many of `n` ascending numbers are less than `value`. */
static inline uint32_t xtf_sorted_rank(const uint32_t *numbers, uint32_t n, uint64_t value)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (numbers[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
