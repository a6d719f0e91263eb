/*
 * The TN index, and how it differs from the textbook B+tree.
 *
 * Keys only grow, so the tree is filled from the left and no page ever splits. A page is written when it is full; from
 * then on it is sealed. The pages that are not sealed are the right edge: the last page of every level, from the root
 * to the last leaf. The root is always open; when it is sealed, a level is added above it. A commit stores the open
 * pages of an array in one item. So a descent begins in that item and stays in it as long as it follows last entries:
 *
 *     edge:   [root: . . .]                      the item: one cache block, one page visit per level
 *                | |     \
 *     sealed: [index]     [open index: . .]      <- in the item
 *              |  |          |      \
 *            [leaf][leaf]  [leaf]   [open leaf]  <- in its own item, behind the edge's
 *
 * An entry is (first T, rows before, child). Since the entry holds the number of rows before the child, one descent
 * finds the rank of a time. So size(t1, t2) is the difference of two ranks, for any number of rows between. The paper
 * climbs from two leaves to their common ancestor; the running counts make that unnecessary.
 *
 * Equal times may span pages. rank(t) counts the rows strictly before t, so the descent takes the last child that
 * begins before t. If the next child begins at t itself, the leaf before it may also hold rows of time t. The child
 * holds no row earlier than t.
 */
#include "libxtf/tree/descent.h"

void xtf_descent_root_leaf(const XtfArray *array, XtfBlock *edge, XtfDescentLeaf *leaf)
{
    *leaf = (XtfDescentLeaf){
        .array = array, .edge = edge, .open = true, .end = array->n_rows, .offset = xtf_open_leaf_offset(array, edge)};
}

void xtf_descent_root_page(const XtfArray *array, XtfBlock *edge, XtfDescentPage *root)
{
    *root =
        (XtfDescentPage){.array = array, .edge = edge, .level = array->height - 1u, .open = true, .end = array->n_rows};
    xtf_page_view_of_edge(array, edge, root->level, &root->page);
}

uint64_t xtf_descent_child_start(const XtfDescentPage *page, uint32_t slot)
{
    return xtf_read64(xtf_page_entry(&page->page, slot)->before);
}

uint64_t xtf_descent_child_end(const XtfDescentPage *page, uint32_t slot)
{
    return slot + 1 < page->page.count ? xtf_descent_child_start(page, slot + 1) : page->end;
}

uint32_t xtf_descent_child_of_row(const XtfDescentPage *page, uint64_t n)
{
    uint32_t low = 0, high = page->page.count - 1;

    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (xtf_descent_child_start(page, middle) <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static bool is_open_child(const XtfDescentPage *page, uint32_t slot)
{
    return page->open && slot + 1 == page->page.count;
}

void xtf_descent_leaf(const XtfDescentPage *page, uint32_t slot, XtfDescentLeaf *leaf)
{
    const XtfArray *array = page->array;
    uint64_t place = xtf_read64(xtf_page_entry(&page->page, slot)->child);
    bool open = is_open_child(page, slot);

    *leaf = (XtfDescentLeaf){
        .array = array,
        .edge = page->edge,
        .parent = page,
        .slot = slot,
        .open = open,
        .place = place,
        .first_n = xtf_descent_child_start(page, slot),
        .end = xtf_descent_child_end(page, slot),
    };
    if (array->joined) /* leaves of several arrays may have the same place */
        leaf->offset = leaf->first_n;
    else
        leaf->offset = open ? xtf_open_leaf_offset(array, page->edge)
                            : xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), place);
}

static inline bool enter_child(const XtfDescentPage *page, uint32_t slot, XtfDescentPage *child, GError **error)
{
    const XtfArray *array = page->array;
    const XtfDiskEntry *entry = xtf_page_entry(&page->page, slot);

    child->array = array;
    child->edge = page->edge;
    child->level = page->level - 1;
    child->open = is_open_child(page, slot);
    child->end = xtf_descent_child_end(page, slot);
    if (child->open) {
        xtf_page_view_of_edge(array, page->edge, child->level, &child->page);
    } else {
        XtfBlock *block = xtf_page_get(array, xtf_read64(entry->child), child->level, error);
        if (!block)
            return false;
        xtf_page_view_of_page(array, block, &child->page);
    }
    /* Entries ascend, so if the last entry's rows are before the end, all are. */
    if (G_LIKELY(child->page.first_n == xtf_read64(entry->before) &&
                 xtf_page_time(&child->page, 0) == xtf_read64(entry->first_t) &&
                 xtf_descent_child_start(child, child->page.count - 1) < child->end))
        return true;
    xtf_descent_leave(child);
    return xtf_damaged(error, "array %u: page %" PRIu64 " does not match its entry in the parent page", array->id,
                       xtf_read64(entry->child));
}

bool xtf_descent_enter(const XtfDescentPage *page, uint32_t slot, XtfDescentPage *child, GError **error)
{
    return enter_child(page, slot, child, error);
}

void xtf_descent_leave(XtfDescentPage *page)
{
    if (!page->open)
        xtf_page_view_finish(&page->page);
}

/* ---- Pieces of joined arrays. */

bool xtf_joined_piece(const XtfArray *array, const XtfBlock *edge, uint64_t n, XtfPiece *piece, XtfArray *source,
                      GError **error)
{
    unsigned last = array->schema->n_aggregates > 0 ? array->height : 0;
    XtfBytesReader totals = xtf_edge_totals(edge->data, edge->length, array->height, last);
    XtfArray entry;
    uint32_t schema;

    if (totals.failed)
        return xtf_damaged(error, "array %u: its right edge is cut short before its pieces", array->id);
    const uint8_t *pieces = totals.at + totals.left;
    const char *fault = xtf_pieces_find(pieces, (uint32_t)(edge->data + edge->length - pieces), array, n, piece);
    if (fault)
        return xtf_damaged(error, "array %u: row %" PRIu64 ": %s", array->id, n, fault);
    if (piece->kind != XTF_PIECE_ARRAY)
        return true;
    xtf_array_entry_decode(piece->array, &entry, &schema);
    if (!xtf_array_check_entry(array->trace, &entry, schema, source, error) || !xtf_array_is_supported(source, error))
        return false;
    source->cache = array->cache;
    source->kept = 0;
    source->shifts = piece->shifts;
    source->n_shifts = piece->n_shifts;
    return true;
}

/* Creates a view of rows in the edge, which the view pins. */
static bool get_own_rows(const XtfArray *array, const XtfPiece *piece, const XtfBlock *edge, XtfPageView *leaf,
                         GError **error)
{
    XtfBlock *pinned = xtf_edge_get(array, error);

    if (!pinned)
        return false;
    const uint8_t *rows = pinned->data + (piece->rows - edge->data);
    *leaf = (XtfPageView){
        .block = pinned,
        .payload = rows,
        .keys = rows,
        .stride = array->schema->row_size,
        .count = (uint32_t)(piece->end - piece->first_n),
    };
    return true;
}

bool xtf_joined_leaf_get(const XtfArray *array, const XtfBlock *edge, uint64_t n, uint64_t place, XtfLeafPart part,
                         XtfPageView *leaf, GError **error)
{
    XtfPiece piece;
    XtfArray source;
    bool good;

    if (!xtf_joined_piece(array, edge, n, &piece, &source, error))
        return false;
    if (piece.kind == XTF_PIECE_ROWS) {
        good = get_own_rows(array, &piece, edge, leaf, error);
    } else {
        XtfLeafPart shown = source.clock ? XTF_LEAF_GLOBAL_ROWS : part;
        g_autoptr(XtfBlock) source_edge = place == 0 ? xtf_edge_get(&source, error) : NULL;
        if (place == 0 && !source_edge)
            return false;
        good = place == 0 ? xtf_leaf_get_open(&source, source_edge, shown, leaf, error)
                          : xtf_leaf_get(&source, place, shown, leaf, error);
    }
    if (good)
        leaf->first_n += piece.first_n;
    return good;
}

/* Reads the open leaf: in a joined array the last leaf of its last piece. */
static bool read_open_leaf(const XtfArray *array, XtfBlock *edge, XtfLeafPart part, XtfPageView *leaf, GError **error)
{
    if (!array->joined)
        return xtf_leaf_get_open(array, edge, part, leaf, error);
    XtfEdgeLevel level = xtf_edge_level(edge->data, array->height, 0);
    if (!xtf_joined_leaf_get(array, edge, level.first_n, level.place, part, leaf, error))
        return false;
    if (leaf->first_n == level.first_n && leaf->count == level.count)
        return true;
    xtf_page_view_finish(leaf);
    return xtf_damaged(error, "joined array %u: its last leaf does not match its right edge", array->id);
}

/* Reads the leaf in a slot of a page of level 1. */
static inline bool read_leaf(const XtfDescentPage *page, uint32_t slot, XtfLeafPart part, XtfPageView *leaf,
                             GError **error)
{
    const XtfArray *array = page->array;
    const XtfDiskEntry *entry = xtf_page_entry(&page->page, slot);
    uint64_t place = xtf_read64(entry->child), first_n = xtf_read64(entry->before),
             first_t = xtf_read64(entry->first_t);

    if (part == XTF_LEAF_GLOBAL_ROWS)
        first_t = xtf_clock_map_to_global(array->clock, first_t);
    bool good = array->joined               ? xtf_joined_leaf_get(array, page->edge, first_n, place, part, leaf, error)
                : is_open_child(page, slot) ? xtf_leaf_get_open(array, page->edge, part, leaf, error)
                                            : xtf_leaf_get(array, place, part, leaf, error);
    if (!good)
        return false;
    if (G_LIKELY(leaf->first_n == first_n && leaf->count == xtf_descent_child_end(page, slot) - first_n &&
                 xtf_page_time(leaf, 0) == first_t))
        return true;
    xtf_page_view_finish(leaf);
    return xtf_damaged(error, "array %u: leaf %" PRIu64 " does not match its entry in the parent page", array->id,
                       place);
}

bool xtf_descent_leaf_part(const XtfDescentLeaf *leaf, XtfLeafPart part, XtfPageView *view, GError **error)
{
    return leaf->parent ? read_leaf(leaf->parent, leaf->slot, part, view, error)
                        : read_open_leaf(leaf->array, leaf->edge, part, view, error);
}

bool xtf_descent_leaf_rows(const XtfDescentLeaf *leaf, XtfPageView *view, GError **error)
{
    return xtf_descent_leaf_part(leaf, XTF_LEAF_ROWS, view, error);
}

bool xtf_descent_leaf_zeros(const XtfDescentLeaf *leaf, unsigned field, XtfLeafZeros *zeros, GError **error)
{
    *zeros = (XtfLeafZeros){0};
    if (leaf->array->joined) /* the caller reads the rows */
        return true;
    if (!xtf_leaf_get_zeros(leaf->array, leaf->place, leaf->open ? leaf->edge : NULL, field, zeros, error))
        return false;
    if (!zeros->block || (zeros->first_n == leaf->first_n && zeros->count == leaf->end - leaf->first_n))
        return true;
    xtf_leaf_zeros_finish(zeros);
    return xtf_damaged(error, "array %u: leaf %" PRIu64 " does not match its entry in the parent page", leaf->array->id,
                       leaf->place);
}

bool xtf_descent_find(const XtfArray *array, uint64_t n, XtfDescent *descent, GError **error)
{
    descent->n_pages = 0;
    descent->edge = xtf_edge_get(array, error);
    if (!descent->edge)
        return false;
    if (array->height == 1) {
        xtf_descent_root_leaf(array, descent->edge, &descent->leaf);
        return true;
    }
    xtf_descent_root_page(array, descent->edge, &descent->pages[descent->n_pages++]);
    for (;;) {
        const XtfDescentPage *page = &descent->pages[descent->n_pages - 1];
        uint32_t slot = xtf_descent_child_of_row(page, n);
        if (page->level == 1) {
            xtf_descent_leaf(page, slot, &descent->leaf);
            return true;
        }
        if (!xtf_descent_enter(page, slot, &descent->pages[descent->n_pages], error)) {
            xtf_descent_finish(descent);
            return false;
        }
        descent->n_pages++;
    }
}

void xtf_descent_finish(XtfDescent *descent)
{
    while (descent->n_pages > 0)
        xtf_descent_leave(&descent->pages[--descent->n_pages]);
    xtf_block_put(g_steal_pointer(&descent->edge));
}

/* ---- Searching a leaf by a key. */

/* Cost of a descent. Added to the trace's counters once, at its end. */
typedef struct {
    uint64_t visits, comparisons;
} Cost;

static void add_cost(XtfTrace *trace, const Cost *cost)
{
    atomic_fetch_add_explicit(&trace->page_visits, cost->visits, memory_order_relaxed);
    if (cost->comparisons > 0)
        atomic_fetch_add_explicit(&trace->key_comparisons, cost->comparisons, memory_order_relaxed);
}

/* Returns the first index in [low, high) whose key is not less than `key`; high if there is none. */
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

/* Returns the entry to follow. Does not compare the first entry's key: the descent came here by it. */
static uint32_t choose_entry(const XtfPageView *node, XtfKeyKind kind, uint64_t key, Cost *cost)
{
    const XtfDiskEntry *entries = xtf_page_entry(node, 0);

    if (kind == XTF_KEY_T)
        return lower_bound(entries->first_t.bytes, sizeof *entries, 1, node->count, key, cost) - 1;
    /* The last child with at most n rows before it: one before the first child with at least n + 1. */
    return lower_bound(entries->before.bytes, sizeof *entries, 1, node->count, key + 1, cost) - 1;
}

uint32_t xtf_descent_child_of_time(const XtfDescentPage *page, uint64_t t)
{
    Cost cost = {0};

    return choose_entry(&page->page, XTF_KEY_T, t, &cost);
}

static bool descend_to_leaf(const XtfArray *array, XtfBlock *edge, XtfKeyKind kind, uint64_t key, XtfLeafPart part,
                            XtfPageView *leaf, Cost *cost, GError **error)
{
    XtfDescentPage pages[2]; /* used alternately for the page and its child */
    unsigned at = 0;

    if (array->height == 1) /* the only leaf is open, and needs no index page */
        return read_open_leaf(array, edge, part, leaf, error);
    xtf_descent_root_page(array, edge, &pages[at]);
    for (;; at = !at) {
        XtfDescentPage *page = &pages[at];
        uint32_t slot = choose_entry(&page->page, kind, key, cost);
        bool last = page->level == 1;
        cost->visits++;
        bool good = last ? read_leaf(page, slot, part, leaf, error) : enter_child(page, slot, &pages[!at], error);
        xtf_descent_leave(page);
        if (last || !good)
            return good;
    }
}

/* Reads the leaf that the array's leaf list names for a key. Returns false without an error if the array has no list,
 * or the list or the leaf is damaged. */
static bool find_in_list(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                         GError **error)
{
    g_autoptr(XtfBlock) edge = NULL;
    g_autoptr(GError) problem = NULL;
    XtfDescentPage page;
    Cost cost = {.visits = 1};

    if (!xtf_leaf_list_get(array, &page))
        return false;
    uint32_t slot = choose_entry(&page.page, kind, key, &cost);
    if (is_open_child(&page, slot))
        page.edge = edge = xtf_edge_get(array, &problem);
    bool good = !problem && read_leaf(&page, slot, part, leaf, &problem);
    xtf_page_view_finish(&page.page);
    add_cost(array->trace, &cost);
    /* A damaged leaf or a false list: the index pages decide. */
    if (!good && !g_error_matches(problem, XTF_ERROR, XTF_ERROR_DAMAGED))
        g_propagate_error(error, g_steal_pointer(&problem));
    return good;
}

bool xtf_leaf_find(const XtfArray *array, XtfKeyKind kind, uint64_t key, XtfLeafPart part, XtfPageView *leaf,
                   GError **error)
{
    if (array->trace->leaf_lists) {
        g_autoptr(GError) problem = NULL;
        if (find_in_list(array, kind, key, part, leaf, &problem))
            return true;
        if (problem) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return false;
        }
    }
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    if (!edge)
        return false;

    Cost cost = {.visits = 1};
    bool good = descend_to_leaf(array, edge, kind, key, part, leaf, &cost, error);
    add_cost(array->trace, &cost);
    return good;
}

/* Reads the open leaf if it begins with row n, else the sealed leaf at a place. */
static bool read_leaf_at(const XtfArray *array, uint64_t place, uint64_t n, XtfPageView *leaf, GError **error)
{
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);

    if (!edge)
        return false;
    add_cost(array->trace, &(Cost){.visits = 1});
    if (xtf_edge_level(edge->data, array->height, 0).first_n == n)
        return xtf_leaf_get_open(array, edge, xtf_leaf_shown_rows(array), leaf, error);
    return xtf_leaf_get(array, place, xtf_leaf_shown_rows(array), leaf, error);
}

/* Checks that two leaves, read by a link from one to the other, are neighbours. `place` is that of the leaf linked to.
 */
static bool are_neighbours(const XtfArray *array, const XtfPageView *left, const XtfPageView *right, uint64_t place,
                           GError **error)
{
    if (left->first_n + left->count != right->first_n)
        return xtf_damaged(error, "array %u: leaf %" PRIu64 " does not adjoin row %" PRIu64, array->id, place,
                           right->first_n);
    if (xtf_page_time(left, left->count - 1) > xtf_page_time(right, 0))
        return xtf_damaged(error, "array %u: time goes backwards before row %" PRIu64, array->id, right->first_n);
    return true;
}

bool xtf_leaf_next(const XtfArray *array, const XtfPageView *leaf, XtfPageView *next, GError **error)
{
    g_auto(XtfPageView) read = {0};
    uint64_t n = leaf->first_n + leaf->count;
    bool good = xtf_array_lacks_links(array)
                    ? xtf_leaf_find(array, XTF_KEY_N, n, xtf_leaf_shown_rows(array), &read, error)
                    : read_leaf_at(array, leaf->next, n, &read, error);

    if (!good || !are_neighbours(array, leaf, &read, leaf->next, error))
        return false;
    *next = xtf_page_view_steal(&read);
    return true;
}

bool xtf_leaf_previous(const XtfArray *array, const XtfPageView *leaf, XtfPageView *previous, GError **error)
{
    g_auto(XtfPageView) read = {0};

    bool good = xtf_array_lacks_links(array)
                    ? xtf_leaf_find(array, XTF_KEY_N, leaf->first_n - 1, xtf_leaf_shown_rows(array), &read, error)
                    : xtf_leaf_get(array, leaf->previous, xtf_leaf_shown_rows(array), &read, error);
    if (!good || !are_neighbours(array, &read, leaf, leaf->previous, error))
        return false;
    add_cost(array->trace, &(Cost){.visits = 1});
    *previous = xtf_page_view_steal(&read);
    return true;
}

uint32_t xtf_leaf_rank(const XtfArray *array, const XtfPageView *leaf, uint64_t t)
{
    Cost cost = {0};
    uint32_t rank = leaf->times ? leaf->codec->times_rank(leaf->times, t, &cost.comparisons)
                                : lower_bound(leaf->keys, leaf->stride, 0, leaf->count, t, &cost);
    add_cost(array->trace, &cost);
    return rank;
}
