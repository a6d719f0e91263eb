/*
 * Cells that are added as integers, as most are.
 */
#pragma once

#include <stdint.h>

/* Two at a time: compilers do that at once. */
static inline void xtf_plain_cells_add(uint64_t *restrict cells, const uint64_t *restrict more, unsigned n)
{
    for (; n >= 2; n -= 2, cells += 2, more += 2) {
        cells[0] += more[0];
        cells[1] += more[1];
    }
    if (n > 0)
        cells[0] += more[0];
}
