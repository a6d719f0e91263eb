#include "libxtf/totals/child-totals.h"

#include "libxtf/error.h"
#include "libxtf/totals/group-totals-private.h"

enum { FEW_GROUPS = 16 }; /* a child of so few groups needs no coarse totals */

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

/* A tier while it grows. */
typedef struct {
    GArray *starts, *groups; /* of uint32_t */
    GArray *cells;           /* of uint64_t */
} GrowingTier;

struct XtfChildTotalsBuilder {
    XtfChildTotals head; /* its tiers are empty */
    GArray *keys;        /* of uint64_t: of each group, as XtfChildTotals has them */
    XtfKeyTable table;
    GrowingTier exact, coarse, blocks, quarters;
    GArray *stacks, *frames;
};

static void growing_init(GrowingTier *tier)
{
    tier->starts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tier->groups = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    tier->cells = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

static void growing_clear(GrowingTier *tier)
{
    g_array_unref(tier->starts);
    g_array_unref(tier->groups);
    g_array_unref(tier->cells);
}

static void growing_begin(GrowingTier *tier)
{
    g_array_append_val(tier->starts, tier->groups->len);
}

static void growing_add(GrowingTier *tier, uint32_t group, const uint64_t *cells, unsigned n_cells)
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
    growing_init(&builder->exact);
    growing_init(&builder->coarse);
    growing_init(&builder->blocks);
    growing_init(&builder->quarters);
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
    growing_clear(&builder->exact);
    growing_clear(&builder->coarse);
    growing_clear(&builder->blocks);
    growing_clear(&builder->quarters);
    g_array_unref(builder->stacks);
    g_array_unref(builder->frames);
    g_free(builder);
}

void xtf_child_totals_builder_next(XtfChildTotalsBuilder *builder)
{
    growing_begin(&builder->exact);
    builder->head.n++;
}

static XtfKeys keys_of(const XtfChildTotalsBuilder *builder)
{
    unsigned words = builder->head.n_keys + 1u;

    return (XtfKeys){.words = (const uint64_t *)(void *)builder->keys->data, .length = words, .stride = words};
}

static const uint64_t *key_of(const XtfChildTotalsBuilder *builder, uint32_t group)
{
    return keys_of(builder).words + (size_t)group * (builder->head.n_keys + 1u);
}

static unsigned depth_of(const XtfChildTotalsBuilder *builder, uint32_t group)
{
    return (unsigned)key_of(builder, group)[builder->head.n_keys];
}

/* The number of a group, which is made if there is none. */
static uint32_t group_of(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth)
{
    unsigned n_keys = builder->head.n_keys;
    uint64_t words[XTF_AGGREGATE_KEYS_MAX + 1];

    for (unsigned i = 0; i < n_keys; i++)
        words[i] = key[i];
    words[n_keys] = depth;
    xtf_key_table_reserve(&builder->table, keys_of(builder), builder->head.n_groups);
    uint32_t *slot = xtf_key_table_slot(&builder->table, keys_of(builder), words);
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
    growing_add(&builder->exact, group_of(builder, key, depth), cells, builder->head.n_cells);
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

/* Entries [from, to) of the exact tier. */
typedef struct {
    uint32_t from, to;
} Entries;

/* Adds entries to empty totals, by the keys of these; false if that makes more than `most` groups. */
static bool add_up(const XtfChildTotalsBuilder *builder, Entries entries, uint32_t most, XtfGroupTotals *totals)
{
    const uint32_t *groups = (const uint32_t *)(void *)builder->exact.groups->data;
    const uint64_t *cells = (const uint64_t *)(void *)builder->exact.cells->data;
    bool drops_before = totals->aggregate->kind == XTF_AGGREGATE_FRAMES && totals->depth == 0;

    xtf_group_totals_clear(totals);
    for (uint32_t entry = entries.from; entry < entries.to; entry++) {
        const uint64_t *key = key_of(builder, groups[entry]);
        if (drops_before && depth_of(builder, groups[entry]) > 0 && key[0] == XTF_FRAMES_BEFORE)
            continue;
        xtf_group_totals_add(totals, key, cells + (size_t)entry * builder->head.n_cells);
        if (totals->n > most)
            return false;
    }
    return true;
}

/* Appends an item: the totals of entries. It has the keys that all entries have if it has far fewer groups than there
 * are entries. Otherwise, as for messages with different tags, it would be no shorter than the entries, and so useless:
 * it has fewer keys. */
static void add_item(XtfChildTotalsBuilder *builder, Entries entries, XtfGroupTotals **totals, GrowingTier *to)
{
    const uint32_t *groups = (const uint32_t *)(void *)builder->exact.groups->data;
    unsigned n_keys = builder->head.n_keys, depth = n_keys;
    uint32_t most = n_keys > 1 ? MAX((entries.to - entries.from) / 4, (uint32_t)FEW_GROUPS) : UINT32_MAX;
    uint64_t key[XTF_AGGREGATE_KEYS_MAX] = {0};

    for (uint32_t entry = entries.from; entry < entries.to; entry++)
        depth = MIN(depth, depth_of(builder, groups[entry]));
    for (;; depth--) {
        if (!totals[depth])
            totals[depth] = xtf_group_totals_new(&builder->head.schema->aggregates[builder->head.index], depth);
        if (add_up(builder, entries, most, totals[depth]))
            break;
    }
    builder->head.some_coarse |= depth < n_keys && to != &builder->coarse;
    growing_begin(to);
    for (uint32_t i = 0; i < xtf_group_totals_n(totals[depth]); i++) {
        memcpy(key, xtf_group_totals_key(totals[depth], i), depth * sizeof *key);
        growing_add(to, group_of(builder, key, depth), xtf_group_totals_cells(totals[depth], i), builder->head.n_cells);
    }
}

/* Appends an item for every `step` children. */
static void add_tier(XtfChildTotalsBuilder *builder, uint32_t step, XtfGroupTotals **totals, GrowingTier *to)
{
    for (uint32_t from = 0; from + step <= builder->head.n; from += step) {
        const Entries entries = {
            .from = g_array_index(builder->exact.starts, uint32_t, from),
            .to = g_array_index(builder->exact.starts, uint32_t, from + step),
        };
        add_item(builder, entries, totals, to);
    }
    growing_begin(to);
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

/* Copies an array to the end of the allocation. With no allocation (NULL) only counts its bytes. */
static const void *put_array(uint8_t *base, uint64_t *used, GArray *array)
{
    uint64_t bytes = (uint64_t)array->len * g_array_get_element_size(array);
    uint8_t *at = base ? base + *used : NULL;

    if (at && bytes > 0)
        memcpy(at, array->data, bytes);
    *used += (bytes + 7) / 8 * 8;
    return at;
}

static XtfTotalsTier put_tier(uint8_t *base, uint64_t *used, const GrowingTier *tier)
{
    return (XtfTotalsTier){
        .cells = put_array(base, used, tier->cells),
        .starts = put_array(base, used, tier->starts),
        .groups = put_array(base, used, tier->groups),
    };
}

/* Copies everything behind the head. With no allocation (NULL) only counts; returns the number of bytes. */
static uint64_t put_all(const XtfChildTotalsBuilder *builder, XtfChildTotals *children)
{
    uint8_t *base = (uint8_t *)children;
    uint64_t used = sizeof(XtfChildTotals);
    XtfChildTotals head = builder->head;

    head.keys = put_array(base, &used, builder->keys);
    head.exact = put_tier(base, &used, &builder->exact);
    if (builder->coarse.starts->len > 0)
        head.coarse = put_tier(base, &used, &builder->coarse);
    head.blocks = put_tier(base, &used, &builder->blocks);
    if (builder->quarters.starts->len > 0)
        head.quarters = put_tier(base, &used, &builder->quarters);
    if (builder->stacks->len > 0) {
        head.stacks = put_array(base, &used, builder->stacks);
        head.frames = put_array(base, &used, builder->frames);
    }
    if (children)
        *children = head;
    return used;
}

XtfChildTotals *xtf_child_totals_builder_finish(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error)
{
    growing_begin(&builder->exact);
    if (builder->stacks->len > 0) {
        XtfChildStack end = {.start = builder->frames->len};
        g_array_append_val(builder->stacks, end);
    }
    add_joint_tiers(builder);
    uint64_t bytes = put_all(builder, NULL);
    if (bytes > UINT32_MAX) {
        xtf_fail(error, XTF_ERROR_TOO_LARGE, "array %u: totals of %" PRIu64 " bytes are more than can be held",
                 builder->head.array, bytes);
        return NULL;
    }
    XtfChildTotals *children = g_malloc(bytes);
    put_all(builder, children);
    *length = (uint32_t)bytes;
    return children;
}
