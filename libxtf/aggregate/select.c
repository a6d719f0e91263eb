/*
 * Selects by group: finds the accepted row that has k accepted rows before it. The descent enters the child in which
 * the count passes k. If a child's totals do not suffice for the filter, the descent enters this child, which either
 * contains the row or counts its own rows.
 */
#include "libxtf/aggregate/digest.h"
#include "libxtf/aggregate/query.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/tables/stored.h"
#include "libxtf/tree/descent.h"

/* The search for the k-th accepted row, from 0, at or after row `from`. */
typedef struct {
    uint64_t from;
    uint64_t k; /* k minus the accepted rows skipped so far */
    uint64_t n; /* number of the k-th row; valid if found */
    bool found;
} Selection;

/* True if the k-th row is among the accepted rows that totals number `item` of a tier count. Otherwise skips these
 * rows. */
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

/* Finds the row among the rows of a leaf from `from` on. */
static void select_in_rows(const XtfTotalsQuery *query, const XtfPageView *rows, uint64_t from, Selection *selection)
{
    const XtfSchema *schema = query->array->schema;

    for (uint64_t i = from; i < rows->count && !selection->found; i++) {
        if (!xtf_row_matches(schema, query->index, query->filter, rows->payload + i * schema->row_size))
            continue;
        selection->n = rows->first_n + i;
        selection->found = selection->k-- == 0;
    }
}

/* Returns the number of a leaf's rows before row `from`. */
static uint64_t rows_before(const XtfPageView *rows, uint64_t from)
{
    return from > rows->first_n ? from - rows->first_n : 0;
}

static bool select_row(const XtfTotalsQuery *query, const XtfDescentLeaf *leaf, Selection *selection, GError **error)
{
    g_auto(XtfPageView) rows = {0};

    if (!xtf_descent_leaf_rows(leaf, &rows, error))
        return false;
    select_in_rows(query, &rows, rows_before(&rows, selection->from), selection);
    return true;
}

/* Returns the first child of [i, end) that contains the k-th row, or whose totals do not suffice. Sets *holds for
 * the former. Returns `end` if there is no child of either kind. */
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
            /* Find the child, of several that have totals together, which contains the row. */
            while (i + 1 < next && !item_holds(page, &page->children->exact, i, selection))
                i++;
            return i;
        }
        i = next;
    }
    return end;
}

/* Finds the row in a leaf: by its digest if the leaf is read again and again, else among all rows. The digest counts
 * rows before selection->from, too. */
static bool select_in_leaf(XtfTotalsQuery *query, const XtfDescentLeaf *leaf, Selection *selection, GError **error)
{
    g_auto(XtfPageView) rows = {0};
    XtfPageTotals totals;

    if (!xtf_descent_leaf_rows(leaf, &rows, error))
        return false;
    if (selection->from > rows.first_n || xtf_leaf_needs_no_digest(leaf) ||
        xtf_leaf_is_new(&rows, XTF_READ_FOR_TOTALS)) {
        select_in_rows(query, &rows, rows_before(&rows, selection->from), selection);
        return true;
    }
    g_autoptr(XtfBlock) block = xtf_leaf_digest_get(leaf, query->index, error);
    if (!block)
        return false;
    xtf_page_totals_init(&totals, query, xtf_block_child_totals(block));
    bool holds;
    uint32_t n = totals.children->n, chunk = select_item(&totals, 0, n, selection, &holds);
    xtf_page_totals_finish(&totals);
    if (chunk < n)
        select_in_rows(query, &rows, (uint64_t)chunk * XTF_CHUNK_ROWS, selection);
    return true;
}

static bool select_in_page(XtfTotalsQuery *query, const XtfDescentPage *page, Selection *selection, GError **error);

static bool select_in_child(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, Selection *selection,
                            GError **error)
{
    if (page->level == 1) {
        XtfDescentLeaf leaf;
        bool scans;
        if (!xtf_totals_query_leaf(query, page, slot, &leaf, &scans, error))
            return false;
        return scans ? select_row(query, &leaf, selection, error) : select_in_leaf(query, &leaf, selection, error);
    }
    g_auto(XtfDescentPage) child = {0};
    return xtf_descent_enter(page, slot, &child, error) && select_in_page(query, &child, selection, error);
}

/* Looks for the row in the child that has row selection->from, and rows before it. The child's totals count these, too.
 * Sets *next to the first child whose rows are all at or after that row. */
static bool select_in_first_child(XtfTotalsQuery *query, const XtfDescentPage *page, Selection *selection,
                                  uint32_t *next, GError **error)
{
    uint64_t from = selection->from;
    uint32_t slot = 0;

    *next = 0;
    if (from <= xtf_descent_child_start(page, 0))
        return true;
    slot = xtf_descent_child_of_row(page, from);
    *next = slot + (from > xtf_descent_child_start(page, slot));
    return *next == slot || select_in_child(query, page, slot, selection, error);
}

static bool fail_missing(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t first, uint32_t last,
                         GError **error)
{
    return xtf_damaged(
        error, "array %u, level %u: rows %" PRIu64 " to %" PRIu64 ": fewer accepted rows than their totals say",
        query->array->id, page->level, xtf_descent_child_start(page, first), xtf_descent_child_end(page, last));
}

/* Enters the child that contains the row, and before it each child whose totals do not suffice. Looks at the children
 * from `first` on whose totals are stored together. */
static bool select_in_batch(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t first, XtfBlock **filters,
                            Selection *selection, GError **error)
{
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(page, query->index, first, error);
    XtfPageTotals totals;

    if (!stored)
        return false;
    bool success = true;
    const XtfChildTotals *children = xtf_block_child_totals(stored);
    xtf_page_totals_init(&totals, query, children);
    for (uint32_t i = first - children->first; success && !selection->found && i < children->n; i++) {
        bool holds, may_have = true;
        i = select_item(&totals, i, children->n, selection, &holds);
        const uint32_t slot = children->first + i;
        if (i < children->n && !holds)
            success = xtf_totals_query_may_be_below(query, page, slot, filters, &may_have, error);
        if (success && may_have && i < children->n)
            success = select_in_child(query, page, slot, selection, error);
        if (success && holds && !selection->found)
            success = fail_missing(query, page, slot, slot, error);
    }
    xtf_page_totals_finish(&totals);
    return success;
}

/* Passes the batches from child `slot` on that do not contain the row. Returns the first child of the batch that may;
 * sets *holds if it does. `batches`: the totals of batches. */
static uint32_t pass_batches(XtfPageTotals *batches, uint32_t slot, Selection *selection, bool *holds)
{
    const XtfChildTotals *children = batches->children;
    uint32_t batch = slot / children->step;

    *holds = false;
    if (slot % children->step > 0)
        return slot;
    while (batch < children->n && xtf_page_totals_suffice(batches, &children->exact, batch) && !*holds) {
        *holds = item_holds(batches, &children->exact, batch, selection);
        batch += !*holds;
    }
    return batch * children->step;
}

/* Looks for the row in the children of a page from `slot` on, whose totals are in batches. */
static bool select_in_batches(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, XtfBlock **filters,
                              Selection *selection, GError **error)
{
    g_autoptr(XtfBlock) block = xtf_stored_totals_of_batches(page, query->index, error);
    const uint32_t size = xtf_stored_batch_size(page);
    XtfPageTotals batches;
    bool success = true;

    if (!block)
        return false;
    xtf_page_totals_init(&batches, query, xtf_block_child_totals(block));
    while (success && !selection->found) {
        bool holds;
        slot = pass_batches(&batches, slot, selection, &holds);
        if (slot >= page->page.count)
            break;
        const uint32_t first = slot;
        slot = (slot / size + 1) * size;
        success =
            select_in_batch(query, page, first, filters, selection, error) &&
            (selection->found || !holds || fail_missing(query, page, first, MIN(slot, page->page.count) - 1, error));
    }
    xtf_page_totals_finish(&batches);
    return success;
}

static bool select_in_page(XtfTotalsQuery *query, const XtfDescentPage *page, Selection *selection, GError **error)
{
    g_autoptr(XtfBlock) filters = NULL;
    uint32_t first;

    if (!select_in_first_child(query, page, selection, &first, error))
        return false;
    if (selection->found || first >= page->page.count)
        return true;
    return xtf_stored_batch_size(page) < page->page.count
               ? select_in_batches(query, page, first, &filters, selection, error)
               : select_in_batch(query, page, first, &filters, selection, error);
}

bool xtf_array_group_select(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t k,
                            uint64_t *n, GError **error)
{
    return xtf_array_group_select_from(array, index, filter, 0, k, n, error);
}

bool xtf_array_group_select_from(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t from,
                                 uint64_t k, uint64_t *n, GError **error)
{
    XtfTotalsQuery query = xtf_totals_query(array, index, filter, NULL);
    Selection selection = {.from = from, .k = k, .n = array->n_rows};
    XtfDescentLeaf leaf;
    XtfDescentPage root;
    bool success;

    if (!filter) { /* NULL accepts all rows */
        *n = from < array->n_rows ? from + MIN(k, array->n_rows - from) : array->n_rows;
        return true;
    }
    if (from >= array->n_rows) {
        *n = array->n_rows;
        return true;
    }
    if (!xtf_aggregate_is_supported(array->schema, index, error))
        return false;
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    if (!edge)
        return false;
    if (array->height == 1) {
        xtf_descent_root_leaf(array, edge, &leaf);
        success = select_in_leaf(&query, &leaf, &selection, error);
    } else {
        xtf_descent_root_page(array, edge, &root);
        success = select_in_page(&query, &root, &selection, error);
    }
    if (success)
        *n = selection.found ? selection.n : array->n_rows;
    return success;
}
