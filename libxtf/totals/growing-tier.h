/*
 * Tiers of totals (child-totals.h) while they grow.
 */
#pragma once

#include "libxtf/aggregates.h"

/* An XtfTotalsTier while it grows. */
typedef struct {
    uint32_t n, room;        /* number of entries; of entries for which `groups` and `cells` have space */
    GArray *starts, *groups; /* uint32_t */
    uint64_t *cells;         /* the first cell of all entries, then the second of all: see xtf_growing_tier_column() */
    size_t n_words;          /* allocated for `cells` */
} XtfGrowingTier;

/* Returns a cell of all entries. */
static inline uint64_t *xtf_growing_tier_column(const XtfGrowingTier *tier, unsigned cell)
{
    return tier->cells + (size_t)cell * tier->room;
}

void xtf_growing_tier_init(XtfGrowingTier *tier);
void xtf_growing_tier_clear(XtfGrowingTier *tier); /* keeps the memory */
void xtf_growing_tier_finish(XtfGrowingTier *tier);
/* Makes space for `room` entries, no fewer than there are, and moves the columns. */
void xtf_growing_tier_set_room(XtfGrowingTier *tier, uint32_t room, unsigned n_cells);
/* Begins an item; after the last one, ends it. */
void xtf_growing_tier_begin_item(XtfGrowingTier *tier);
void xtf_growing_tier_add(XtfGrowingTier *tier, uint32_t group, const uint64_t *cells, unsigned n_cells);
void xtf_growing_tier_copy_cells(const XtfGrowingTier *tier, uint32_t entry, unsigned n_cells, uint64_t *cells);

/* For frames: */
/* Appends the sums of `step` items, from entry `first` on, that have the same n groups. */
void xtf_growing_tier_add_sums(XtfGrowingTier *to, const XtfGrowingTier *from, uint32_t first, uint32_t n,
                               uint32_t step);
/* Adds an entry to one of another tier. */
void xtf_growing_tier_add_to_entry(const XtfGrowingTier *to, uint32_t entry, const XtfGrowingTier *from,
                                   uint32_t added);
