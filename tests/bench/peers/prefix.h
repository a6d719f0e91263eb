/*
 * Prefix sums beside the rows, for peers that can seek. They are the numbers of ENTERs of each region in a location
 * before each block of BLOCK_ROWS rows. The calls by region of any window are then the difference of two blocks'
 * counts. They are corrected by the rows between each edge of the window and the start of its block.
 */
#pragma once

#include <stdint.h>

#include "ask.h"

enum { BLOCK_ROWS = 256 };

typedef struct {
    uint32_t region;
    uint32_t n;
} RegionCount;

/* Counts of the rows of one location after another. */
typedef struct {
    uint32_t location;
    uint64_t n_rows;   /* rows of the location so far */
    GArray *counts;    /* of RegionCount, in the order of their first ENTER */
    GHashTable *index; /* by region: its place in `counts`, plus 1 */
} Prefix;

void prefix_init(Prefix *self);
void prefix_clear(Prefix *self);

/* Returns the row's ordinal in its location. */
uint64_t prefix_next(Prefix *self, uint32_t location);

/* Counts the row that prefix_next() numbered. Returns true if a block begins after it: `counts` are then that
 * block's. */
bool prefix_add(Prefix *self, const XtfEntersLeavesRow *row);
