/*
 * Prefix sums beside the rows, for peers that can seek: how many ENTERs of each region a location has before each block
 * of BLOCK_ROWS rows. Calls by region of any window are then two blocks' counts and the rows between each edge and its
 * block's start.
 */
#pragma once

#include <stdint.h>

#include "ask.h"

enum { BLOCK_ROWS = 256 };

typedef struct {
    uint32_t region;
    uint32_t n;
} RegionCount;

/* Counts the rows of one location after another. */
typedef struct {
    uint32_t location;
    uint64_t n_rows;   /* so far, of the location */
    GArray *counts;    /* of RegionCount, in the order of their first ENTER */
    GHashTable *index; /* from region to its place in `counts`, plus 1 */
} Prefix;

void prefix_init(Prefix *self);
void prefix_clear(Prefix *self);

/* The row's ordinal in its location. */
uint64_t prefix_next(Prefix *self, uint32_t location);

/* Counts the row that prefix_next() numbered. True if a block begins behind it: `counts` are that block's. */
bool prefix_add(Prefix *self, const XtfEntersLeavesRow *row);
