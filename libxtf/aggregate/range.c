/*
 * Totals over rows [n1, n2): two descents, one for each end of the range, and the stored totals of the children between
 * them.
 *
 *     root        . . .[. . . . . . . . .]. .       whole children: stored totals of the root
 *                     /                   \
 *     index   . . . [. . .]         [. . .]. . .    siblings of the two descents: stored totals of these pages
 *                  /                       \
 *     leaves  ..[....]                   [..]...    rows; in repeated queries: chunks, totals of the leaf's digest
 *
 * For a range that is the whole array, the array's own totals are the answer, and no row is read, unless the array is
 * small.
 *
 * The query never subtracts, because least, greatest and last values cannot be subtracted. It adds parts from left to
 * right, because last values depend on the order.
 *
 * Totals of a child do not suffice if they have too few keys for the depth or for the filter. The query then enters the
 * child, which leads to finer totals and finally to the digest of a leaf, which is never coarse. It does not enter a
 * leaf whose filter excludes the one group of the query.
 */
#include "libxtf/aggregate/query.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/tables/stored.h"

static bool add_page(XtfTotalsQuery *query, const XtfDescentPage *page, uint64_t n1, uint64_t n2, GError **error);

/* Adds the rows of [n1, n2) that are below a child. */
static bool add_child(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, uint64_t n1, uint64_t n2,
                      GError **error)
{
    n1 = MAX(n1, xtf_descent_child_start(page, slot));
    n2 = MIN(n2, xtf_descent_child_end(page, slot));
    if (page->level == 1) {
        XtfDescentLeaf leaf;
        bool scans;
        if (!xtf_totals_query_leaf(query, page, slot, &leaf, &scans, error))
            return false;
        if (scans)
            return xtf_totals_query_scan_leaf(query, &leaf, n1, n2, error);
        return xtf_totals_query_add_leaf(query, &leaf, n1, n2, error);
    }
    g_auto(XtfDescentPage) child = {0};
    return xtf_descent_enter(page, slot, &child, error) && add_page(query, &child, n1, n2, error);
}

void xtf_held_totals_finish(XtfHeldTotals *held)
{
    g_clear_pointer(&held->children, xtf_block_put);
    g_clear_pointer(&held->batches, xtf_block_put);
}

void xtf_held_totals_pass(XtfHeldTotals *held)
{
    g_clear_pointer(&held->children, xtf_block_pass);
    g_clear_pointer(&held->batches, xtf_block_pass);
}

bool xtf_totals_query_hold(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t child, XtfHeldTotals *held,
                           GError **error)
{
    const XtfChildTotals *children = held->children ? xtf_block_child_totals(held->children) : NULL;

    if (children && child - children->first < children->n)
        return true;
    g_clear_pointer(&held->children, query->passes ? xtf_block_pass : xtf_block_put);
    held->children = xtf_stored_totals_get(page, query->index, child, error);
    return held->children != NULL;
}

/* Adds the rows below an item whose totals do not suffice: a child, or a batch of children. */
typedef bool (*AddItem)(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t item, XtfBlock **filters,
                        GError **error);

static bool add_child_below(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t child, XtfBlock **filters,
                            GError **error)
{
    bool may_have;

    return xtf_totals_query_may_be_below(query, page, child, filters, &may_have, error) &&
           (!may_have || add_child(query, page, child, 0, UINT64_MAX, error));
}

/* Adds the whole items from number `first` of a page on, up to `last`, whose totals `stored` has. */
static bool add_items(XtfTotalsQuery *query, const XtfDescentPage *page, const XtfBlock *stored, uint32_t first,
                      uint32_t last, AddItem add, GError **error)
{
    const XtfChildTotals *children = xtf_block_child_totals(stored);
    g_autoptr(XtfBlock) filters = NULL;
    XtfPageTotals totals;
    bool success = true;

    xtf_page_totals_init(&totals, query, children);
    for (uint32_t i = first - children->first; success && i < last - children->first;) {
        const XtfTotalsTier *tier;
        uint32_t number, item = i;
        i = xtf_page_totals_next(&totals, i, last - children->first, &tier, &number);
        if (i > item + 1 || xtf_page_totals_suffice(&totals, tier, number))
            xtf_page_totals_add(&totals, tier, number);
        else
            success = add(query, page, children->first + item, &filters, error);
    }
    xtf_page_totals_finish(&totals);
    return success;
}

/* Adds the whole children [first, last) by their own totals. */
static bool add_by_children(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t first, uint32_t last,
                            XtfHeldTotals *held, GError **error)
{
    while (first < last) {
        if (!xtf_totals_query_hold(query, page, first, held, error))
            return false;
        const XtfChildTotals *children = xtf_block_child_totals(held->children);
        const uint32_t end = MIN(last, children->first + children->n);
        if (!add_items(query, page, held->children, first, end, add_child_below, error))
            return false;
        first = end;
    }
    return true;
}

/* Adds all children of a batch by their own totals. */
static bool add_batch(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t batch,
                      G_GNUC_UNUSED XtfBlock **filters, GError **error)
{
    const uint32_t size = xtf_stored_batch_size(page), first = batch * size;
    g_auto(XtfHeldTotals) held = {0};

    return add_by_children(query, page, first, MIN(first + size, page->page.count), &held, error);
}

/* Adds the whole batches [first, last). */
static bool add_batches(XtfTotalsQuery *query, const XtfDescentPage *page, XtfHeldTotals *held, uint32_t first,
                        uint32_t last, GError **error)
{
    if (!held->batches)
        held->batches = xtf_stored_totals_of_batches(page, query->index, error);
    return held->batches && add_items(query, page, held->batches, first, last, add_batch, error);
}

bool xtf_totals_query_add_children(XtfTotalsQuery *query, const XtfDescentPage *page, XtfHeldTotals *held,
                                   uint32_t first, uint32_t last, GError **error)
{
    const uint32_t n = page->page.count, size = xtf_stored_batch_size(page);
    const uint32_t first_batch = (first + size - 1) / size, last_batch = last < n ? last / size : (n + size - 1) / size;

    if (size == n || first_batch >= last_batch)
        return add_by_children(query, page, first, last, held, error);
    return add_by_children(query, page, first, first_batch * size, held, error) &&
           add_batches(query, page, held, first_batch, last_batch, error) &&
           add_by_children(query, page, MIN(last_batch * size, last), last, held, error);
}

bool xtf_totals_query_count_begun(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t first, uint32_t last,
                                  GError **error)
{
    g_autoptr(XtfBlock) block = xtf_stored_begun_get(page, query->index, error);

    if (!block)
        return false;
    const XtfPageNumbers *begun = (const XtfPageNumbers *)(const void *)block->data;
    query->count += begun->numbers[last] - begun->numbers[first];
    return true;
}

/* Adds the whole children [first, last). */
static bool add_children(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t first, uint32_t last,
                         GError **error)
{
    if (first >= last)
        return true;
    if (xtf_totals_query_counts_begun(query))
        return xtf_totals_query_count_begun(query, page, first, last, error);
    g_auto(XtfHeldTotals) held = {0};
    return xtf_totals_query_add_children(query, page, &held, first, last, error);
}

/* Adds rows [n1, n2), at least one, all below the page. */
static bool add_page(XtfTotalsQuery *query, const XtfDescentPage *page, uint64_t n1, uint64_t n2, GError **error)
{
    uint32_t left = xtf_descent_child_of_row(page, n1), right = xtf_descent_child_of_row(page, n2 - 1);
    uint32_t first = left + (n1 > xtf_descent_child_start(page, left)); /* whole children are [first, last) */
    uint32_t last = right + (n2 == xtf_descent_child_end(page, right));

    if (first > left && !add_child(query, page, left, n1, n2, error))
        return false;
    if (!add_children(query, page, first, last, error))
        return false;
    return last > right || (right == left && first > left) || add_child(query, page, right, n1, n2, error);
}

/* Adds the whole array by its own totals if they suffice. Sets *added accordingly. */
static bool add_array_totals(XtfTotalsQuery *query, XtfBlock *edge, bool *added, GError **error)
{
    g_autoptr(XtfBlock) stored = xtf_stored_totals_of_array(query->array, edge, query->index, error);
    XtfPageTotals totals;

    if (!stored)
        return false;
    xtf_page_totals_init(&totals, query, xtf_block_child_totals(stored));
    *added = xtf_page_totals_suffice(&totals, &totals.children->exact, 0);
    if (*added)
        xtf_page_totals_add(&totals, &totals.children->exact, 0);
    xtf_page_totals_finish(&totals);
    return true;
}

bool xtf_totals_query_run(XtfTotalsQuery *query, uint64_t n1, uint64_t n2, GError **error)
{
    const XtfArray *array = query->array;
    XtfDescentLeaf leaf;
    XtfDescentPage root;

    if (!xtf_aggregate_is_supported(array->schema, query->index, error))
        return false;
    n2 = MIN(n2, array->n_rows);
    if (n1 >= n2)
        return true;
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    if (!edge)
        return false;
    bool added = false;
    if (n1 == 0 && n2 == array->n_rows && !xtf_array_is_small(array) &&
        (!add_array_totals(query, edge, &added, error) || added))
        return added;
    if (array->height == 1) {
        xtf_descent_root_leaf(array, edge, &leaf);
        return xtf_totals_query_add_leaf(query, &leaf, n1, n2, error);
    }
    xtf_descent_root_page(array, edge, &root);
    return add_page(query, &root, n1, n2, error);
}

bool xtf_array_totals(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1, uint64_t n2,
                      XtfGroupTotals *totals, GError **error)
{
    XtfTotalsQuery query = xtf_totals_query(array, index, filter, totals);

    return xtf_totals_query_run(&query, n1, n2, error);
}

bool xtf_array_group_count(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n1,
                           uint64_t n2, uint64_t *count, GError **error)
{
    XtfTotalsQuery query = xtf_totals_query(array, index, filter, NULL);

    if (!filter) { /* NULL accepts all rows */
        n2 = MIN(n2, array->n_rows);
        *count = n2 - MIN(n1, n2);
        return true;
    }
    if (!xtf_totals_query_run(&query, n1, n2, error))
        return false;
    *count = query.count;
    return true;
}

bool xtf_array_group_rank(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t n,
                          uint64_t *rank, GError **error)
{
    return xtf_array_group_count(array, index, filter, 0, n, rank, error);
}

bool xtf_array_group_known(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t *count,
                           bool *known, GError **error)
{
    XtfTotalsQuery query = xtf_totals_query(array, index, filter, NULL);

    *known = false;
    if (!xtf_aggregate_is_supported(array->schema, index, error))
        return false;
    if (xtf_array_is_small(array))
        return true;
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    if (!edge || !add_array_totals(&query, edge, known, error))
        return false;
    *count = query.count;
    return true;
}
