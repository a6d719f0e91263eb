#include <math.h>

#include "libxtf/check/check-private.h"
#include "libxtf/totals/accumulate.h"
#include "libxtf/totals/group-totals-private.h"
#include "libxtf/totals/tables/stored-rows.h"
#include "libxtf/totals/tables/stored.h"
#include "libxtf/tree/descent.h"

enum {
    /* Maximum number of groups of a page that the check keeps in memory. If there are more, it drops their last key. No
     * child stores more groups, so all stored groups can be compared. */
    MEMORY_GROUPS_MAX = 1 << 17,
};

typedef struct {
    XtfChecking *check;
    const XtfArray *array;
    const XtfAggregate *aggregate;
    unsigned index;
    XtfFrameStack stack; /* all frames open after the last processed leaf */
    XtfBlock *edge;
    bool stopped;
} AggregateWalk;

static void report_and_stop(AggregateWalk *walk, const GError *error)
{
    xtf_checking_problem(walk->check, "%s", error->message);
    walk->stopped = true;
}

static void report_child_problem(AggregateWalk *walk, const XtfDescentPage *page, uint32_t slot, const char *problem)
{
    const XtfArray *array = walk->array;
    g_autofree char *page_name = xtf_checking_name_page(page);

    xtf_checking_problem(walk->check, "array %u, %s, level %u: totals of child %u, rows %" PRIu64 " to %" PRIu64 ": %s",
                         array->id, page_name, page->level, slot, xtf_descent_child_start(page, slot),
                         xtf_descent_child_end(page, slot), problem);
}

/* True if two sums of doubles are finite and differ by no more than the rounding of different orders of addition. */
static bool sums_close(const uint64_t *rows, const uint64_t *a, const uint64_t *b)
{
    double largest = fmax(fabs(xtf_f64_from_bits(a[XTF_VALUE_MIN])), fabs(xtf_f64_from_bits(a[XTF_VALUE_MAX])));
    double left = xtf_f64_from_bits(a[XTF_VALUE_SUM]), right = xtf_f64_from_bits(b[XTF_VALUE_SUM]);

    return isfinite(largest) && isfinite(left) && isfinite(right) &&
           fabs(left - right) <= ldexp(largest * (double)*rows, -40);
}

/* True if `a` and `b` have equal extremes of doubles, of which +0 equals -0, and the same bits as last value. */
static bool extremes_equal(const uint64_t *a, const uint64_t *b)
{
    return xtf_f64_from_bits(a[XTF_VALUE_MIN]) == xtf_f64_from_bits(b[XTF_VALUE_MIN]) &&
           xtf_f64_from_bits(a[XTF_VALUE_MAX]) == xtf_f64_from_bits(b[XTF_VALUE_MAX]) &&
           a[XTF_VALUE_LAST] == b[XTF_VALUE_LAST];
}

/* True if the cells of value i in `a` and `b` are equal. Sums of doubles may differ by rounding. */
static bool values_equal(const XtfGroupTotals *totals, const uint64_t *key, unsigned i, const uint64_t *a,
                         const uint64_t *b)
{
    unsigned step = totals->aggregate->extremes ? XTF_VALUE_CELLS : 1;
    const uint64_t *left = a + 1 + i * step, *right = b + 1 + i * step;

    if (memcmp(left, right, step * sizeof *left) == 0)
        return true;
    if (!xtf_group_totals_value_is_real(totals, key, i))
        return false;
    if (step == 1)
        return true; /* without extremes the size of the rounding is unknown */
    return extremes_equal(left, right) && (left[XTF_VALUE_SUM] == right[XTF_VALUE_SUM] || sums_close(a, left, right));
}

static bool cells_equal(const XtfGroupTotals *totals, const uint64_t *key, const uint64_t *a, const uint64_t *b)
{
    if (totals->aggregate->kind == XTF_AGGREGATE_FRAMES)
        return memcmp(a, b, XTF_FRAMES_CELLS * sizeof *a) == 0;
    if (a[XTF_GROUP_ROWS] != b[XTF_GROUP_ROWS])
        return false;
    for (unsigned i = 0; i < totals->aggregate->n_values; i++)
        if (!values_equal(totals, key, i, a, b))
            return false;
    return true;
}

/* True if the stored totals of a child match the totals of its rows. */
static bool totals_equal(uint32_t slot, const XtfChildTotals *stored, const XtfGroupTotals *totals)
{
    uint32_t from = stored->exact.starts[slot], to = stored->exact.starts[slot + 1];
    unsigned depth = xtf_child_totals_depth(
        stored, xtf_totals_tier_group(&stored->exact, from)); /* a child has at least one group */
    bool equal = depth <= totals->depth;
    uint64_t stored_cells[XTF_AGGREGATE_CELLS_MAX];

    g_autoptr(XtfGroupTotals) right = xtf_group_totals_coarse_copy(totals, MIN(depth, totals->depth));
    equal = equal && to - from == xtf_group_totals_n(right);
    for (uint32_t entry = from; equal && entry < to; entry++) {
        const uint64_t *key = xtf_child_totals_key(stored, xtf_totals_tier_group(&stored->exact, entry));
        const uint64_t *cells = xtf_group_totals_find(right, key);
        equal = cells &&
                cells_equal(right, key, cells, xtf_child_totals_cells(stored, &stored->exact, entry, stored_cells));
    }
    return equal;
}

/* The border between a child and the row before it, recomputed from rows. */
typedef struct {
    uint64_t time, depth; /* time of the row before the child; number of frames open after that row */
    uint64_t least;       /* fewest frames that a row of the child leaves open */
} Border;

static void compare_border(AggregateWalk *walk, const XtfDescentPage *page, uint32_t slot, const XtfChildTotals *stored,
                           const Border *right)
{
    const uint32_t i = slot - stored->first;
    const XtfChildStack stack = xtf_child_totals_stack_head(stored, i);
    uint64_t first_n = xtf_descent_child_start(page, slot), time = first_n > 0 ? right->time : stack.time;

    if (stack.time != time || xtf_child_totals_depth_before(stored, i) != right->depth || stack.least != right->least)
        report_child_problem(walk, page, slot, "its border does not match its rows and the row before them");
}

/* Compares the snapshot before a leaf with the stack that earlier rows leave. */
static void compare_stack(AggregateWalk *walk, const XtfDescentPage *page, uint32_t slot, const XtfChildTotals *stored)
{
    g_auto(XtfFrameStack) stack;

    xtf_frame_stack_init(&stack);
    xtf_child_totals_stack(stored, slot - stored->first, 0, &stack);
    guint n = stack.frames->len, depth = walk->stack.frames->len;
    bool equal = n == MIN(depth, (guint)XTF_SNAPSHOT_FRAMES);
    for (guint i = 0; equal && i < n; i++) {
        const XtfOpenFrame *stored_frame = xtf_frame_stack_at(&stack, i);
        const XtfOpenFrame *expected = xtf_frame_stack_at(&walk->stack, depth - n + i);
        equal = stored_frame->key == expected->key && stored_frame->row == expected->row &&
                stored_frame->time == expected->time && stored_frame->outermost == expected->outermost;
    }
    if (!equal)
        report_child_problem(walk, page, slot, "the stack before it does not match the earlier rows");
}

/* Adds the rows of a leaf to totals. */
static void process_leaf(AggregateWalk *walk, const XtfDescentLeaf *leaf, XtfGroupTotals *totals)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfPageView) rows = {0};

    if (!xtf_checking_go_on(walk->check)) {
        walk->stopped = true;
        return;
    }
    if (!xtf_descent_leaf_rows(leaf, &rows, &error)) {
        report_and_stop(walk, error);
        return;
    }
    xtf_accumulate_rows(walk->array->schema, walk->aggregate, rows.payload, rows.count, &walk->stack, NULL, totals,
                        NULL);
    if (walk->stack.frames->len > XTF_STACK_FRAMES_MAX) {
        xtf_checking_problem(
            walk->check, "array %u: at row %" PRIu64 " more than %d frames are open: totals after it are not checked",
            walk->array->id, walk->stack.n, XTF_STACK_FRAMES_MAX);
        walk->stopped = true;
    }
}

static uint32_t n_stored_groups(const XtfChildTotals *stored, uint32_t slot)
{
    return stored->exact.starts[slot + 1] - stored->exact.starts[slot];
}

static XtfGroupTotals *process_page(AggregateWalk *walk, const XtfDescentPage *page);

static XtfGroupTotals *process_child(AggregateWalk *walk, const XtfDescentPage *page, uint32_t slot)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfDescentPage) child = {0};
    XtfDescentLeaf leaf;

    if (page->level > 1 && xtf_descent_enter(page, slot, &child, &error))
        return process_page(walk, &child);
    XtfGroupTotals *totals = xtf_group_totals_new(walk->aggregate, walk->aggregate->n_keys);
    if (page->level > 1) {
        report_and_stop(walk, error);
        return totals;
    }
    xtf_descent_leaf(page, slot, &leaf);
    process_leaf(walk, &leaf, totals);
    return totals;
}

/* True if the leaf's filter, if it has one, contains all groups of the leaf. */
static bool filter_has_all(const AggregateWalk *walk, const XtfFilters *filters, uint32_t slot,
                           const XtfGroupTotals *totals)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++)
        if (!xtf_filters_may_have(
                filters, slot, xtf_filter_hash(walk->array->schema, walk->aggregate, xtf_group_totals_key(totals, i))))
            return false;
    return true;
}

/* Compares a leaf's filter with the leaf's groups. `depth` is the depth of the child's stored totals. */
static void compare_filter(AggregateWalk *walk, const XtfDescentPage *page, uint32_t slot, XtfBlock **block,
                           unsigned depth, const XtfGroupTotals *totals)
{
    uint64_t n_rows = xtf_descent_child_end(page, slot) - xtf_descent_child_start(page, slot);
    g_autoptr(GError) error = NULL;

    if (!*block && !(*block = xtf_stored_filters_get(page, walk->index, &error))) {
        report_and_stop(walk, error);
        return;
    }
    const XtfFilters *filters = (const XtfFilters *)(const void *)(*block)->data;
    uint32_t words = filters->starts[slot + 1] - filters->starts[slot];
    if (words > (n_rows * XTF_FILTER_GROUP_BITS + 63) / 64)
        report_child_problem(walk, page, slot, "its filter is longer than its rows need");
    if (words > 0 && depth == walk->aggregate->n_keys)
        report_child_problem(walk, page, slot, "it has a filter although its totals have all keys");
    if (!filter_has_all(walk, filters, slot, totals))
        report_child_problem(walk, page, slot, "its filter lacks some of its groups");
}

/* Returns the number of keys in the stored totals of a child; a child has at least one group. */
static unsigned stored_depth(const XtfChildTotals *stored, uint32_t slot)
{
    return xtf_child_totals_depth(stored, xtf_totals_tier_group(&stored->exact, stored->exact.starts[slot]));
}

/* The stored totals of a page that is processed. */
typedef struct {
    const XtfDescentPage *page;
    XtfBlock *stored;  /* totals of the children from number `first` on; NULL: they are damaged */
    XtfBlock *batches; /* totals of the batches; NULL: the page has none, or they are damaged */
    XtfBlock *filters;
    XtfGroupTotals *of_batch; /* totals of the rows of the current batch up to now */
} StoredPage;

static void begin_stored_page(AggregateWalk *walk, const XtfDescentPage *page, StoredPage *stored)
{
    g_autoptr(GError) error = NULL;

    *stored = (StoredPage){.page = page};
    if (xtf_stored_batch_size(page) == page->page.count)
        return;
    stored->batches = xtf_stored_totals_of_batches(page, walk->index, &error);
    if (!stored->batches)
        xtf_checking_problem(walk->check, "%s", error->message);
}

static void finish_stored_page(StoredPage *stored)
{
    xtf_block_put(stored->stored);
    xtf_block_put(stored->batches);
    xtf_block_put(stored->filters);
    g_clear_pointer(&stored->of_batch, xtf_group_totals_free);
}

/* Gets the totals of the children that are stored with a child, if the child is the first of them. */
static void begin_batch(AggregateWalk *walk, StoredPage *stored, uint32_t slot)
{
    g_autoptr(GError) error = NULL;

    if (slot % xtf_stored_batch_size(stored->page) > 0)
        return;
    g_clear_pointer(&stored->stored, xtf_block_put);
    stored->stored = xtf_stored_totals_get(stored->page, walk->index, slot, &error);
    if (!stored->stored)
        xtf_checking_problem(walk->check, "%s", error->message);
    g_clear_pointer(&stored->of_batch, xtf_group_totals_free);
    stored->of_batch = xtf_group_totals_new(walk->aggregate, walk->aggregate->n_keys);
}

/* Adds a child's totals to the totals of its batch, and compares these behind the last child of the batch. */
static void end_child_of_batch(AggregateWalk *walk, StoredPage *stored, uint32_t slot, const XtfGroupTotals *totals)
{
    const uint32_t size = xtf_stored_batch_size(stored->page), batch = slot / size;

    if (!stored->batches)
        return;
    xtf_group_totals_add_bounded(&stored->of_batch, totals, MEMORY_GROUPS_MAX);
    if ((slot + 1) % size > 0 && slot + 1 < stored->page->page.count)
        return;
    const XtfChildTotals *batches = xtf_block_child_totals(stored->batches);
    if (!totals_equal(batch, batches, stored->of_batch))
        report_child_problem(walk, stored->page, slot, "those of its batch do not match the rows of the batch");
    if (n_stored_groups(batches, batch) > XTF_CHILD_GROUPS)
        report_child_problem(walk, stored->page, slot, "its batch has more groups than allowed");
}

/* Compares the stored totals of a child with the totals of its rows. */
static void compare_child(AggregateWalk *walk, StoredPage *stored, uint32_t slot, const XtfGroupTotals *totals,
                          const Border *border)
{
    const XtfDescentPage *page = stored->page;
    const XtfChildTotals *children = xtf_block_child_totals(stored->stored);
    const uint32_t i = slot - children->first;

    if (!totals_equal(i, children, totals))
        report_child_problem(walk, page, slot, "they do not match its rows");
    if (n_stored_groups(children, i) > XTF_CHILD_GROUPS)
        report_child_problem(walk, page, slot, "it has more groups than allowed");
    if (walk->aggregate->kind == XTF_AGGREGATE_FRAMES)
        compare_border(walk, page, slot, children, border);
    if (walk->aggregate->filters && page->level == 1)
        compare_filter(walk, page, slot, &stored->filters, stored_depth(children, i), totals);
}

/* Processes all rows below a page and compares its stored totals with them. Returns the totals of the page, and sets
 * the stack's `least` to the minimum over the page's rows. */
static XtfGroupTotals *process_page(AggregateWalk *walk, const XtfDescentPage *page)
{
    XtfGroupTotals *page_totals = xtf_group_totals_new(walk->aggregate, walk->aggregate->n_keys);
    uint64_t least = UINT64_MAX;
    StoredPage stored;

    begin_stored_page(walk, page, &stored);
    for (uint32_t slot = 0; slot < page->page.count && !walk->stopped; slot++) {
        Border border = {.time = walk->stack.time, .depth = walk->stack.frames->len};
        begin_batch(walk, &stored, slot);
        if (stored.stored && walk->aggregate->kind == XTF_AGGREGATE_FRAMES && page->level == 1)
            compare_stack(walk, page, slot, xtf_block_child_totals(stored.stored));
        walk->stack.least = UINT64_MAX;
        g_autoptr(XtfGroupTotals) totals = process_child(walk, page, slot);
        border.least = walk->stack.least;
        least = MIN(least, border.least);
        if (stored.stored && !walk->stopped)
            compare_child(walk, &stored, slot, totals, &border);
        if (!walk->stopped)
            end_child_of_batch(walk, &stored, slot, totals);
        xtf_group_totals_add_bounded(&page_totals, totals, MEMORY_GROUPS_MAX);
    }
    walk->stack.least = least;
    finish_stored_page(&stored);
    return page_totals;
}

/* Processes all rows of the array. */
static XtfGroupTotals *process_array(AggregateWalk *walk)
{
    XtfGroupTotals *totals;
    XtfDescentPage root;
    XtfDescentLeaf leaf;

    if (walk->array->height > 1) {
        xtf_descent_root_page(walk->array, walk->edge, &root);
        return process_page(walk, &root);
    }
    totals = xtf_group_totals_new(walk->aggregate, walk->aggregate->n_keys);
    xtf_descent_root_leaf(walk->array, walk->edge, &leaf);
    process_leaf(walk, &leaf, totals);
    return totals;
}

/* Returns the bytes of the right edge that hold the totals of the whole array. */
static XtfBytesReader get_array_tables(const AggregateWalk *walk)
{
    const XtfArray *array = walk->array;
    return xtf_edge_totals(walk->edge->data, walk->edge->length, array->height, array->height);
}

static void check_aggregate(AggregateWalk *walk)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfGroupTotals) totals = process_array(walk);

    if (walk->stopped || (xtf_array_is_small(walk->array) && get_array_tables(walk).left == 0))
        return;
    g_autoptr(XtfBlock) stored = xtf_stored_totals_of_array(walk->array, walk->edge, walk->index, &error);
    if (!stored)
        xtf_checking_problem(walk->check, "%s", error->message);
    else if (!totals_equal(0, xtf_block_child_totals(stored), totals))
        xtf_checking_problem(walk->check, "array %u, right edge: totals of all rows: they do not match its rows",
                             walk->array->id);
    else if (n_stored_groups(xtf_block_child_totals(stored), 0) > XTF_CHILD_GROUPS)
        xtf_checking_problem(walk->check,
                             "array %u, right edge: totals of all rows: they have more groups than allowed",
                             walk->array->id);
}

void xtf_checking_aggregates(XtfChecking *check, const XtfArray *array)
{
    g_autoptr(GError) error = NULL;

    if (array->schema->n_aggregates == 0)
        return; /* the file stores no totals */
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, &error);
    if (!edge) {
        xtf_checking_take_error(check, &error);
        return;
    }
    xtf_checking_tables(check, array, edge);
    bool stopped = false;
    for (unsigned index = 0; index < array->schema->n_aggregates && !stopped; index++) {
        AggregateWalk walk = {.check = check,
                              .array = array,
                              .aggregate = &array->schema->aggregates[index],
                              .index = index,
                              .edge = edge};
        if (walk.aggregate->kind == XTF_AGGREGATE_UNKNOWN)
            continue;
        xtf_frame_stack_init(&walk.stack);
        check_aggregate(&walk);
        xtf_frame_stack_finish(&walk.stack);
        stopped = walk.stopped;
    }
}
