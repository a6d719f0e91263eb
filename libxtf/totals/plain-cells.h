/*
 * Cells that are added as integers, as most are.
 */
#pragma once

#include <stdint.h>

/* Adds two cells per step: compilers vectorise this. */
static inline void xtf_plain_cells_add(uint64_t *restrict cells, const uint64_t *restrict more, unsigned n)
{
    for (unsigned i = 0; i + 1 < n; i += 2) {
        cells[i] += more[i];
        cells[i + 1] += more[i + 1];
    }
    if (n % 2 > 0)
        cells[n - 1] += more[n - 1];
}
