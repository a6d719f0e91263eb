/*
 * The memory of finished totals of children: one allocation, in which cells are as narrow as their values permit.
 */
#include "libxtf/base/block-memory.h"
#include "libxtf/error.h"
#include "libxtf/totals/child-totals-private.h"

/* Copies an array to byte *used of the allocation, and adds its bytes to *used. Without an allocation (NULL) only
 * counts. */
static const void *append_array(uint8_t *base, uint64_t *used, GArray *array)
{
    uint64_t bytes = (uint64_t)array->len * g_array_get_element_size(array);
    uint8_t *at = base ? base + *used : NULL;

    if (at && bytes > 0)
        memcpy(at, array->data, bytes);
    *used += (bytes + 7) / 8 * 8;
    return at;
}

/* Adds the bits that cells use. With a constant number of cells the compiler keeps the bits in registers. */
__attribute__((always_inline)) static inline void add_bits(const uint64_t *cell, uint32_t n, unsigned n_cells,
                                                           uint64_t *bits)
{
    uint64_t used[XTF_AGGREGATE_CELLS_MAX] = {0};

    for (uint32_t entry = 0; entry < n; entry++, cell += n_cells)
        for (unsigned i = 0; i < n_cells; i++)
            used[i] |= cell[i];
    for (unsigned i = 0; i < n_cells; i++)
        bits[i] |= used[i];
}

/* Adds the bits that the cells of a tier use. */
static void find_used_bits(const XtfGrowingTier *tier, unsigned n_cells, uint64_t *bits)
{
    const uint64_t *cell = (const uint64_t *)(void *)tier->cells->data;

    if (n_cells == XTF_FRAMES_CELLS)
        add_bits(cell, tier->groups->len, XTF_FRAMES_CELLS, bits);
    else
        add_bits(cell, tier->groups->len, n_cells, bits);
}

/* Chooses the bytes of each cell. */
static void choose_widths(XtfChildTotalsBuilder *builder)
{
    XtfChildTotals *head = &builder->head;
    uint64_t bits[XTF_AGGREGATE_CELLS_MAX] = {0};

    find_used_bits(&builder->exact, head->n_cells, bits);
    find_used_bits(&builder->coarse, head->n_cells, bits);
    find_used_bits(&builder->blocks, head->n_cells, bits);
    find_used_bits(&builder->quarters, head->n_cells, bits);
    for (unsigned i = 0; i < head->n_cells; i++) {
        unsigned bytes = bits[i] == 0 ? 0 : (unsigned)(71 - __builtin_clzll(bits[i])) / 8;
        head->cells[i].mask = bytes == 0 ? 0 : UINT64_MAX >> (64 - 8 * bytes);
        head->cells[i].at = head->entry_bytes;
        head->entry_bytes += (uint8_t)bytes;
    }
}

/* Copies the cells of n entries, narrowed. With a constant number of cells the compiler unrolls the inner loop. */
__attribute__((always_inline)) static inline void copy_cells(const XtfChildTotals *head, const uint64_t *cell,
                                                             uint32_t n, unsigned n_cells, uint8_t *to)
{
    const unsigned entry_bytes = head->entry_bytes;
    unsigned at[XTF_AGGREGATE_CELLS_MAX];

    for (unsigned i = 0; i < n_cells; i++)
        at[i] = head->cells[i].at;
    for (uint32_t entry = 0; entry < n; entry++, to += entry_bytes, cell += n_cells)
        for (unsigned i = 0; i < n_cells; i++) /* the next cell overwrites the upper bytes, which are 0 */
            xtf_store64(to + at[i], cell[i]);
}

/* Copies the cells of a tier, narrowed, as append_array() copies an array. */
static const uint8_t *append_cells(const XtfChildTotals *head, uint8_t *base, uint64_t *used,
                                   const XtfGrowingTier *tier)
{
    const uint64_t *cell = (const uint64_t *)(void *)tier->cells->data;
    uint8_t *at = base ? base + *used : NULL;

    if (at && head->n_cells == XTF_FRAMES_CELLS)
        copy_cells(head, cell, tier->groups->len, XTF_FRAMES_CELLS, at);
    else if (at)
        copy_cells(head, cell, tier->groups->len, head->n_cells, at);
    *used += ((uint64_t)tier->groups->len * head->entry_bytes + sizeof *cell + 7) / 8 * 8;
    return at;
}

static XtfTotalsTier append_tier(const XtfChildTotals *head, uint8_t *base, uint64_t *used, const XtfGrowingTier *tier)
{
    return (XtfTotalsTier){
        .cells = append_cells(head, base, used, tier),
        .starts = append_array(base, used, tier->starts),
        .groups = append_array(base, used, tier->groups),
    };
}

/* Copies everything behind the head. With no allocation (NULL) only counts; returns the number of bytes. */
static uint64_t append_all(const XtfChildTotalsBuilder *builder, XtfChildTotals *children)
{
    uint8_t *base = (uint8_t *)children;
    uint64_t used = sizeof(XtfChildTotals);
    XtfChildTotals head = builder->head;

    head.keys = append_array(base, &used, builder->keys);
    head.exact = append_tier(&head, base, &used, &builder->exact);
    if (builder->coarse.starts->len > 0)
        head.coarse = append_tier(&head, base, &used, &builder->coarse);
    head.blocks = append_tier(&head, base, &used, &builder->blocks);
    if (builder->quarters.starts->len > 0)
        head.quarters = append_tier(&head, base, &used, &builder->quarters);
    if (builder->stacks->len > 0) {
        head.stacks = append_array(base, &used, builder->stacks);
        head.frames = append_array(base, &used, builder->frames);
    }
    if (children)
        *children = head;
    return used;
}

XtfChildTotals *xtf_child_totals_lay_out(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error)
{
    choose_widths(builder);
    uint64_t bytes = append_all(builder, NULL);
    if (bytes > UINT32_MAX) {
        xtf_fail(error, XTF_ERROR_TOO_LARGE,
                 "array %u: the totals of a page take %" PRIu64 " bytes, and a reader holds at most %" PRIu32,
                 builder->head.array, bytes, UINT32_MAX);
        return NULL;
    }
    XtfChildTotals *children = (XtfChildTotals *)(void *)xtf_block_memory_new(bytes);
    append_all(builder, children);
    *length = (uint32_t)bytes;
    return children;
}
