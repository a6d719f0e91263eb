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

static char *name_page(const XtfDescentPage *page)
{
    const XtfArray *array = page->array;

    if (page->open)
        return g_strdup("right edge");
    return g_strdup_printf(
        "page %" PRIu64, xtf_place_at(xtf_array_segment(array), xtf_array_page_size(array), page->page.block->offset));
}

static void report_child_problem(AggregateWalk *walk, const XtfDescentPage *page, uint32_t slot, const char *problem)
{
    const XtfArray *array = walk->array;
    g_autofree char *page_name = name_page(page);

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
    const XtfChildStack stack = xtf_child_totals_stack_head(stored, slot);
    uint64_t first_n = xtf_descent_child_start(page, slot), time = first_n > 0 ? right->time : stack.time;

    if (stack.time != time || xtf_child_totals_depth_before(stored, slot) != right->depth ||
        stack.least != right->least)
        report_child_problem(walk, page, slot, "its border does not match its rows and the row before them");
}

/* Compares the snapshot before a leaf with the stack that earlier rows leave. */
static void compare_stack(AggregateWalk *walk, const XtfDescentPage *page, uint32_t slot, const XtfChildTotals *stored)
{
    g_auto(XtfFrameStack) stack;

    xtf_frame_stack_init(&stack);
    xtf_child_totals_stack(stored, slot, 0, &stack);
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

/* Processes all rows below a page and compares its stored totals with them. Returns the totals of the page, and sets
 * the stack's `least` to the minimum over the page's rows. */
static XtfGroupTotals *process_page(AggregateWalk *walk, const XtfDescentPage *page)
{
    g_autoptr(GError) error = NULL;
    XtfGroupTotals *page_totals = xtf_group_totals_new(walk->aggregate, walk->aggregate->n_keys);
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(page, walk->index, &error);
    g_autoptr(XtfBlock) filters = NULL;
    const XtfChildTotals *children = stored ? xtf_block_child_totals(stored) : NULL;
    bool frames = walk->aggregate->kind == XTF_AGGREGATE_FRAMES;
    uint64_t least = UINT64_MAX;

    if (!stored)
        xtf_checking_problem(walk->check, "%s", error->message);
    for (uint32_t slot = 0; slot < page->page.count && !walk->stopped; slot++) {
        Border border = {.time = walk->stack.time, .depth = walk->stack.frames->len};
        if (stored && frames && page->level == 1)
            compare_stack(walk, page, slot, children);
        walk->stack.least = UINT64_MAX;
        g_autoptr(XtfGroupTotals) totals = process_child(walk, page, slot);
        border.least = walk->stack.least;
        least = MIN(least, border.least);
        if (stored && !walk->stopped && !totals_equal(slot, children, totals))
            report_child_problem(walk, page, slot, "they do not match its rows");
        if (stored && !walk->stopped && n_stored_groups(children, slot) > XTF_CHILD_GROUPS)
            report_child_problem(walk, page, slot, "it has more groups than allowed");
        if (stored && !walk->stopped && frames)
            compare_border(walk, page, slot, children, &border);
        if (stored && !walk->stopped && walk->aggregate->filters && page->level == 1)
            compare_filter(walk, page, slot, &filters, stored_depth(children, slot), totals);
        xtf_group_totals_add_bounded(&page_totals, totals, MEMORY_GROUPS_MAX);
    }
    walk->stack.least = least;
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

/* ---- Layout of the tables in their payloads. */

/* Rows whose totals the tables of a payload hold. */
typedef enum {
    OF_LEAVES, /* the children of an index page of level 1 */
    OF_PAGES,  /* the children of an index page of a higher level */
    OF_ARRAY,  /* the whole array */
} TableOwner;

/* Returns what is wrong with the next table of a payload, or NULL. Tables of unknown kinds are not checked. */
static const char *table_fault(const XtfSchema *schema, TableOwner owner, XtfBytesReader *payload)
{
    const uint8_t *head = payload->at;
    XtfPackedRows table = xtf_stored_rows_next(payload);

    if (payload->failed)
        return "a table is cut short";
    const uint8_t *end = table.bytes.at + table.bytes.left;
    if (!xtf_checking_all_zero(head + offsetof(XtfDiskTotals, zero), 2) ||
        !xtf_checking_all_zero(head + offsetof(XtfDiskTotals, reserved), 4) ||
        !xtf_checking_all_zero(end, (size_t)(payload->at - end)))
        return "unused bytes of a table are not 0";
    if (table.kind == 0 || table.aggregate >= schema->n_aggregates)
        return "a table has an invalid aggregate or kind";
    const XtfAggregate *aggregate = &schema->aggregates[table.aggregate];
    if (aggregate->kind == XTF_AGGREGATE_UNKNOWN)
        return NULL;
    bool frames = aggregate->kind == XTF_AGGREGATE_FRAMES;
    if (table.kind == XTF_TOTALS_FILTERS && (owner != OF_LEAVES || !aggregate->filters))
        return "filters are not allowed here";
    if (table.kind == XTF_TOTALS_BORDERS && (owner == OF_ARRAY || !frames))
        return "borders are not allowed here";
    if (table.kind == XTF_TOTALS_SNAPSHOTS && (owner != OF_LEAVES || !frames))
        return "snapshots are not allowed here";
    return table.n == 0 ? "a table has no rows" : NULL;
}

/* Checks the tables of a page's children in `payload`. */
static void check_tables(AggregateWalk *walk, const char *page_name, unsigned level, TableOwner owner,
                         XtfBytesReader payload)
{
    const char *fault = NULL;

    while (!fault && payload.left > 0)
        fault = table_fault(walk->array->schema, owner, &payload);
    if (fault)
        xtf_checking_problem(walk->check, "array %u, %s, level %u: totals: %s", walk->array->id, page_name, level,
                             fault);
}

static void check_tables_below(AggregateWalk *walk, const XtfDescentPage *page)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *page_name = name_page(page);
    g_autofree uint8_t *bytes = NULL;
    XtfBytesReader tables;

    if (xtf_stored_totals_tables(page, &bytes, &tables, &error))
        check_tables(walk, page_name, page->level, page->level == 1 ? OF_LEAVES : OF_PAGES, tables);
    else
        xtf_checking_problem(walk->check, "%s", error->message);
    for (uint32_t slot = 0; page->level > 1 && slot < page->page.count; slot++) {
        g_auto(XtfDescentPage) child = {0};
        g_clear_error(&error);
        if (xtf_descent_enter(page, slot, &child, &error))
            check_tables_below(walk, &child);
        else
            xtf_checking_problem(walk->check, "%s", error->message);
    }
}

static void check_all_tables(AggregateWalk *walk)
{
    const XtfArray *array = walk->array;
    XtfBytesReader array_tables = get_array_tables(walk);
    XtfDescentPage root;

    if (array_tables.failed)
        xtf_checking_problem(walk->check, "array %u, right edge: its totals are cut short", array->id);
    else
        check_tables(walk, "right edge", array->height, OF_ARRAY, array_tables);
    if (array->height > 1) {
        xtf_descent_root_page(array, walk->edge, &root);
        check_tables_below(walk, &root);
    }
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
    check_all_tables(&(AggregateWalk){.check = check, .array = array, .edge = edge});
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
