/*
 * Private parts of group totals: cells can be updated in place.
 */
#pragma once

#include "libxtf/aggregates.h"
#include "libxtf/base/key-table.h"
#include "libxtf/totals/plain-cells.h"

/* Groups are contiguous, in the order of their first additions: `depth` keys, then the cells. */
struct XtfGroupTotals {
    const XtfAggregate *aggregate;
    uint8_t depth, n_cells, stride; /* stride: words per group */
    bool plain;                     /* all cells are added as integers */
    uint32_t n, room;
    uint32_t last; /* the last used group, if there are any */
    uint64_t *groups;
    XtfKeyTable table;
};

/* Does what xtf_group_totals_cells_of() does, if the group is not the last used one. */
uint64_t *xtf_group_totals_look_up(XtfGroupTotals *totals, const uint64_t *key);

/* Returns the cells of a key's group, adding the group if it is new. The pointer is valid until the next call. */
static inline uint64_t *xtf_group_totals_cells_of(XtfGroupTotals *totals, const uint64_t *key)
{
    if (G_LIKELY(totals->n > 0)) {
        uint64_t *group = totals->groups + (size_t)totals->last * totals->stride;
        if (xtf_key_equal(group, key, totals->depth))
            return group + totals->depth;
    }
    return xtf_group_totals_look_up(totals, key);
}

/* Adds value i of a row to the cells of its group. The value must not be absent ("none"). */
void xtf_group_totals_add_value(const XtfGroupTotals *totals, const uint64_t *key, uint64_t *cells, unsigned i,
                                uint64_t value);

/* Adds `added`, the cells of later rows, to `cells`, the cells of earlier rows of the same group. Uses only the
 * aggregate and the depth of `totals`; the depth is the number of keys in `key`. */
void xtf_group_totals_combine(const XtfGroupTotals *totals, const uint64_t *key, uint64_t *cells,
                              const uint64_t *added);

/* Adds `added` to `cells` as xtf_group_totals_combine() does, faster if all cells are added as integers. */
static inline void xtf_group_totals_add_cells(const XtfGroupTotals *totals, const uint64_t *key, uint64_t *cells,
                                              const uint64_t *added)
{
    if (totals->plain)
        xtf_plain_cells_add(cells, added, totals->n_cells);
    else
        xtf_group_totals_combine(totals, key, cells, added);
}

/* Adds the cells of a group of frames: sums, and the greater of the two longest durations. */
static inline void xtf_frames_add(uint64_t *cells, const uint64_t *added)
{
    for (unsigned i = 0; i < XTF_FRAMES_LONGEST; i++)
        cells[i] += added[i];
    cells[XTF_FRAMES_LONGEST] = MAX(cells[XTF_FRAMES_LONGEST], added[XTF_FRAMES_LONGEST]);
}

/* True if value i of the aggregate is a double in groups of this key. */
bool xtf_group_totals_value_is_real(const XtfGroupTotals *totals, const uint64_t *key, unsigned i);

/* Returns a copy of the totals by the first `depth` keys. */
XtfGroupTotals *xtf_group_totals_coarse_copy(const XtfGroupTotals *totals, unsigned depth);
/* Returns a copy by fewer keys: drops keys until at most `most` groups remain. */
XtfGroupTotals *xtf_group_totals_coarsen(const XtfGroupTotals *totals, uint64_t most);

/* Adds `more` to *totals. *totals drops the keys that `more` lacks, and keys that make more than `most` groups. */
void xtf_group_totals_add_bounded(XtfGroupTotals **totals, const XtfGroupTotals *more, uint64_t most);

/* Frees *totals, and sets it to `replacement`. */
static inline void xtf_group_totals_replace(XtfGroupTotals **totals, XtfGroupTotals *replacement)
{
    xtf_group_totals_free(*totals);
    *totals = replacement;
}
