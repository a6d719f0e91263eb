/*
 * Selecting by group: the row that the filter takes and that has k such rows before it. The descent enters the child
 * whose totals count beyond k. If totals do not suffice for the filter, the descent enters that child, which either
 * holds the row or counts its own rows.
 */
#include "libxtf/aggregate/digest.h"
#include "libxtf/aggregate/query.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/stored.h"
#include "libxtf/tree/descent.h"

/* The k-th row that the filter takes, from 0. */
typedef struct {
    uint64_t k; /* less the rows that were passed */
    uint64_t n; /* the row, once it is found */
    bool found;
} Selection;

/* Whether the k-th row is below an item; if not, the rows below the item are passed. */
static bool item_holds(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item, Selection *selection)
{
    uint64_t before = page->query->count;

    xtf_page_totals_add(page, tier, item);
    uint64_t count = page->query->count - before;
    if (selection->k < count)
        return true;
    selection->k -= count;
    return false;
}

static bool select_row(const XtfTotalsQuery *query, const XtfDescentLeaf *leaf, uint64_t from, Selection *selection,
                       GError **error)
{
    const XtfSchema *schema = query->array->schema;
    g_auto(XtfPageView) rows = {0};

    if (!xtf_descent_leaf_rows(leaf, &rows, error))
        return false;
    for (uint64_t i = from; i < rows.count && !selection->found; i++) {
        if (!xtf_row_matches(schema, query->index, query->filter, rows.payload + i * schema->row_size))
            continue;
        selection->n = leaf->first_n + i;
        selection->found = selection->k-- == 0;
    }
    return true;
}

/* The first child of [i, end) that *holds the k-th row or whose totals do not suffice; `end` if there is neither. */
static uint32_t select_item(XtfPageTotals *page, uint32_t i, uint32_t end, Selection *selection, bool *holds)
{
    *holds = false;
    while (i < end) {
        const XtfTotalsTier *tier;
        uint32_t item, next = xtf_page_totals_next(page, i, end, &tier, &item);
        if (next == i + 1 && !xtf_page_totals_suffice(page, tier, item))
            return i;
        if (item_holds(page, tier, item, selection)) {
            *holds = true;
            while (i + 1 < next &&
                   !item_holds(page, &page->children->exact, i, selection)) /* in a child of the block */
                i++;
            return i;
        }
        i = next;
    }
    return end;
}

static bool select_in_leaf(XtfTotalsQuery *query, const XtfDescentLeaf *leaf, Selection *selection, GError **error)
{
    g_autoptr(XtfBlock) block = xtf_leaf_digest_get(leaf, query->index, error);
    XtfPageTotals totals;

    if (!block)
        return false;
    xtf_page_totals_init(&totals, query, xtf_block_child_totals(block));
    bool holds;
    uint32_t n = totals.children->n, chunk = select_item(&totals, 0, n, selection, &holds);
    xtf_page_totals_finish(&totals);
    return chunk == n || select_row(query, leaf, (uint64_t)chunk * XTF_CHUNK_ROWS, selection, error);
}

static bool select_in_page(XtfTotalsQuery *query, const XtfDescentPage *page, Selection *selection, GError **error);

static bool select_in_child(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, Selection *selection,
                            GError **error)
{
    if (page->level == 1) {
        XtfDescentLeaf leaf;
        bool scans;
        xtf_descent_leaf(page, slot, &leaf);
        if (!xtf_totals_query_scans(query, page, slot, &scans, error))
            return false;
        return scans ? select_row(query, &leaf, 0, selection, error) : select_in_leaf(query, &leaf, selection, error);
    }
    g_auto(XtfDescentPage) child = {0};
    return xtf_descent_enter(page, slot, &child, error) && select_in_page(query, &child, selection, error);
}

/* Enters the child that holds the row, and before it each child whose totals do not suffice. */
static bool select_in_page(XtfTotalsQuery *query, const XtfDescentPage *page, Selection *selection, GError **error)
{
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(page, query->index, error);
    g_autoptr(XtfBlock) filters = NULL;
    XtfPageTotals totals;
    bool good = true;

    if (!stored)
        return false;
    xtf_page_totals_init(&totals, query, xtf_block_child_totals(stored));
    for (uint32_t i = 0; good && !selection->found && i < page->page.count; i++) {
        bool holds, may = true;
        i = select_item(&totals, i, page->page.count, selection, &holds);
        if (i < page->page.count && !holds)
            good = xtf_totals_query_may_be_below(query, page, i, &filters, &may, error);
        if (good && may && i < page->page.count)
            good = select_in_child(query, page, i, selection, error);
        if (good && holds && !selection->found)
            good = xtf_damaged(
                error, "array %u, level %u: rows %" PRIu64 " to %" PRIu64 ": fewer than their totals say",
                query->array->id, page->level, xtf_descent_child_start(page, i), xtf_descent_child_end(page, i));
    }
    xtf_page_totals_finish(&totals);
    return good;
}

bool xtf_array_group_select(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t k,
                            uint64_t *n, GError **error)
{
    XtfTotalsQuery query = xtf_totals_query(array, index, filter, NULL);
    Selection selection = {.k = k, .n = array->n_rows};
    XtfDescentLeaf leaf;
    XtfDescentPage root;
    bool good;

    if (!filter) { /* it takes all rows */
        *n = MIN(k, array->n_rows);
        return true;
    }
    if (!xtf_aggregate_is_known(array->schema, index, error))
        return false;
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    if (!edge)
        return false;
    if (array->height == 1) {
        xtf_descent_root_leaf(array, edge, &leaf);
        good = select_in_leaf(&query, &leaf, &selection, error);
    } else {
        xtf_descent_root_page(array, edge, &root);
        good = select_in_page(&query, &root, &selection, error);
    }
    if (good)
        *n = selection.found ? selection.n : array->n_rows;
    return good;
}
