#include "libxtf/totals/growing-tier.h"

void xtf_growing_tier_init(XtfGrowingTier *tier)
{
    tier->starts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tier->groups = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void xtf_growing_tier_clear(XtfGrowingTier *tier)
{
    tier->n = tier->room = 0;
    g_array_set_size(tier->starts, 0);
    g_array_set_size(tier->groups, 0);
}

void xtf_growing_tier_finish(XtfGrowingTier *tier)
{
    g_array_unref(tier->starts);
    g_array_unref(tier->groups);
    g_free(tier->cells);
}

void xtf_growing_tier_begin_item(XtfGrowingTier *tier)
{
    g_array_append_val(tier->starts, tier->n);
}

void xtf_growing_tier_set_room(XtfGrowingTier *tier, uint32_t room, unsigned n_cells)
{
    const size_t n_words = (size_t)room * n_cells;

    if (tier->n_words < n_words) {
        tier->cells = g_renew(uint64_t, tier->cells, n_words);
        tier->n_words = n_words;
    }
    for (unsigned i = n_cells; tier->n > 0 && i-- > 1;)
        memmove(tier->cells + (size_t)i * room, xtf_growing_tier_column(tier, i), tier->n * sizeof *tier->cells);
    g_array_set_size(tier->groups, room);
    tier->room = room;
}

/* Makes space for n more entries of the tier. */
static inline void reserve_entries(XtfGrowingTier *tier, uint32_t n, unsigned n_cells)
{
    if (tier->room - tier->n < n)
        xtf_growing_tier_set_room(tier, MAX(2 * tier->room, MAX(tier->n + n, 256)), n_cells);
}

void xtf_growing_tier_add(XtfGrowingTier *tier, uint32_t group, const uint64_t *cells, unsigned n_cells)
{
    reserve_entries(tier, 1, n_cells);
    g_array_index(tier->groups, uint32_t, tier->n) = group;
    for (unsigned i = 0; i < n_cells; i++)
        xtf_growing_tier_column(tier, i)[tier->n] = cells[i];
    tier->n++;
}

void xtf_growing_tier_copy_cells(const XtfGrowingTier *tier, uint32_t entry, unsigned n_cells, uint64_t *cells)
{
    for (unsigned i = 0; i < n_cells; i++)
        cells[i] = xtf_growing_tier_column(tier, i)[entry];
}

/* Sets n sums, each of the numbers at one place of `step` items, of n numbers each. With a constant step the compiler
 * keeps several sums in vectors, and stores each once. */
__attribute__((always_inline)) static inline void sum_items(const uint64_t *restrict numbers, uint32_t n, uint32_t step,
                                                            uint64_t *restrict sums)
{
    for (uint32_t j = 0; j < n; j++) {
        uint64_t sum = numbers[j];
        for (uint32_t i = 1; i < step; i++)
            sum += numbers[(size_t)i * n + j];
        sums[j] = sum;
    }
}

static void sum_column(const uint64_t *restrict numbers, uint32_t n, uint32_t step, uint64_t *restrict sums)
{
    if (step == 8)
        sum_items(numbers, n, 8, sums);
    else if (step == 2)
        sum_items(numbers, n, 2, sums);
    else
        sum_items(numbers, n, step, sums);
}

/* Sets n maxima as sum_items() sets sums. */
__attribute__((always_inline)) static inline void find_maxima(const uint64_t *restrict numbers, uint32_t n,
                                                              uint32_t step, uint64_t *restrict maxima)
{
    for (uint32_t j = 0; j < n; j++) {
        uint64_t maximum = numbers[j];
        for (uint32_t i = 1; i < step; i++)
            maximum = MAX(maximum, numbers[(size_t)i * n + j]);
        maxima[j] = maximum;
    }
}

static void find_column_maxima(const uint64_t *restrict numbers, uint32_t n, uint32_t step, uint64_t *restrict maxima)
{
    if (step == 8)
        find_maxima(numbers, n, 8, maxima);
    else
        find_maxima(numbers, n, step, maxima);
}

void xtf_growing_tier_add_sums(XtfGrowingTier *to, const XtfGrowingTier *from, uint32_t first, uint32_t n,
                               uint32_t step)
{
    reserve_entries(to, n, XTF_FRAMES_CELLS);
    memcpy(&g_array_index(to->groups, uint32_t, to->n), &g_array_index(from->groups, uint32_t, first),
           n * sizeof(uint32_t));
    for (unsigned i = 0; i < XTF_FRAMES_LONGEST; i++)
        sum_column(xtf_growing_tier_column(from, i) + first, n, step, xtf_growing_tier_column(to, i) + to->n);
    find_column_maxima(xtf_growing_tier_column(from, XTF_FRAMES_LONGEST) + first, n, step,
                       xtf_growing_tier_column(to, XTF_FRAMES_LONGEST) + to->n);
    to->n += n;
}

void xtf_growing_tier_add_to_entry(const XtfGrowingTier *to, uint32_t entry, const XtfGrowingTier *from, uint32_t added)
{
    uint64_t *longest = xtf_growing_tier_column(to, XTF_FRAMES_LONGEST) + entry;

    for (unsigned i = 0; i < XTF_FRAMES_LONGEST; i++)
        xtf_growing_tier_column(to, i)[entry] += xtf_growing_tier_column(from, i)[added];
    *longest = MAX(*longest, xtf_growing_tier_column(from, XTF_FRAMES_LONGEST)[added]);
}
