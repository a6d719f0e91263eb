#include "libxtf/totals/child-totals-private.h"
#include "libxtf/totals/group-totals-private.h"

enum { FEW_GROUPS = 16 }; /* a child with at most this many groups needs no coarse totals */

bool xtf_child_totals_are_of(const XtfChildTotals *children, const XtfArray *array, unsigned index, unsigned level,
                             uint64_t first_n, uint32_t n)
{
    return children->schema == array->schema && children->index == index && children->level == level &&
           children->array == array->id && children->segment == array->segment && children->first_n == first_n &&
           children->n == n;
}

XtfChildStack xtf_child_totals_stack_head(const XtfChildTotals *children, uint32_t i)
{
    const XtfNarrowRows *stacks = &children->stacks;

    return (XtfChildStack){.time = xtf_narrow_number(stacks, i, XTF_STACK_TIME),
                           .inner_row = xtf_narrow_number(stacks, i, XTF_STACK_INNER_ROW),
                           .n_outer = xtf_narrow_number(stacks, i, XTF_STACK_N_OUTER),
                           .least = xtf_narrow_number(stacks, i, XTF_STACK_LEAST),
                           .start = (uint32_t)xtf_narrow_number(stacks, i, XTF_STACK_START)};
}

uint64_t xtf_child_totals_depth_before(const XtfChildTotals *children, uint32_t i)
{
    XtfChildStack stack = xtf_child_totals_stack_head(children, i);

    return stack.n_outer + xtf_narrow_number(&children->stacks, i + 1, XTF_STACK_START) - stack.start;
}

void xtf_child_totals_stack(const XtfChildTotals *children, uint32_t i, uint64_t n, XtfFrameStack *stack)
{
    const XtfNarrowRows *frames = &children->frames;
    XtfChildStack head = xtf_child_totals_stack_head(children, i);
    uint32_t end = (uint32_t)xtf_narrow_number(&children->stacks, i + 1, XTF_STACK_START);

    g_array_set_size(stack->frames, end - head.start);
    for (uint32_t at = head.start; at < end; at++)
        g_array_index(stack->frames, XtfOpenFrame, at - head.start) =
            (XtfOpenFrame){.key = xtf_narrow_number(frames, at, XTF_FRAME_KEY),
                           .row = xtf_narrow_number(frames, at, XTF_FRAME_ROW),
                           .time = xtf_narrow_number(frames, at, XTF_FRAME_TIME),
                           .outermost = xtf_narrow_number(frames, at, XTF_FRAME_OUTERMOST) != 0};
    stack->n_outer = head.n_outer;
    stack->inner_row = head.inner_row;
    stack->least = UINT64_MAX;
    stack->time = head.time;
    stack->n = n;
}

/* Maximum bytes of cells for which a thread keeps a builder's memory until the next use. New pages of memory would cost
 * more than filling them. */
enum { KEPT_BYTES_MAX = 2 << 20 };

static XtfChildTotalsBuilder *allocate_builder(void)
{
    XtfChildTotalsBuilder *builder = g_new0(XtfChildTotalsBuilder, 1);

    builder->keys = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    builder->followers = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    xtf_growing_tier_init(&builder->exact);
    xtf_growing_tier_init(&builder->coarse);
    xtf_growing_tier_init(&builder->blocks);
    xtf_growing_tier_init(&builder->halves);
    builder->stacks = g_array_new(FALSE, FALSE, sizeof(XtfChildStack));
    builder->frames = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame));
    builder->stamps = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    builder->entries = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    return builder;
}

static void release_builder(void *data)
{
    XtfChildTotalsBuilder *builder = data;

    if (!builder)
        return;
    g_array_unref(builder->keys);
    g_array_unref(builder->followers);
    xtf_key_table_finish(&builder->table);
    xtf_growing_tier_finish(&builder->exact);
    xtf_growing_tier_finish(&builder->coarse);
    xtf_growing_tier_finish(&builder->blocks);
    xtf_growing_tier_finish(&builder->halves);
    g_array_unref(builder->stacks);
    g_array_unref(builder->frames);
    g_array_unref(builder->stamps);
    g_array_unref(builder->entries);
    g_free(builder);
}

/* An empty builder that the thread used before, if there is one. */
static GPrivate kept_builder = G_PRIVATE_INIT(release_builder);

static XtfChildTotalsBuilder *take_builder(void)
{
    XtfChildTotalsBuilder *builder = g_private_get(&kept_builder);

    g_private_set(&kept_builder, NULL);
    return builder ? builder : allocate_builder();
}

/* Returns the bytes of cells in a builder. */
static size_t count_bytes(const XtfChildTotalsBuilder *builder)
{
    return sizeof(uint64_t) * (builder->exact.n_words + builder->coarse.n_words + builder->blocks.n_words +
                               builder->halves.n_words + builder->keys->len) +
           sizeof(XtfOpenFrame) * (size_t)builder->frames->len;
}

/* Empties a builder, and keeps it for the thread's next use. */
static void keep_builder(XtfChildTotalsBuilder *builder)
{
    if (builder->head.n_groups > 0)
        xtf_key_table_clear(&builder->table);
    g_array_set_size(builder->keys, 0);
    g_array_set_size(builder->followers, 0);
    builder->last = 0;
    xtf_growing_tier_clear(&builder->exact);
    xtf_growing_tier_clear(&builder->coarse);
    xtf_growing_tier_clear(&builder->blocks);
    xtf_growing_tier_clear(&builder->halves);
    g_array_set_size(builder->stacks, 0);
    g_array_set_size(builder->frames, 0);
    g_private_set(&kept_builder, builder);
}

XtfChildTotalsBuilder *xtf_child_totals_builder_new(const XtfArray *array, unsigned index, unsigned level,
                                                    uint64_t first_n)
{
    XtfChildTotalsBuilder *builder = take_builder();
    const XtfAggregate *aggregate = &array->schema->aggregates[index];

    builder->head = (XtfChildTotals){
        .schema = array->schema,
        .first_n = first_n,
        .array = array->id,
        .segment = array->segment,
        .step = 1,
        .index = (uint8_t)index,
        .level = (uint8_t)level,
        .n_keys = aggregate->n_keys,
        .n_cells = (uint8_t)xtf_aggregate_n_cells(aggregate),
    };
    return builder;
}

void xtf_child_totals_builder_set_children(XtfChildTotalsBuilder *builder, uint32_t first, uint32_t step)
{
    builder->head.first = first;
    builder->head.step = step;
}

void xtf_child_totals_builder_free(XtfChildTotalsBuilder *builder)
{
    if (builder && !g_private_get(&kept_builder) && count_bytes(builder) <= KEPT_BYTES_MAX)
        keep_builder(builder);
    else
        release_builder(builder);
}

void xtf_child_totals_builder_next(XtfChildTotalsBuilder *builder)
{
    xtf_growing_tier_begin_item(&builder->exact);
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
G_GNUC_NO_INLINE static uint32_t look_up_group(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth)
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
        g_array_set_size(builder->followers, builder->head.n_groups);
    }
    return *slot - 1;
}

/* Returns the group that followed the last one before, plus 1, if it has the key; else 0. */
static inline uint32_t guess_group(const XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth)
{
    uint32_t next = builder->last > 0 ? g_array_index(builder->followers, uint32_t, builder->last - 1) : 0;

    return next > 0 && group_depth(builder, next - 1) == depth &&
                   xtf_key_equal(group_key(builder, next - 1), key, depth)
               ? next
               : 0;
}

/* Returns the number of a group as look_up_group() does. Most children have the groups of the child before, in the
 * same order, so that the group after the last one is known. */
static inline uint32_t find_or_add_group(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth)
{
    uint32_t next = guess_group(builder, key, depth);

    if (G_UNLIKELY(next == 0)) {
        next = look_up_group(builder, key, depth) + 1;
        if (builder->last > 0)
            g_array_index(builder->followers, uint32_t, builder->last - 1) = next;
    }
    builder->last = next;
    return next - 1;
}

void xtf_child_totals_builder_add(XtfChildTotalsBuilder *builder, const uint64_t *key, unsigned depth,
                                  const uint64_t *cells)
{
    builder->head.some_coarse |= depth < builder->head.n_keys;
    xtf_growing_tier_add(&builder->exact, find_or_add_group(builder, key, depth), cells, builder->head.n_cells);
}

uint64_t *xtf_child_totals_builder_cells(XtfChildTotalsBuilder *builder, uint32_t n)
{
    xtf_growing_tier_set_room(&builder->exact, n, builder->head.n_cells);
    return builder->exact.cells;
}

void xtf_child_totals_builder_add_keys(XtfChildTotalsBuilder *builder, const uint64_t *keys, unsigned depth, uint32_t n)
{
    uint32_t *groups = &g_array_index(builder->exact.groups, uint32_t, builder->exact.n);
    const unsigned n_keys = builder->head.n_keys;

    builder->head.some_coarse |= depth < n_keys;
    for (uint32_t i = 0; i < n; i++)
        groups[i] = find_or_add_group(builder, keys + (size_t)i * n_keys, depth);
    builder->exact.n += n;
}

void xtf_child_totals_builder_repeat_keys(XtfChildTotalsBuilder *builder, uint32_t n)
{
    uint32_t *groups = &g_array_index(builder->exact.groups, uint32_t, builder->exact.n);

    memcpy(groups, groups - n, n * sizeof *groups);
    builder->exact.n += n;
}

XtfOpenFrame *xtf_child_totals_builder_frames(XtfChildTotalsBuilder *builder, uint32_t n)
{
    g_array_set_size(builder->frames, n);
    return (XtfOpenFrame *)(void *)builder->frames->data;
}

void xtf_child_totals_builder_add_stack(XtfChildTotalsBuilder *builder, const XtfChildStack *stack)
{
    g_array_append_vals(builder->stacks, stack, 1);
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
    uint64_t cells[XTF_AGGREGATE_CELLS_MAX];
    bool drops_before = totals->aggregate->kind == XTF_AGGREGATE_FRAMES && totals->depth == 0;

    xtf_group_totals_clear(totals);
    for (uint32_t entry = entries.from; entry < entries.to; entry++) {
        const uint64_t *key = group_key(builder, groups[entry]);
        if (drops_before && group_depth(builder, groups[entry]) > 0 && key[0] == XTF_FRAMES_BEFORE)
            continue;
        xtf_growing_tier_copy_cells(&builder->exact, entry, builder->head.n_cells, cells);
        xtf_group_totals_add(totals, key, cells);
        if (totals->n > most)
            return false;
    }
    return true;
}

/* Appends the sum of some entries to a tier. The sum keeps all keys that the entries have in common, if that makes far
 * fewer groups than entries. Otherwise, as for messages with different tags, it would save nothing, so it keeps fewer
 * keys. */
static void add_item(XtfChildTotalsBuilder *builder, Entries entries, XtfGroupTotals **totals, XtfGrowingTier *to)
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
    xtf_growing_tier_begin_item(to);
    for (uint32_t i = 0; i < xtf_group_totals_n(totals[depth]); i++) {
        memcpy(key, xtf_group_totals_key(totals[depth], i), depth * sizeof *key);
        xtf_growing_tier_add(to, find_or_add_group(builder, key, depth), xtf_group_totals_cells(totals[depth], i),
                             builder->head.n_cells);
    }
}

/* Appends the sum of every `step` children to a tier. */
static void add_tier(XtfChildTotalsBuilder *builder, uint32_t step, XtfGroupTotals **totals, XtfGrowingTier *to)
{
    for (uint32_t from = 0; from + step <= builder->head.n; from += step) {
        const Entries entries = {
            .from = g_array_index(builder->exact.starts, uint32_t, from),
            .to = g_array_index(builder->exact.starts, uint32_t, from + step),
        };
        add_item(builder, entries, totals, to);
    }
    xtf_growing_tier_begin_item(to);
}

/* True if `step` items have the same groups in the same order, as most do. */
static bool have_same_groups(const uint32_t *starts, const uint32_t *groups, uint32_t step)
{
    uint32_t n = starts[1] - starts[0];
    bool same = true;

    for (uint32_t i = 1; same && i < step; i++)
        same =
            starts[i + 1] - starts[i] == n && memcmp(groups + starts[i], groups + starts[0], n * sizeof *groups) == 0;
    return same;
}

/* Appends the sum of every `step` items of a tier of frames to another tier. All entries have all keys, so that their
 * groups need not be looked up again. */
static void add_tier_of_frames(XtfChildTotalsBuilder *builder, const XtfGrowingTier *from, uint32_t step,
                               XtfGrowingTier *to)
{
    const uint32_t *starts = (const uint32_t *)(void *)from->starts->data;
    const uint32_t *groups = (const uint32_t *)(void *)from->groups->data;
    uint64_t cells[XTF_FRAMES_CELLS];
    uint32_t *stamps, *entries, n = from->starts->len - 1;

    g_array_set_size(builder->stamps, 0);
    stamps = (uint32_t *)(void *)g_array_set_size(builder->stamps, builder->head.n_groups)->data; /* zeros */
    entries = (uint32_t *)(void *)g_array_set_size(builder->entries, builder->head.n_groups)->data;
    for (uint32_t item = 0; item + step <= n; item += step) {
        xtf_growing_tier_begin_item(to);
        if (have_same_groups(starts + item, groups, step)) {
            xtf_growing_tier_add_sums(to, from, starts[item], starts[item + 1] - starts[item], step);
            continue;
        }
        for (uint32_t entry = starts[item]; entry < starts[item + step]; entry++) {
            uint32_t group = groups[entry];
            if (stamps[group] == item + 1) {
                xtf_growing_tier_add_to_entry(to, entries[group], from, entry);
                continue;
            }
            stamps[group] = item + 1;
            entries[group] = to->n;
            xtf_growing_tier_copy_cells(from, entry, XTF_FRAMES_CELLS, cells);
            xtf_growing_tier_add(to, group, cells, XTF_FRAMES_CELLS);
        }
    }
    xtf_growing_tier_begin_item(to);
}

/* Adds the blocks and halves of frames whose entries have all keys. */
static void add_joint_tiers_of_frames(XtfChildTotalsBuilder *builder)
{
    if (builder->head.level == 0) {
        add_tier_of_frames(builder, &builder->exact, XTF_TOTALS_BLOCK, &builder->blocks);
        return;
    }
    add_tier_of_frames(builder, &builder->exact, XTF_TOTALS_HALF, &builder->halves);
    add_tier_of_frames(builder, &builder->halves, XTF_TOTALS_BLOCK / XTF_TOTALS_HALF, &builder->blocks);
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
    bool frames = builder->head.schema->aggregates[builder->head.index].kind == XTF_AGGREGATE_FRAMES;

    if (frames && !builder->head.some_coarse) {
        add_joint_tiers_of_frames(builder);
        return;
    }
    if (builder->head.n_keys > 1 && has_many_groups(builder))
        add_tier(builder, 1, totals, &builder->coarse);
    add_tier(builder, XTF_TOTALS_BLOCK, totals, &builder->blocks);
    if (builder->head.level > 0)
        add_tier(builder, XTF_TOTALS_HALF, totals, &builder->halves);
    for (unsigned depth = 0; depth <= XTF_AGGREGATE_KEYS_MAX; depth++)
        xtf_group_totals_free(totals[depth]);
}

XtfChildTotals *xtf_child_totals_builder_finish(XtfChildTotalsBuilder *builder, uint32_t *length, GError **error)
{
    xtf_growing_tier_begin_item(&builder->exact);
    if (builder->stacks->len > 0) {
        XtfChildStack end = {.start = builder->frames->len};
        g_array_append_val(builder->stacks, end);
    }
    add_joint_tiers(builder);
    return xtf_child_totals_lay_out(builder, length, error);
}
