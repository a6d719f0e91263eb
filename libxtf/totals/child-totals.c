#include "libxtf/totals/child-totals.h"

#include "libxtf/error.h"
#include "libxtf/totals/group-totals-private.h"

enum { FEW_GROUPS = 16 }; /* a child with at most this many groups needs no coarse totals */

bool xtf_child_totals_are_of(const XtfChildTotals *children, const XtfArray *array, unsigned index, unsigned level,
                             uint64_t first_n, uint32_t n)
{
    return children->schema == array->schema && children->index == index && children->level == level &&
           children->array == array->id && children->segment == array->segment && children->first_n == first_n &&
           children->n == n;
}

void xtf_child_totals_stack(const XtfChildTotals *children, uint32_t i, uint64_t n, XtfFrameStack *stack)
{
    const XtfChildStack *at = &children->stacks[i];

    g_array_set_size(stack->frames, 0);
    g_array_append_vals(stack->frames, children->frames + at->start, at[1].start - at->start);
    stack->n_outer = at->n_outer;
    stack->inner_row = at->inner_row;
    stack->least = UINT64_MAX;
    stack->time = at->time;
    stack->n = n;
}

/* An XtfTotalsTier while it grows. */
typedef struct {
    GArray *starts, *groups; /* uint32_t */
    GArray *cells;           /* uint64_t */
} GrowingTier;

struct XtfChildTotalsBuilder {
    XtfChildTotals head; /* without its tiers */
    GArray *keys;        /* uint64_t: the keys of each group, as in XtfChildTotals */
    XtfKeyTable table;
    GrowingTier exact, coarse, blocks, quarters;
    GArray *stacks, *frames;
};

static void init_tier(GrowingTier *tier)
{
    tier->starts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tier->groups = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tier->cells = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

static void clear_tier(GrowingTier *tier)
{
    g_array_unref(tier->starts);
    g_array_unref(tier->groups);
    g_array_unref(tier->cells);
}

static void begin_item(GrowingTier *tier)
{
    g_array_append_val(tier->starts, tier->groups->len);
}

static void add_entry(GrowingTier *tier, uint32_t group, const uint64_t *cells, unsigned n_cells)
{
    g_array_append_val(tier->groups, group);
    g_array_append_vals(tier->cells, cells, n_cells);
}

XtfChildTotalsBuilder *xtf_child_totals_builder_new(const XtfArray *array, unsigned index, unsigned level,
                                                    uint64_t first_n)
{
    XtfChildTotalsBuilder *builder = g_new0(XtfChildTotalsBuilder, 1);
    const XtfAggregate *aggregate = &array->schema->aggregates[index];

    builder->head = (XtfChildTotals){
        .schema = array->schema,
        .first_n = first_n,
        .array = array->id,
        .segment = array->segment,
        .index = (uint8_t)index,
        .level = (uint8_t)level,
        .n_keys = aggregate->n_keys,
        .n_cells = (uint8_t)xtf_aggregate_n_cells(aggregate),
    };
    builder->keys = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    init_tier(&builder->exact);
    init_tier(&builder->coarse);
    init_tier(&builder->blocks);
    init_tier(&builder->quarters);
    builder->stacks = g_array_new(FALSE, FALSE, sizeof(XtfChildStack));
    builder->frames = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame));
    return builder;
}

void xtf_child_totals_builder_free(XtfChildTotalsBuilder *builder)
{
    if (!builder)
        return;
    g_array_unref(builder->keys);
    xtf_key_table_finish(&builder->table);
    clear_tier(&builder->exact);
    clear_tier(&builder->coarse);
    clear_tier(&builder->blocks);
    clear_tier(&builder->quarters);
    g_array_unref(builder->stacks);
    g_array_unref(builder->frames);
    g_free(builder);
}

void xtf_child_totals_builder_next(XtfChildTotalsBuilder *builder)
{
    begin_item(&builder->exact);
    builder->head.n++;
}

static XtfKeys table_keys(const XtfChildTotalsBuilder *builder)
{
    unsigned words = builder->head.n_keys + 1u;

    return (XtfKeys){.words = (const uint64_t *)(void *)builder->keys->data, .length = words, .stride = words};
}

static const uint64_t *group_key(const XtfChildTotalsBuilder *builder, uint32_t group)
{
    return table_keys(builder).words + (size_t)group * (builder->head.n_keys + 1u);
}

static unsigned group_depth(const XtfChildTotalsBuilder *builder, uint32_t group)
{
    return (unsigned)group_key(builder, group)[builder->head.n_keys];
}

/* Returns the number of a group, adding it if it is new. */
static uint32_t find_or_add_group(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth)
{
    unsigned n_keys = builder->head.n_keys;
    uint64_t words[XTF_AGGREGATE_KEYS_MAX + 1];

    for (unsigned i = 0; i < n_keys; i++)
        words[i] = key[i];
    words[n_keys] = depth;
    xtf_key_table_reserve(&builder->table, table_keys(builder), builder->head.n_groups);
    uint32_t *slot = xtf_key_table_slot(&builder->table, table_keys(builder), words);
    if (*slot == 0) {
        g_array_append_vals(builder->keys, words, n_keys + 1);
        *slot = ++builder->head.n_groups;
    }
    return *slot - 1;
}

void xtf_child_totals_builder_add(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth,
                                  const uint64_t *cells)
{
    builder->head.some_coarse |= depth < builder->head.n_keys;
    add_entry(&builder->exact, find_or_add_group(builder, key, depth), cells, builder->head.n_cells);
}

void xtf_child_totals_builder_stack(XtfChildTotalsBuilder *builder, const XtfFrameStack *stack)
{
    uint32_t n = stack->frames->len, kept = MIN(n, (uint32_t)XTF_SNAPSHOT_FRAMES);
    XtfChildStack at = {.time = stack->time,
                        .n_outer = stack->n_outer + n - kept,
                        .inner_row = kept < n ? xtf_frame_stack_at(stack, n - kept)->row : stack->inner_row,
                        .least = UINT64_MAX,
                        .start = builder->frames->len};

    g_array_append_vals(builder->frames, &g_array_index(stack->frames, XtfOpenFrame, n - kept), kept);
    g_array_append_val(builder->stacks, at);
}

void xtf_child_totals_builder_least(XtfChildTotalsBuilder *builder, uint64_t least)
{
    g_array_index(builder->stacks, XtfChildStack, builder->stacks->len - 1).least = least;
}

void xtf_child_totals_builder_nests(XtfChildTotalsBuilder *builder)
{
    builder->head.nests = true;
}

/* Entries [from, to) of the exact tier. */
typedef struct {
    uint32_t from, to;
} Entries;

/* Clears totals and adds entries by the totals' keys. Returns false if there are more than `most` groups. */
static bool sum_entries(const XtfChildTotalsBuilder *builder, Entries entries, uint32_t most, XtfGroupTotals *totals)
{
    const uint32_t *groups = (const uint32_t *)(void *)builder->exact.groups->data;
    const uint64_t *cells = (const uint64_t *)(void *)builder->exact.cells->data;
    bool drops_before = totals->aggregate->kind == XTF_AGGREGATE_FRAMES && totals->depth == 0;

    xtf_group_totals_clear(totals);
    for (uint32_t entry = entries.from; entry < entries.to; entry++) {
        const uint64_t *key = group_key(builder, groups[entry]);
        if (drops_before && group_depth(builder, groups[entry]) > 0 && key[0] == XTF_FRAMES_BEFORE)
            continue;
        xtf_group_totals_add(totals, key, cells + (size_t)entry * builder->head.n_cells);
        if (totals->n > most)
            return false;
    }
    return true;
}

/* Appends the sum of some entries to a tier. The sum keeps all keys that the entries have in common, if that makes far
 * fewer groups than entries. Otherwise, as for messages with different tags, it would save nothing, so it keeps fewer
 * keys. */
static void add_item(XtfChildTotalsBuilder *builder, Entries entries, XtfGroupTotals **totals, GrowingTier *to)
{
    const uint32_t *groups = (const uint32_t *)(void *)builder->exact.groups->data;
    unsigned n_keys = builder->head.n_keys, depth = n_keys;
    uint32_t most = n_keys > 1 ? MAX((entries.to - entries.from) / 4, (uint32_t)FEW_GROUPS) : UINT32_MAX;
    uint64_t key[XTF_AGGREGATE_KEYS_MAX] = {0};

    for (uint32_t entry = entries.from; entry < entries.to; entry++)
        depth = MIN(depth, group_depth(builder, groups[entry]));
    for (;; depth--) {
        if (!totals[depth])
            totals[depth] = xtf_group_totals_new(&builder->head.schema->aggregates[builder->head.index], depth);
        if (sum_entries(builder, entries, most, totals[depth]))
            break;
    }
    builder->head.some_coarse |= depth < n_keys && to != &builder->coarse;
    begin_item(to);
    for (uint32_t i = 0; i < xtf_group_totals_n(totals[depth]); i++) {
        memcpy(key, xtf_group_totals_key(totals[depth], i), depth * sizeof *key);
        add_entry(to, find_or_add_group(builder, key, depth), xtf_group_totals_cells(totals[depth], i),
                  builder->head.n_cells);
    }
}

/* Appends the sum of every `step` children to a tier. */
static void add_tier(XtfChildTotalsBuilder *builder, uint32_t step, XtfGroupTotals **totals, GrowingTier *to)
{
    for (uint32_t from = 0; from + step <= builder->head.n; from += step) {
        const Entries entries = {
            .from = g_array_index(builder->exact.starts, uint32_t, from),
            .to = g_array_index(builder->exact.starts, uint32_t, from + step),
        };
        add_item(builder, entries, totals, to);
    }
    begin_item(to);
}

static bool has_many_groups(const XtfChildTotalsBuilder *builder)
{
    for (uint32_t i = 0; i < builder->head.n; i++)
        if (g_array_index(builder->exact.starts, uint32_t, i + 1) - g_array_index(builder->exact.starts, uint32_t, i) >
            FEW_GROUPS)
            return true;
    return false;
}

static void add_joint_tiers(XtfChildTotalsBuilder *builder)
{
    XtfGroupTotals *totals[XTF_AGGREGATE_KEYS_MAX + 1] = {NULL}; /* by depth, reused */

    if (builder->head.n_keys > 1 && has_many_groups(builder))
        add_tier(builder, 1, totals, &builder->coarse);
    add_tier(builder, XTF_TOTALS_BLOCK, totals, &builder->blocks);
    if (builder->head.level > 0)
        add_tier(builder, XTF_TOTALS_QUARTER, totals, &builder->quarters);
    for (unsigned depth = 0; depth <= XTF_AGGREGATE_KEYS_MAX; depth++)
        xtf_group_totals_free(totals[depth]);
}

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

static XtfTotalsTier append_tier(uint8_t *base, uint64_t *used, const GrowingTier *tier)
{
    return (XtfTotalsTier){
        .cells = append_array(base, used, tier->cells),
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
    head.exact = append_tier(base, &used, &builder->exact);
    if (builder->coarse.starts->len > 0)
        head.coarse = append_tier(base, &used, &builder->coarse);
    head.blocks = append_tier(base, &used, &builder->blocks);
    if (builder->quarters.starts->len > 0)
        head.quarters = append_tier(base, &used, &builder->quarters);
    if (builder->stacks->len > 0) {
        head.stacks = append_array(base, &used, builder->stacks);
        head.frames = append_array(base, &used, builder->frames);
    }
    if (children)
        *children = head;
    return used;
}

XtfChildTotals *xtf_child_totals_builder_finish(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error)
{
    begin_item(&builder->exact);
    if (builder->stacks->len > 0) {
        XtfChildStack end = {.start = builder->frames->len};
        g_array_append_val(builder->stacks, end);
    }
    add_joint_tiers(builder);
    uint64_t bytes = append_all(builder, NULL);
    if (bytes > UINT32_MAX) {
        xtf_fail(error, XTF_ERROR_TOO_LARGE,
                 "array %u: the totals of a page take %" PRIu64 " bytes, and a reader holds at most %" PRIu32,
                 builder->head.array, bytes, UINT32_MAX);
        return NULL;
    }
    XtfChildTotals *children = g_malloc(bytes);
    append_all(builder, children);
    *length = (uint32_t)bytes;
    return children;
}
