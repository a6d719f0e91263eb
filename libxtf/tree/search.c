/*
 * How the TN index differs from the textbook's B+tree.
 *
 * Keys only grow, so the tree is filled from the left and nothing ever splits. A page is written when it is full; from
 * then on it is sealed. What is not sealed is the right edge: on every level the last page, open, from the root down to
 * the last leaf. The root is always open (a level above it comes into being when it is sealed). A commit stores the
 * open pages of an array in one item, so that a descent begins in that item and goes on there for as long as it follows
 * last entries:
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
 * Equal times may span pages. rank(t) counts what is strictly before t, so the descent takes the last child that
 * begins before t: a child that begins at t itself may have rows of time t in the leaf before it, but none earlier than
 * t inside.
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

static bool get_page(const XtfArray *array, uint64_t place, unsigned level, XtfPageView *page, GError **error)
{
    XtfBlock *block = xtf_page_get(array, place, level, error);

    if (block)
        xtf_page_view_of_page(array, block, page);
    return block != NULL;
}

/* The entry to follow. The first entry's key is no news: whoever got here knows it. */
static uint32_t choose(const XtfPageView *node, XtfKeyKind kind, uint64_t key, Cost *cost)
{
    const XtfDiskEntry *entries = (const XtfDiskEntry *)node->payload;

    if (kind == XTF_KEY_T)
        return lower_bound(entries->first_t.bytes, sizeof *entries, 1, node->count, key, cost) - 1;
    /* The last child with no more than n rows before it: the first one with at least n + 1, less one. */
    return lower_bound(entries->before.bytes, sizeof *entries, 1, node->count, key + 1, cost) - 1;
}

/* Goes from a page of `level` to the child that an entry of it names. `*open` says that the page is the open one of its
 * level, then that the child is. The page's block is put back, and if it fails none is pinned. */
static bool step_down(const XtfArray *array, unsigned level, uint32_t slot, XtfLeafPart part, bool *open,
                      XtfPageView *node, GError **error)
{
    XtfCache *cache = array->trace->cache;
    const XtfDiskEntry entry = ((const XtfDiskEntry *)node->payload)[slot];
    XtfBlock *from = node->block;
    bool good = true;

    *open = *open && slot == node->count - 1;
    if (*open) { /* in the same block, the right edge */
        if (level > 1)
            xtf_page_view_of_edge(array, from, level - 1, node);
        else
            good = xtf_leaf_get_open(array, from, part, node, error);
    } else {
        xtf_cache_put(cache, from);
        if (level > 1)
            good = get_page(array, xtf_read64(entry.child), level - 1, node, error);
        else
            good = xtf_leaf_get(array, xtf_read64(entry.child), part, node, error);
    }
    if (!good || (node->first_n == xtf_read64(entry.before) && xtf_page_time(node, 0) == xtf_read64(entry.first_t)))
        return good;
    xtf_cache_put(cache, node->block);
    return xtf_damaged(error, "array %u: page %" PRIu64 " does not begin as the entry that names it says", array->id,
                       xtf_read64(entry.child));
}

bool xtf_index_leaf(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                    GError **error)
{
    XtfTrace *trace = array->trace;
    XtfBlock *edge = xtf_edge_get(array, error);
    if (!edge)
        return false;

    Cost cost = {.visits = 1};
    XtfPageView node;
    unsigned level = array->height - 1u;
    bool good = true, open = true;
    if (level > 0)
        xtf_page_view_of_edge(array, edge, level, &node);
    else
        good = xtf_leaf_get_open(array, edge, part, &node, error);
    for (; good && level > 0; level--) {
        good = step_down(array, level, choose(&node, kind, key, &cost), part, &open, &node, error);
        cost.visits++;
    }
    charge(trace, &cost);
    if (!good)
        return false;
    if (kind == XTF_KEY_N && (key < node.first_n || key - node.first_n >= node.count)) {
        xtf_cache_put(trace->cache, node.block);
        return xtf_damaged(error, "array %u: row %" PRIu64 " is not in the leaf that should hold it", array->id, key);
    }
    *leaf = node;
    return true;
}

/* The open leaf, or the sealed one at a place: whichever begins with, or ends before, row n. */
static bool neighbour(const XtfArray *array, uint64_t place, uint64_t n, bool forwards, XtfPageView *view,
                      GError **error)
{
    XtfTrace *trace = array->trace;
    XtfBlock *edge = xtf_edge_get(array, error);
    if (!edge)
        return false;
    bool good;
    if (forwards && xtf_read64(((const XtfDiskEdge *)edge->data)->first_n) == n) {
        good = xtf_leaf_get_open(array, edge, XTF_LEAF_ROWS, view, error);
    } else {
        xtf_cache_put(trace->cache, edge);
        good = xtf_leaf_get(array, place, XTF_LEAF_ROWS, view, error);
    }
    charge(trace, &(Cost){.visits = 1});
    if (!good || (forwards ? view->first_n == n : view->first_n + view->count == n))
        return good;
    xtf_cache_put(trace->cache, view->block);
    return xtf_damaged(error, "array %u: leaf %" PRIu64 " is not the one beside row %" PRIu64, array->id, place, n);
}

/* Whether time goes on from one leaf to the next; if not, `got`, one of the two, is put back. */
static bool in_order(const XtfArray *array, const XtfPageView *left, const XtfPageView *right, const XtfPageView *got,
                     GError **error)
{
    if (xtf_page_time(left, left->count - 1) <= xtf_page_time(right, 0))
        return true;
    xtf_cache_put(array->trace->cache, got->block);
    return xtf_damaged(error, "array %u: time goes backwards before row %" PRIu64, array->id, right->first_n);
}

bool xtf_index_next_leaf(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error)
{
    return neighbour(array, leaf->next, leaf->first_n + leaf->count, true, next, error) &&
           in_order(array, leaf, next, next, error);
}

bool xtf_index_previous_leaf(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error)
{
    return neighbour(array, leaf->previous, leaf->first_n, false, previous, error) &&
           in_order(array, previous, leaf, previous, error);
}

uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t)
{
    Cost cost = {0};
    uint32_t rank = lower_bound(leaf->keys, leaf->stride, 0, leaf->count, t, &cost);
    charge(array->trace, &cost);
    return rank;
}
