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
        xtf_descent_leaf(page, slot, &leaf);
        if (!xtf_totals_query_scans(query, page, slot, &scans, error))
            return false;
        if (scans)
            return xtf_totals_query_scan_leaf(query, &leaf, n1, n2, error);
        return xtf_totals_query_add_leaf(query, &leaf, n1, n2, error);
    }
    g_auto(XtfDescentPage) child = {0};
    return xtf_descent_enter(page, slot, &child, error) && add_page(query, &child, n1, n2, error);
}

bool xtf_totals_query_add_children(XtfTotalsQuery *query, const XtfDescentPage *page, const XtfBlock *stored,
                                   uint32_t first, uint32_t last, GError **error)
{
    g_autoptr(XtfBlock) filters = NULL;
    XtfPageTotals totals;
    bool success = true, may_have;
    xtf_page_totals_init(&totals, query, xtf_block_child_totals(stored));
    for (uint32_t i = first; success && i < last;) {
        const XtfTotalsTier *tier;
        uint32_t item, child = i;
        i = xtf_page_totals_next(&totals, i, last, &tier, &item);
        if (i > child + 1 || xtf_page_totals_suffice(&totals, tier, item))
            xtf_page_totals_add(&totals, tier, item);
        else if ((success = xtf_totals_query_may_be_below(query, page, child, &filters, &may_have, error)) && may_have)
            success = add_child(query, page, child, 0, UINT64_MAX, error);
    }
    xtf_page_totals_finish(&totals);
    return success;
}

bool xtf_totals_query_count_begun(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t first, uint32_t last,
                                  GError **error)
{
    g_autoptr(XtfBlock) block = xtf_stored_begun_get(page, query->index, error);

    if (!block)
        return false;
    const XtfBegunFrames *begun = (const XtfBegunFrames *)(const void *)block->data;
    query->count += begun->before[last] - begun->before[first];
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
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(page, query->index, error);
    return stored && xtf_totals_query_add_children(query, page, stored, first, last, error);
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
