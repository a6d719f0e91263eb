/*
 * The memory of finished totals of children: one allocation, in which numbers are as narrow as their values permit.
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

enum { ITEM_NUMBERS_MAX = MAX((unsigned)XTF_STACK_COLUMNS, (unsigned)XTF_FRAME_COLUMNS) };

/* The columns of narrow rows, and the bytes of a row. */
typedef struct {
    XtfNarrowColumn columns[1 + XTF_AGGREGATE_CELLS_MAX];
    unsigned n;
    uint32_t stride;
} NarrowShape;

/* Adds a column whose numbers have no other bits than `bits`. */
static void add_column(NarrowShape *shape, uint64_t bits)
{
    unsigned bytes = bits == 0 ? 0 : (unsigned)(71 - __builtin_clzll(bits)) / 8;

    shape->columns[shape->n++] =
        (XtfNarrowColumn){.mask = bytes == 0 ? 0 : UINT64_MAX >> (64 - 8 * bytes), .at = (uint8_t)shape->stride};
    shape->stride += bytes;
}

/* Returns the bits that any of n numbers uses. */
static uint64_t find_used_bits(const uint64_t *numbers, uint32_t n)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < n; i++)
        bits |= numbers[i];
    return bits;
}

/* Returns the shape of the entries of a tier. */
static NarrowShape shape_of_tier(const XtfChildTotals *head, const XtfGrowingTier *tier)
{
    NarrowShape shape = {0};

    add_column(&shape, MAX(head->n_groups, 1) - 1);
    for (unsigned i = 0; i < head->n_cells; i++)
        add_column(&shape, find_used_bits(xtf_growing_tier_column(tier, i), tier->n));
    return shape;
}

/* Sets `numbers` to the numbers of an item of an array, in the order of their columns. */
typedef void (*ReadNumbers)(const GArray *items, guint i, uint64_t *numbers);

static void read_stack_numbers(const GArray *stacks, guint i, uint64_t *numbers)
{
    const XtfChildStack *stack = &g_array_index(stacks, XtfChildStack, i);

    numbers[XTF_STACK_TIME] = stack->time;
    numbers[XTF_STACK_INNER_ROW] = stack->inner_row;
    numbers[XTF_STACK_N_OUTER] = stack->n_outer;
    numbers[XTF_STACK_LEAST] = stack->least;
    numbers[XTF_STACK_START] = stack->start;
}

static void read_frame_numbers(const GArray *frames, guint i, uint64_t *numbers)
{
    const XtfOpenFrame *frame = &g_array_index(frames, XtfOpenFrame, i);

    numbers[XTF_FRAME_KEY] = frame->key;
    numbers[XTF_FRAME_ROW] = frame->row;
    numbers[XTF_FRAME_TIME] = frame->time;
    numbers[XTF_FRAME_OUTERMOST] = frame->outermost;
}

/* Returns the shape of the items of an array, of n numbers each. */
static NarrowShape shape_of_items(const GArray *items, ReadNumbers read, unsigned n)
{
    uint64_t bits[ITEM_NUMBERS_MAX] = {0}, numbers[ITEM_NUMBERS_MAX];
    NarrowShape shape = {0};

    for (guint i = 0; i < items->len; i++) {
        read(items, i, numbers);
        for (unsigned column = 0; column < n; column++)
            bits[column] |= numbers[column];
    }
    for (unsigned column = 0; column < n; column++)
        add_column(&shape, bits[column]);
    return shape;
}

/* The shapes of all rows of totals. */
typedef struct {
    NarrowShape exact, coarse, blocks, halves, stacks, frames;
} Shapes;

/* Copies the columns of narrow rows, then leaves space for n rows. Returns the rows; their bytes are for the caller to
 * set, and NULL if there is no allocation. */
static XtfNarrowRows append_rows(uint8_t *base, uint64_t *used, const NarrowShape *shape, uint32_t n)
{
    const size_t bytes = shape->n * sizeof *shape->columns;
    XtfNarrowRows rows = {.stride = shape->stride};

    if (base) {
        rows.columns = memcpy(base + *used, shape->columns, bytes);
        rows.bytes = base + *used + bytes;
    }
    *used += bytes + ((uint64_t)n * shape->stride + sizeof(uint64_t) + 7) / 8 * 8;
    return rows;
}

/* Sets the numbers of a row, from the first one on. Each number overwrites the upper bytes, which are 0, of the number
 * before. */
static void set_numbers(uint8_t *to, const XtfNarrowColumn *columns, const uint64_t *numbers, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        xtf_store64(to + columns[i].at, numbers[i]);
}

/* Sets the narrow rows of a tier, as set_numbers() sets one. With a constant number of cells the compiler unrolls the
 * inner loop. */
__attribute__((always_inline)) static inline void set_entries(const XtfGrowingTier *tier, unsigned n_cells,
                                                              const NarrowShape *shape, uint8_t *to)
{
    const NarrowShape narrow = *shape; /* stays in registers while bytes are written */
    const uint32_t *groups = (const uint32_t *)(void *)tier->groups->data, n = tier->n;
    const uint64_t *columns[XTF_AGGREGATE_CELLS_MAX];

    for (unsigned i = 0; i < n_cells; i++)
        columns[i] = xtf_growing_tier_column(tier, i);
    for (uint32_t entry = 0; entry < n; entry++, to += narrow.stride) {
        xtf_store64(to, groups[entry]);
        for (unsigned i = 0; i < n_cells; i++)
            xtf_store64(to + narrow.columns[1 + i].at, columns[i][entry]);
    }
}

static XtfTotalsTier append_tier(const XtfChildTotals *head, uint8_t *base, uint64_t *used, const XtfGrowingTier *tier,
                                 const NarrowShape *shape)
{
    XtfTotalsTier appended = {.starts = append_array(base, used, tier->starts),
                              .entries = append_rows(base, used, shape, tier->n)};

    if (base && head->n_cells == XTF_FRAMES_CELLS)
        set_entries(tier, XTF_FRAMES_CELLS, shape, (uint8_t *)appended.entries.bytes);
    else if (base)
        set_entries(tier, head->n_cells, shape, (uint8_t *)appended.entries.bytes);
    return appended;
}

/* Copies the items of an array, narrowed, as append_tier() copies a tier. */
static XtfNarrowRows append_items(uint8_t *base, uint64_t *used, const GArray *items, ReadNumbers read,
                                  const NarrowShape *shape)
{
    XtfNarrowRows rows = append_rows(base, used, shape, items->len);
    uint8_t *to = (uint8_t *)rows.bytes;
    uint64_t numbers[ITEM_NUMBERS_MAX];

    for (guint i = 0; base && i < items->len; i++, to += shape->stride) {
        read(items, i, numbers);
        set_numbers(to, shape->columns, numbers, shape->n);
    }
    return rows;
}

static Shapes choose_shapes(const XtfChildTotalsBuilder *builder)
{
    const XtfChildTotals *head = &builder->head;

    return (Shapes){.exact = shape_of_tier(head, &builder->exact),
                    .coarse = shape_of_tier(head, &builder->coarse),
                    .blocks = shape_of_tier(head, &builder->blocks),
                    .halves = shape_of_tier(head, &builder->halves),
                    .stacks = shape_of_items(builder->stacks, read_stack_numbers, XTF_STACK_COLUMNS),
                    .frames = shape_of_items(builder->frames, read_frame_numbers, XTF_FRAME_COLUMNS)};
}

/* Copies everything behind the head. With no allocation (NULL) only counts; returns the number of bytes. */
static uint64_t append_all(const XtfChildTotalsBuilder *builder, const Shapes *shapes, XtfChildTotals *children)
{
    uint8_t *base = (uint8_t *)children;
    uint64_t used = sizeof(XtfChildTotals);
    XtfChildTotals head = builder->head;

    head.keys = append_array(base, &used, builder->keys);
    head.exact = append_tier(&head, base, &used, &builder->exact, &shapes->exact);
    if (builder->coarse.starts->len > 0)
        head.coarse = append_tier(&head, base, &used, &builder->coarse, &shapes->coarse);
    head.blocks = append_tier(&head, base, &used, &builder->blocks, &shapes->blocks);
    if (builder->halves.starts->len > 0)
        head.halves = append_tier(&head, base, &used, &builder->halves, &shapes->halves);
    if (builder->stacks->len > 0) {
        head.stacks = append_items(base, &used, builder->stacks, read_stack_numbers, &shapes->stacks);
        head.frames = append_items(base, &used, builder->frames, read_frame_numbers, &shapes->frames);
    }
    if (children)
        *children = head;
    return used;
}

XtfChildTotals *xtf_child_totals_lay_out(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error)
{
    const Shapes shapes = choose_shapes(builder);
    uint64_t bytes = append_all(builder, &shapes, NULL);
    if (bytes > UINT32_MAX) {
        xtf_fail(error, XTF_ERROR_TOO_LARGE,
                 "array %u: the totals of a page take %" PRIu64 " bytes, and a reader holds at most %" PRIu32,
                 builder->head.array, bytes, UINT32_MAX);
        return NULL;
    }
    XtfChildTotals *children = (XtfChildTotals *)(void *)xtf_block_memory_new(bytes);
    append_all(builder, &shapes, children);
    *length = (uint32_t)bytes;
    return children;
}
