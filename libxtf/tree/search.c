/*
 * How the TN index differs from the textbook's B+tree.
 *
 * Keys only grow, so the tree is filled from the left and nothing ever splits. A page is written when it is full; from
 * then on it is sealed. The pages that are not sealed are the right edge: on every level the last page, open, from the
 * root down to the last leaf. The root is always open (a level above it comes into being when it is sealed). A commit
 * stores the open pages of an array in one item, so that a descent begins in that item and goes on there for as long as
 * it follows last entries:
 *
 *     edge:   [root: . . .]                      the item: one cache block, a page visit a level
 *                | |     \
 *     sealed: [index]     [open index: . .]      <- in the item
 *              |  |          |      \
 *            [leaf][leaf]  [leaf]   [open leaf]  <- in the item
 *
 * An entry is (first T, rows before, child). With the rows before a child in its entry, the rank of a time is known at
 * the end of one descent, and size(t1, t2) is the difference of two, whatever lies between. The paper climbs from two
 * leaves to their common ancestor; the running counts make that needless.
 *
 * Equal times may span pages. rank(t) counts the rows strictly before t, so the descent takes the last child that
 * begins before t: where a child begins at t itself, rows of time t may stand in the leaf before it, but none earlier
 * than t in the child.
 */
#include "libxtf/tree/search.h"

/* What a descent has cost. Added to the trace's counters once, at its end. */
typedef struct {
    uint64_t visits, comparisons;
} Cost;

static void charge(XtfTrace *trace, const Cost *cost)
{
    atomic_fetch_add_explicit(&trace->page_visits, cost->visits, memory_order_relaxed);
    if (cost->comparisons > 0)
        atomic_fetch_add_explicit(&trace->key_comparisons, cost->comparisons, memory_order_relaxed);
}

/* The first of keys[low, high) that is not less than the key; high if there is none. */
static uint32_t lower_bound(const uint8_t *keys, uint32_t stride, uint32_t low, uint32_t high, uint64_t key, Cost *cost)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        cost->comparisons++;
        if (xtf_load64(keys + (size_t)middle * stride) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The entry to follow. The first entry's key is not compared: the caller has come here by it. */
static uint32_t choose(const XtfPageView *node, XtfKeyKind kind, uint64_t key, Cost *cost)
{
    const XtfDiskEntry *entries = xtf_page_entry(node, 0);

    if (kind == XTF_KEY_T)
        return lower_bound(entries->first_t.bytes, sizeof *entries, 1, node->count, key, cost) - 1;
    /* The last child with no more than n rows before it: the first one with at least n + 1, less one. */
    return lower_bound(entries->before.bytes, sizeof *entries, 1, node->count, key + 1, cost) - 1;
}

static bool descend(const XtfArray *array, XtfBlock *edge, XtfKeyKind kind, uint64_t key, XtfLeafPart part,
                    XtfPageView *found, Cost *cost, GError **error)
{
    XtfDescentPage page, child;
    XtfDescentLeaf leaf;

    if (array->height == 1) {
        xtf_descent_root_leaf(array, edge, &leaf);
        return xtf_descent_leaf_get(&leaf, part, found, error);
    }
    xtf_descent_root_page(array, edge, &page);
    for (;;) {
        uint32_t slot = choose(&page.page, kind, key, cost);
        bool good;
        cost->visits++;
        if (page.level == 1) {
            xtf_descent_leaf(&page, slot, &leaf);
            good = xtf_descent_leaf_get(&leaf, part, found, error);
            xtf_descent_leave(&page);
            return good;
        }
        good = xtf_descent_enter(&page, slot, &child, error);
        xtf_descent_leave(&page);
        if (!good)
            return false;
        page = child;
    }
}

bool xtf_leaf_find(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                   GError **error)
{
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    if (!edge)
        return false;

    Cost cost = {.visits = 1};
    bool good = descend(array, edge, kind, key, part, leaf, &cost, error);
    charge(array->trace, &cost);
    return good;
}

/* The open leaf if it begins with row n, else the sealed leaf at a place. */
static bool leaf_at(const XtfArray *array, uint64_t place, uint64_t n, XtfPageView *leaf, GError **error)
{
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);

    if (!edge)
        return false;
    charge(array->trace, &(Cost){.visits = 1});
    if (xtf_edge_level(edge->data, array->height, 0).first_n == n)
        return xtf_leaf_get_open(array, edge, XTF_LEAF_ROWS, leaf, error);
    return xtf_leaf_get(array, place, XTF_LEAF_ROWS, leaf, error);
}

/* Whether two leaves, read by a link from one to the other, are neighbours. `place` is that of the one linked to. */
static bool are_neighbours(const XtfArray *array, const XtfPageView *left, const XtfPageView *right, uint64_t place,
                           GError **error)
{
    if (left->first_n + left->count != right->first_n)
        return xtf_damaged(error, "array %u: leaf %" PRIu64 " is not the one beside row %" PRIu64, array->id, place,
                           right->first_n);
    if (xtf_page_time(left, left->count - 1) > xtf_page_time(right, 0))
        return xtf_damaged(error, "array %u: time goes backwards before row %" PRIu64, array->id, right->first_n);
    return true;
}

bool xtf_leaf_next(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error)
{
    g_auto(XtfPageView) read = {0};

    if (!leaf_at(array, leaf->next, leaf->first_n + leaf->count, &read, error) ||
        !are_neighbours(array, leaf, &read, leaf->next, error))
        return false;
    *next = xtf_page_view_steal(&read);
    return true;
}

bool xtf_leaf_previous(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error)
{
    g_auto(XtfPageView) read = {0};

    if (!xtf_leaf_get(array, leaf->previous, XTF_LEAF_ROWS, &read, error) ||
        !are_neighbours(array, &read, leaf, leaf->previous, error))
        return false;
    charge(array->trace, &(Cost){.visits = 1});
    *previous = xtf_page_view_steal(&read);
    return true;
}

uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t)
{
    Cost cost = {0};
    uint32_t rank = lower_bound(leaf->keys, leaf->stride, 0, leaf->count, t, &cost);
    charge(array->trace, &cost);
    return rank;
}
