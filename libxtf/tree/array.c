#include "libxtf/tree/descent.h"

XtfArray xtf_array_local(const XtfArray *array)
{
    XtfArray local = *array;

    local.clock = NULL;
    local.first = array->local_first;
    local.last = array->local_last;
    local.kept = xtf_clock_map_to_local(array->clock, array->kept);
    return local;
}

unsigned xtf_array_height(const XtfArray *array)
{
    return array->height;
}

bool xtf_array_rank(const XtfArray *array, uint64_t t, uint64_t *n, GError **error)
{
    t = MAX(t, array->kept);
    if (t <= array->first) {
        *n = 0;
        return true;
    }
    if (t > array->last) {
        *n = array->n_rows;
        return true;
    }
    g_auto(XtfPageView) leaf = {0};
    uint64_t local = array->clock ? xtf_clock_map_to_local(array->clock, t) : t;
    if (!xtf_leaf_find(array, XTF_KEY_T, local, XTF_LEAF_TIMES, &leaf, error))
        return false;
    *n = leaf.first_n + xtf_leaf_rank(array, &leaf, local);
    return true;
}

bool xtf_array_first_kept(const XtfArray *array, uint64_t *n, GError **error)
{
    return xtf_array_rank(array, 0, n, error);
}

bool xtf_array_rank_within(const XtfArray *array, uint64_t t, uint64_t low, uint64_t high, uint64_t *n, GError **error)
{
    if (low >= high) {
        *n = low;
        return true;
    }
    uint64_t rank;
    if (!xtf_array_rank(array, t, &rank, error))
        return false;
    *n = CLAMP(rank, low, high);
    return true;
}

/* Finds the leaf that holds row n. */
static bool find_row(const XtfArray *array, uint64_t n, XtfLeafPart part, XtfPageView *leaf, GError **error)
{
    if (n >= array->n_rows)
        return xtf_fail(error, XTF_ERROR_INVALID, "array %u has no row %" PRIu64 "; it has %" PRIu64 " rows", array->id,
                        n, array->n_rows);
    return xtf_leaf_find(array, XTF_KEY_N, n, part, leaf, error);
}

bool xtf_array_time(const XtfArray *array, uint64_t n, uint64_t *t, GError **error)
{
    g_auto(XtfPageView) leaf = {0};

    if (!find_row(array, n, XTF_LEAF_TIMES, &leaf, error))
        return false;
    *t = xtf_clock_map_to_global(array->clock, xtf_page_time(&leaf, (uint32_t)(n - leaf.first_n)));
    return true;
}

bool xtf_array_row(const XtfArray *array, uint64_t n, uint8_t *row, GError **error)
{
    g_auto(XtfPageView) leaf = {0};
    uint32_t row_size = array->schema->row_size;

    if (!find_row(array, n, XTF_LEAF_ROWS, &leaf, error))
        return false;
    memcpy(row, leaf.payload + (size_t)(n - leaf.first_n) * row_size, row_size);
    if (array->clock)
        xtf_clock_map_rows(array->clock, array->schema, row, 1);
    return true;
}

static void expect_window(const XtfArray *array, uint64_t t1, uint64_t t2)
{
    XtfTrace *trace = array->trace;

    if (atomic_load_explicit(&trace->counts_expected, memory_order_relaxed) <= 0 || t1 <= array->first ||
        t2 > array->last)
        return;
    atomic_fetch_sub_explicit(&trace->counts_expected, 1, memory_order_relaxed);
    xtf_descent_expect(array, xtf_clock_map_to_local(array->clock, t1), xtf_clock_map_to_local(array->clock, t2));
}

bool xtf_array_size_t(const XtfArray *array, uint64_t t1, uint64_t t2, uint64_t *size, GError **error)
{
    uint64_t n1, n2;

    if (t1 >= t2) {
        *size = 0;
        return true;
    }
    expect_window(array, t1, t2);
    if (!xtf_array_rank(array, t1, &n1, error) || !xtf_array_rank(array, t2, &n2, error))
        return false;
    if (n1 > n2)
        return xtf_damaged(error, "array %u: more rows before time %" PRIu64 " than before the later time %" PRIu64,
                           array->id, t1, t2);
    *size = n2 - n1;
    return true;
}

uint64_t xtf_array_size_n(const XtfArray *array, uint64_t n1, uint64_t n2)
{
    n2 = MIN(n2, array->n_rows);
    return n1 < n2 ? n2 - n1 : 0;
}

/* ---- Entries of level 1. */

/* Appends the entries of the pages of level 1 below a page. Fails if `entries` then has more than `most`. */
static bool add_leaves(const XtfDescentPage *page, GArray *entries, guint most, GError **error)
{
    if (page->level == 1) {
        g_array_append_vals(entries, page->page.payload, page->page.count);
        return entries->len <= most ||
               xtf_fail(error, XTF_ERROR_TOO_LARGE, "array %u: too many leaves", page->array->id);
    }
    for (uint32_t slot = 0; slot < page->page.count; slot++) {
        g_auto(XtfDescentPage) child = {0};
        if (!xtf_descent_enter(page, slot, &child, error) || !add_leaves(&child, entries, most, error))
            return false;
    }
    return true;
}

bool xtf_array_leaves(const XtfArray *array, GArray *entries, guint most, GError **error)
{
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    XtfDescentPage root;

    if (!edge || array->height < 2)
        return false;
    xtf_descent_root_page(array, edge, &root);
    return add_leaves(&root, entries, most, error);
}
