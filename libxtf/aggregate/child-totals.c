#include "libxtf/aggregate/child-totals.h"

#include "libxtf/aggregate/group-totals-private.h"
#include "libxtf/tree/trace-private.h"

enum { SHORT_LIST = 16 }; /* groups that it is no use to make fewer */

bool xtf_child_totals_are_of(const XtfChildTotals *lists, const XtfArray *array, unsigned index, unsigned level,
                             uint64_t first_n, uint32_t n)
{
    return lists->schema == array->schema && lists->index == index && lists->level == level &&
           lists->array == array->id && lists->segment == array->segment && lists->first_n == first_n && lists->n == n;
}

void xtf_child_totals_add(const XtfChildTotals *lists, uint32_t group, uint64_t *cells, const uint64_t *more)
{
    if (lists->plain) {
        for (unsigned c = 0; c < lists->n_cells; c++)
            cells[c] += more[c];
        return;
    }
    const XtfGroupTotals of_that_depth = {.aggregate = &lists->schema->aggregates[lists->index],
                                          .depth = (uint8_t)xtf_child_totals_depth(lists, group)};
    xtf_group_totals_combine(&of_that_depth, xtf_child_totals_key(lists, group), cells, more);
}

void xtf_child_totals_stack(const XtfChildTotals *lists, uint32_t i, uint64_t n, XtfFrameStack *stack)
{
    const XtfChildStack *at = &lists->stacks[i];

    g_array_set_size(stack->frames, 0);
    g_array_append_vals(stack->frames, lists->frames + at->start, at[1].start - at->start);
    stack->below = at->below;
    stack->time = at->time;
    stack->n = n;
}

/* Lists while they grow. */
typedef struct {
    GArray *starts, *groups; /* of uint32_t */
    GArray *cells;           /* of uint64_t */
} GrowingLists;

struct XtfChildTotalsBuilder {
    XtfChildTotals head; /* what is known from the beginning */
    GArray *keys;        /* of uint64_t: of each group, as XtfChildTotals has them */
    XtfKeyTable table;
    GrowingLists lists, shorts, blocks;
    GArray *stacks, *frames;
};

static void growing_init(GrowingLists *lists)
{
    lists->starts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    lists->groups = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    lists->cells = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

static void growing_clear(GrowingLists *lists)
{
    g_array_unref(lists->starts);
    g_array_unref(lists->groups);
    g_array_unref(lists->cells);
}

static void growing_begin(GrowingLists *lists)
{
    g_array_append_val(lists->starts, lists->groups->len);
}

static void growing_add(GrowingLists *lists, uint32_t group, const uint64_t *cells, unsigned n_cells)
{
    g_array_append_val(lists->groups, group);
    g_array_append_vals(lists->cells, cells, n_cells);
}

XtfChildTotalsBuilder *xtf_child_totals_builder_new(const XtfArray *array, unsigned index, unsigned level,
                                                    uint64_t first_n)
{
    XtfChildTotalsBuilder *maker = g_new0(XtfChildTotalsBuilder, 1);
    const XtfAggregate *aggregate = &array->schema->aggregates[index];

    maker->head = (XtfChildTotals){
        .schema = array->schema,
        .first_n = first_n,
        .array = array->id,
        .segment = array->segment,
        .index = (uint8_t)index,
        .level = (uint8_t)level,
        .n_keys = aggregate->n_keys,
        .n_cells = (uint8_t)xtf_aggregate_n_cells(aggregate),
        .plain = aggregate->kind == XTF_AGGREGATE_FRAMES || (!aggregate->extremes && aggregate->real_values == 0 &&
                                                             (aggregate->typed_values == 0 || aggregate->reals == 0)),
    };
    maker->keys = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    growing_init(&maker->lists);
    growing_init(&maker->shorts);
    growing_init(&maker->blocks);
    maker->stacks = g_array_new(FALSE, FALSE, sizeof(XtfChildStack));
    maker->frames = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame));
    return maker;
}

void xtf_child_totals_builder_free(XtfChildTotalsBuilder *maker)
{
    if (!maker)
        return;
    g_array_unref(maker->keys);
    xtf_key_table_finish(&maker->table);
    growing_clear(&maker->lists);
    growing_clear(&maker->shorts);
    growing_clear(&maker->blocks);
    g_array_unref(maker->stacks);
    g_array_unref(maker->frames);
    g_free(maker);
}

void xtf_child_totals_builder_next(XtfChildTotalsBuilder *maker)
{
    growing_begin(&maker->lists);
    maker->head.n++;
}

static XtfKeys keys_of(const XtfChildTotalsBuilder *maker)
{
    unsigned words = maker->head.n_keys + 1u;

    return (XtfKeys){.words = (const uint64_t *)(void *)maker->keys->data, .length = words, .stride = words};
}

static const uint64_t *key_of(const XtfChildTotalsBuilder *maker, uint32_t group)
{
    return keys_of(maker).words + (size_t)group * (maker->head.n_keys + 1u);
}

static unsigned depth_of(const XtfChildTotalsBuilder *maker, uint32_t group)
{
    return (unsigned)key_of(maker, group)[maker->head.n_keys];
}

/* The number of a group, which is made if there is none. */
static uint32_t group_of(XtfChildTotalsBuilder *maker, const uint64_t *key, unsigned depth)
{
    unsigned n_keys = maker->head.n_keys;
    uint64_t words[XTF_AGGREGATE_KEYS_MAX + 1];

    for (unsigned i = 0; i < n_keys; i++)
        words[i] = key[i];
    words[n_keys] = depth;
    xtf_key_table_reserve(&maker->table, keys_of(maker), maker->head.n_groups);
    uint32_t *slot = xtf_key_table_slot(&maker->table, keys_of(maker), words);
    if (*slot == 0) {
        g_array_append_vals(maker->keys, words, n_keys + 1);
        maker->head.some_coarse |= depth < n_keys;
        *slot = ++maker->head.n_groups;
    }
    return *slot - 1;
}

void xtf_child_totals_builder_add(XtfChildTotalsBuilder *maker, const uint64_t *key, unsigned depth,
                                  const uint64_t *cells)
{
    growing_add(&maker->lists, group_of(maker, key, depth), cells, maker->head.n_cells);
}

void xtf_child_totals_builder_stack(XtfChildTotalsBuilder *maker, const XtfFrameStack *stack)
{
    uint32_t n = stack->frames->len, kept = MIN(n, (uint32_t)XTF_SNAPSHOT_FRAMES);
    XtfChildStack at = {.time = stack->time, .below = stack->below, .start = maker->frames->len};

    if (kept < n)
        at.below = g_array_index(stack->frames, XtfOpenFrame, n - kept - 1).row + 1;
    g_array_append_vals(maker->frames, &g_array_index(stack->frames, XtfOpenFrame, n - kept), kept);
    g_array_append_val(maker->stacks, at);
}

/* Items [from, to) of the neighbours' lists. */
typedef struct {
    uint32_t from, to;
} Items;

/* Adds up items, told apart by as many keys as the totals have; false if that makes too many groups. */
static bool add_up(const XtfChildTotalsBuilder *maker, Items items, uint32_t most, XtfGroupTotals *totals)
{
    const uint32_t *groups = (const uint32_t *)(void *)maker->lists.groups->data;
    const uint64_t *cells = (const uint64_t *)(void *)maker->lists.cells->data;
    bool drops_before = totals->aggregate->kind == XTF_AGGREGATE_FRAMES && totals->depth == 0;

    xtf_group_totals_clear(totals);
    for (uint32_t item = items.from; item < items.to; item++) {
        const uint64_t *key = key_of(maker, groups[item]);
        if (drops_before && depth_of(maker, groups[item]) > 0 && key[0] == XTF_FRAMES_BEFORE)
            continue;
        xtf_group_totals_add(totals, key, cells + (size_t)item * maker->head.n_cells);
        if (totals->n > most)
            return false;
    }
    return true;
}

/* Appends a list of what items add up to. Where that makes few of many, it is told as finely as all of them are; else,
 * as of messages that differ in their tags, by fewer keys: it would be no shorter than they are, and so no use. */
static void add_list(XtfChildTotalsBuilder *maker, Items items, XtfGroupTotals **totals, GrowingLists *to)
{
    const uint32_t *groups = (const uint32_t *)(void *)maker->lists.groups->data;
    unsigned n_keys = maker->head.n_keys, depth = n_keys;
    uint32_t most = n_keys > 1 ? MAX((items.to - items.from) / 4, (uint32_t)SHORT_LIST) : UINT32_MAX;
    uint64_t key[XTF_AGGREGATE_KEYS_MAX] = {0};

    for (uint32_t item = items.from; item < items.to; item++)
        depth = MIN(depth, depth_of(maker, groups[item]));
    for (;; depth--) {
        if (!totals[depth])
            totals[depth] = xtf_group_totals_new(&maker->head.schema->aggregates[maker->head.index], depth);
        if (add_up(maker, items, most, totals[depth]))
            break;
    }
    growing_begin(to);
    for (uint32_t i = 0; i < xtf_group_totals_n(totals[depth]); i++) {
        memcpy(key, xtf_group_totals_key(totals[depth], i), depth * sizeof *key);
        growing_add(to, group_of(maker, key, depth), xtf_group_totals_cells(totals[depth], i), maker->head.n_cells);
    }
}

/* Appends the lists of all whole runs of `step` neighbours. */
static void add_lists(XtfChildTotalsBuilder *maker, uint32_t step, XtfGroupTotals **totals, GrowingLists *to)
{
    for (uint32_t from = 0; from + step <= maker->head.n; from += step) {
        const Items items = {
            .from = g_array_index(maker->lists.starts, uint32_t, from),
            .to = g_array_index(maker->lists.starts, uint32_t, from + step),
        };
        add_list(maker, items, totals, to);
    }
    growing_begin(to);
}

static bool has_long_list(const XtfChildTotalsBuilder *maker)
{
    for (uint32_t i = 0; i < maker->head.n; i++)
        if (g_array_index(maker->lists.starts, uint32_t, i + 1) - g_array_index(maker->lists.starts, uint32_t, i) >
            SHORT_LIST)
            return true;
    return false;
}

static void add_up_lists(XtfChildTotalsBuilder *maker)
{
    XtfGroupTotals *totals[XTF_AGGREGATE_KEYS_MAX + 1] = {NULL}; /* by depth; of use again and again */

    if (maker->head.n_keys > 1 && has_long_list(maker))
        add_lists(maker, 1, totals, &maker->shorts);
    add_lists(maker, XTF_TOTALS_BLOCK, totals, &maker->blocks);
    for (unsigned depth = 0; depth <= XTF_AGGREGATE_KEYS_MAX; depth++)
        xtf_group_totals_free(totals[depth]);
}

/* Takes room in the allocation, or, before there is one (NULL), only counts it. Copies there what a container holds. */
static const void *place(uint8_t *base, uint64_t *used, const void *from, uint64_t bytes)
{
    uint8_t *at = base ? base + *used : NULL;

    if (at && bytes > 0)
        memcpy(at, from, bytes);
    *used += (bytes + 7) / 8 * 8;
    return at;
}

static XtfTotalsTier place_lists(uint8_t *base, uint64_t *used, const GrowingLists *lists)
{
    return (XtfTotalsTier){
        .cells = place(base, used, lists->cells->data, (uint64_t)lists->cells->len * sizeof(uint64_t)),
        .starts = place(base, used, lists->starts->data, (uint64_t)lists->starts->len * sizeof(uint32_t)),
        .groups = place(base, used, lists->groups->data, (uint64_t)lists->groups->len * sizeof(uint32_t)),
    };
}

/* Lays all out behind the head; gives the bytes that it takes. */
static uint64_t lay_out(const XtfChildTotalsBuilder *maker, XtfChildTotals *lists)
{
    uint8_t *base = (uint8_t *)lists;
    uint64_t used = sizeof(XtfChildTotals);
    XtfChildTotals head = maker->head;

    head.keys = place(base, &used, maker->keys->data, (uint64_t)maker->keys->len * sizeof(uint64_t));
    head.lists = place_lists(base, &used, &maker->lists);
    if (maker->shorts.starts->len > 0)
        head.shorts = place_lists(base, &used, &maker->shorts);
    head.blocks = place_lists(base, &used, &maker->blocks);
    if (maker->stacks->len > 0) {
        head.stacks = place(base, &used, maker->stacks->data, (uint64_t)maker->stacks->len * sizeof(XtfChildStack));
        head.frames = place(base, &used, maker->frames->data, (uint64_t)maker->frames->len * sizeof(XtfOpenFrame));
    }
    if (lists)
        *lists = head;
    return used;
}

XtfChildTotals *xtf_child_totals_builder_finish(XtfChildTotalsBuilder *maker, uint32_t *length, GError **error)
{
    growing_begin(&maker->lists);
    if (maker->stacks->len > 0) {
        XtfChildStack end = {.start = maker->frames->len};
        g_array_append_val(maker->stacks, end);
    }
    add_up_lists(maker);
    uint64_t bytes = lay_out(maker, NULL);
    if (bytes > UINT32_MAX) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID,
                    "array %u: sums of %" PRIu64 " bytes are more than can be held", maker->head.array, bytes);
        return NULL;
    }
    XtfChildTotals *lists = g_malloc(bytes);
    lay_out(maker, lists);
    *length = (uint32_t)bytes;
    return lists;
}
