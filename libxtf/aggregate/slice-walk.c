/*
 * Totals between many edges, by one walk over the tree.
 *
 *     root        . . . .|. . . . .|. . . .      page: the children between two edges by their totals
 *                       /           \
 *     index   . . .|. . .         . . .|. .      entered, since edges lie below them: each page once
 *                 /                     \
 *     leaves  ..|..|..                ...|..     rows, each added once, to the slice that has them
 *
 * The walk is at one row, and `next` is the first edge that it has not reached. Below each page it takes the edges up
 * to a limit, which is the first edge after the page. While a slice is open, that is between the first and the last
 * edge, the walk adds all that it passes. At an edge it gives the slice to the visitor and begins the next slice.
 *
 * A walk may count the frames of any key that begin. If each frame that ended has its own end, (n + depth) / 2 of the
 * first n rows begin frames. The walk then reads the borders of a page's children, and no totals.
 *
 * A walk by times finds the row of an edge in the leaf that it needs anyway, and takes the stack there. For a profile
 * this stack is that of the end of one slice and of the begin of the next.
 */
#include "libxtf/aggregate/slice-walk.h"

#include "libxtf/aggregate/frames.h"
#include "libxtf/aggregate/nested-frames.h"
#include "libxtf/totals/tables/stored.h"

enum {
    /* With fewer edges, or one index page, other counts cost less than the search for frames that do not nest. */
    EDGES_BY_DEPTH = 4,
    HEIGHT_BY_DEPTH = 3,
};

typedef XtfSliceWalk Walk;

/* True if the query has the rows at the walk: they lie between two edges. By depth it counts all rows of a leaf. */
static bool is_open(const Walk *walk)
{
    return (walk->next > 0 || walk->by_depth) && walk->next < walk->n && (walk->query.totals || walk->query.filter);
}

static bool has_frames(const Walk *walk)
{
    return (walk->query.totals || walk->takes_stacks) && walk->query.aggregate->kind == XTF_AGGREGATE_FRAMES;
}

static bool fail_descending(const Walk *walk, GError **error)
{
    return xtf_damaged(error, "array %u: times or numbers of rows descend before an edge of slices",
                       walk->query.array->id);
}

/* ---- Edges. */

/* Returns the local tick of an edge, within the location's records. */
static uint64_t profile_tick(const Walk *walk, size_t edge)
{
    return CLAMP(xtf_clock_map_to_local(walk->clock, walk->times[edge]), walk->profile->first, walk->last);
}

/* Adds to a slice what the totals of its rows lack. */
static bool complete_profile(Walk *walk, size_t slice, GError **error)
{
    return walk->times[slice] >= walk->times[slice + 1] ||
           xtf_profile_add_edges(walk->profile, walk->edges, profile_tick(walk, slice), profile_tick(walk, slice + 1),
                                 error);
}

/* Gives the slice between the two edges to the visitor. */
static bool end_slice(Walk *walk, GError **error)
{
    const XtfTotalsQuery *query = &walk->query;
    uint64_t n1 = walk->edges[0].n, n2 = walk->edges[1].n;
    const XtfSlice slice = {.number = walk->next - 1,
                            .n1 = n1,
                            .n2 = n2,
                            .count = query->filter ? query->count : n2 - n1,
                            .totals = query->totals};

    if (n1 > n2)
        return fail_descending(walk, error);
    return (!walk->profile || complete_profile(walk, slice.number, error)) && walk->visit(&slice, walk->data, error);
}

/* Gives the stack at the next edge to the visitor. */
static bool give_stack(const Walk *walk, GError **error)
{
    const XtfStackCapture *edge = &walk->edges[1];

    if (!xtf_frames_load_all(walk->query.array, walk->query.index, edge->stack, error))
        return false;
    const GArray *frames = edge->stack->frames;
    return walk->visit_stack(walk->next, edge->n, (const XtfOpenFrame *)(void *)frames->data, frames->len, walk->data,
                             error);
}

/* Reaches the next edge, which walk->edges[1] describes: ends a slice, and begins the next. */
static bool reach_edge(Walk *walk, GError **error)
{
    XtfFrameStack *stack = walk->edges[0].stack;

    if (walk->visit_stack ? !give_stack(walk, error) : walk->next > 0 && !end_slice(walk, error))
        return false;
    walk->edges[0] = walk->edges[1];
    walk->edges[1] = (XtfStackCapture){.stack = stack};
    walk->next++;
    walk->begun += walk->query.count;
    walk->query.count = 0;
    if (walk->query.totals)
        xtf_group_totals_clear(walk->query.totals);
    return true;
}

/* Reaches an edge before row 0. */
static bool reach_begin(Walk *walk, GError **error)
{
    const XtfStackCapture *before = &walk->edges[0];
    XtfStackCapture *edge = &walk->edges[1];

    edge->n = 0;
    if (walk->takes_stacks) {
        xtf_frame_stack_reset(edge->stack);
        edge->captured = true;
        if (before->captured) /* another edge before row 0 */
            edge->row = before->row;
    }
    return reach_edge(walk, error);
}

/* Reaches an edge behind the last row. */
static bool reach_end(Walk *walk, GError **error)
{
    const XtfStackCapture *before = &walk->edges[0];
    XtfStackCapture *edge = &walk->edges[1];

    edge->n = walk->query.array->n_rows;
    if (walk->takes_stacks) {
        if (before->captured && before->n == edge->n)
            xtf_frame_stack_copy(edge->stack, before->stack);
        else if (!xtf_frames_before_row(walk->query.array, walk->query.index, edge->n, edge->stack, error))
            return false;
        edge->captured = true;
    }
    if (walk->by_depth)
        walk->query.count = walk->all_begun - MIN(walk->all_begun, walk->begun);
    return reach_edge(walk, error);
}

/* ---- Leaves. */

/* A leaf and the walk's row in it. */
typedef struct {
    const XtfDescentLeaf *leaf;
    XtfFrameLeaf frames; /* if has_frames() */
    XtfPageView rows;    /* else: the part that answers the query */
    XtfLeafZeros zeros;  /* if they answer the query, `rows` has at most the times */
    uint32_t at, count;
    XtfOuterFrames outer;
} LeafWalk;

static const XtfPageView *leaf_view(const LeafWalk *leaf)
{
    return leaf->frames.view.block ? &leaf->frames.view : &leaf->rows;
}

static bool add_rows(Walk *walk, LeafWalk *leaf, uint32_t to, GError **error)
{
    XtfTotalsQuery *query = &walk->query;
    uint32_t from = leaf->at;
    XtfGroupTotals *totals = !is_open(walk) ? NULL : walk->row_totals ? walk->row_totals : query->totals;

    leaf->at = to;
    if (from == to)
        return true;
    if (has_frames(walk))
        return xtf_frame_leaf_add(&leaf->frames, to, &walk->stacks[2], totals, error);
    if (totals)
        return xtf_totals_query_add_group_rows(query, &leaf->rows, from, to, totals, error);
    if (!is_open(walk))
        return true;
    if (leaf->zeros.block)
        query->count += xtf_leaf_zeros_count(&leaf->zeros, from, to);
    else
        xtf_totals_query_count_rows(query, &leaf->rows, from, to);
    return true;
}

static void flush_row_totals(Walk *walk)
{
    if (!walk->row_totals)
        return;
    xtf_totals_query_add_groups(&walk->query, walk->row_totals);
    xtf_group_totals_clear(walk->row_totals);
}

/* Returns the row of the next edge, numbered from the leaf's first. */
static uint64_t edge_row(const Walk *walk, const LeafWalk *leaf)
{
    uint64_t key = walk->keys[walk->next];

    return walk->by_time ? xtf_leaf_rank(walk->query.array, leaf_view(leaf), key) : key - leaf->leaf->first_n;
}

/* Adds rows up to the next edge, and reaches it. */
static bool walk_to_edge(Walk *walk, LeafWalk *leaf, GError **error)
{
    XtfStackCapture *edge = &walk->edges[1];
    uint64_t row = edge_row(walk, leaf);

    if (row < leaf->at || row > leaf->count)
        return fail_descending(walk, error);
    if (!add_rows(walk, leaf, (uint32_t)row, error))
        return false;
    flush_row_totals(walk);
    edge->n = leaf->leaf->first_n + row;
    if (walk->takes_stacks) {
        xtf_frame_stack_copy(edge->stack, &walk->stacks[2]);
        edge->captured = true;
        if (row < leaf->count)
            edge->row = xtf_frame_row(walk->query.array, walk->query.index, leaf_view(leaf), (uint32_t)row);
    }
    return reach_edge(walk, error);
}

/* Reads the zeros that answer the query, and the times if edges are times. Reads the leaf's page once for both. Leaves
 * the zeros empty if the leaf does not show them. */
static bool begin_zeros(Walk *walk, LeafWalk *leaf, GError **error)
{
    const XtfDescentLeaf *descent = leaf->leaf;
    const XtfArray *array = descent->array;
    bool packed = !descent->open && !array->joined && !xtf_codec(array->codec)->side_by_side;
    g_autoptr(XtfBlock) page = NULL;

    if (!xtf_totals_query_counts_begun(&walk->query))
        return true;
    if (packed && walk->by_time && !(page = xtf_page_get(array, descent->place, 0, error)))
        return false;
    bool good =
        xtf_totals_query_begun_rows(&walk->query, descent, &leaf->zeros, error) &&
        (!leaf->zeros.block || !walk->by_time || xtf_descent_leaf_part(descent, XTF_LEAF_TIMES, &leaf->rows, error));
    xtf_block_drop(g_steal_pointer(&page));
    return good;
}

/* Reads the part of the leaf that the query needs, and the stack before its first row. `stored`: the totals of its
 * parent; NULL: the leaf is the root. */
static bool begin_leaf(Walk *walk, LeafWalk *leaf, const XtfBlock *stored, GError **error)
{
    const XtfDescentLeaf *descent = leaf->leaf;
    XtfFrameStack *stack = &walk->stacks[2];

    leaf->count = (uint32_t)(descent->end - descent->first_n);
    if (!has_frames(walk)) {
        if (!begin_zeros(walk, leaf, error))
            return false;
        return leaf->zeros.block ||
               xtf_descent_leaf_part(descent, xtf_totals_query_part(&walk->query), &leaf->rows, error);
    }
    xtf_outer_frames_init(&leaf->outer, walk->query.array, walk->query.index);
    if (!xtf_frame_leaf_init(&leaf->frames, descent, walk->query.index, &leaf->outer.loader, error))
        return false;
    if (!stored) {
        xtf_frame_stack_reset(stack);
        return true;
    }
    const XtfChildTotals *children = xtf_block_child_totals(stored);
    xtf_child_totals_stack(children, descent->slot - children->first, descent->first_n, stack);
    return true;
}

/* Walks a leaf, in which edges before `limit` lie. */
static bool walk_leaf(Walk *walk, const XtfDescentLeaf *descent, const XtfBlock *stored, size_t limit, GError **error)
{
    LeafWalk leaf = {.leaf = descent};
    bool good = begin_leaf(walk, &leaf, stored, error);

    while (good && walk->next < limit)
        good = walk_to_edge(walk, &leaf, error);
    if (good && is_open(walk)) {
        good = add_rows(walk, &leaf, leaf.count, error);
        flush_row_totals(walk);
    }
    xtf_leaf_zeros_finish(&leaf.zeros);
    xtf_block_pass(g_steal_pointer(&leaf.rows.block));
    xtf_block_pass(g_steal_pointer(&leaf.frames.rows.block));
    xtf_block_pass(g_steal_pointer(&leaf.frames.view.block));
    return good;
}

/* ---- Pages. */

/* A page, and the first child that the walk has not passed. */
typedef struct {
    const XtfDescentPage *page;
    XtfHeldTotals totals;
    XtfBlock *depths; /* by depth: the depths before its children; NULL: not needed yet */
    uint32_t child;
} PageWalk;

/* Gets what the walk needs of the totals of a child of the page. */
static bool get_stored(const Walk *walk, PageWalk *at, uint32_t slot, GError **error)
{
    if (!walk->by_depth)
        return xtf_totals_query_hold(&walk->query, at->page, slot, &at->totals, error);
    if (!at->depths)
        at->depths = xtf_stored_depths_get(at->page, walk->query.index, error);
    return at->depths != NULL;
}

/* Counts the frames that begin between the last edge and a child, if the walk counts by depth. */
static bool count_up_to_child(Walk *walk, PageWalk *at, uint32_t slot, GError **error)
{
    if (!walk->by_depth)
        return true;
    if (!get_stored(walk, at, slot, error))
        return false;
    uint64_t depth = ((const XtfPageNumbers *)(const void *)at->depths->data)->numbers[slot];
    uint64_t begun = (xtf_descent_child_start(at->page, slot) + depth) / 2;
    walk->query.count = begun - walk->begun;
    return begun >= walk->begun ||
           xtf_damaged(error, "array %u: its borders have other numbers of frames than its rows",
                       walk->query.array->id);
}

/* Passes the children before `end`. */
static bool pass_children(Walk *walk, PageWalk *at, uint32_t end, GError **error)
{
    uint32_t from = at->child;

    at->child = end;
    if (from >= end || !is_open(walk) || walk->by_depth)
        return true;
    if (xtf_totals_query_counts_begun(&walk->query))
        return xtf_totals_query_count_begun(&walk->query, at->page, from, end, error);
    return xtf_totals_query_add_children(&walk->query, at->page, &at->totals, from, end, error);
}

/* Returns the child that an edge lies in or, if rows are numbered, before. */
static uint32_t child_of_edge(const Walk *walk, const XtfDescentPage *page, size_t edge)
{
    uint64_t key = walk->keys[edge];

    return walk->by_time ? xtf_descent_child_of_time(page, key) : xtf_descent_child_of_row(page, key);
}

static bool walk_page(Walk *walk, const XtfDescentPage *page, size_t limit, GError **error);

/* Walks a child, in which edges before `limit` lie. */
static bool walk_child(Walk *walk, PageWalk *at, size_t limit, GError **error)
{
    uint32_t slot = at->child++;

    if (at->page->level == 1) {
        XtfDescentLeaf leaf;
        xtf_descent_leaf(at->page, slot, &leaf);
        return (!has_frames(walk) || get_stored(walk, at, slot, error)) && count_up_to_child(walk, at, slot, error) &&
               walk_leaf(walk, &leaf, at->totals.children, limit, error);
    }
    g_auto(XtfDescentPage) child = {0};
    return xtf_descent_enter(at->page, slot, &child, error) && walk_page(walk, &child, limit, error);
}

/* Walks up to the next edge, and on to the end of the child that it lies in. */
static bool walk_to_child(Walk *walk, PageWalk *at, size_t limit, GError **error)
{
    uint32_t slot = child_of_edge(walk, at->page, walk->next);
    uint64_t start = xtf_descent_child_start(at->page, slot);
    size_t end = walk->next + 1;

    if (slot < at->child)
        return fail_descending(walk, error);
    if (!pass_children(walk, at, slot, error))
        return false;
    if (!walk->by_time && walk->keys[walk->next] == start) {
        walk->edges[1].n = start;
        return count_up_to_child(walk, at, slot, error) && reach_edge(walk, error);
    }
    while (end < limit && child_of_edge(walk, at->page, end) == slot)
        end++;
    return walk_child(walk, at, end, error);
}

/* Walks a page, below which edges before `limit` lie. */
static bool walk_page(Walk *walk, const XtfDescentPage *page, size_t limit, GError **error)
{
    PageWalk at = {.page = page};
    bool good = true;

    while (good && walk->next < limit)
        good = walk_to_child(walk, &at, limit, error);
    good = good && pass_children(walk, &at, page->page.count, error);
    xtf_held_totals_pass(&at.totals);
    xtf_block_pass(at.depths);
    return good;
}

/* Walks the whole tree, in which edges before `limit` lie. */
static bool walk_tree(Walk *walk, size_t limit, GError **error)
{
    const XtfArray *array = walk->query.array;
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, error);
    XtfDescentLeaf leaf;
    XtfDescentPage root;

    if (!edge)
        return false;
    if (array->height == 1) {
        xtf_descent_root_leaf(array, edge, &leaf);
        return walk_leaf(walk, &leaf, NULL, limit, error);
    }
    xtf_descent_root_page(array, edge, &root);
    return walk_page(walk, &root, limit, error);
}

/* Reaches edges that need no page: the caller asks for numbers of rows alone. */
static bool count_all(Walk *walk, GError **error)
{
    while (walk->next < walk->n) {
        walk->edges[1].n = MIN(walk->keys[walk->next], walk->query.array->n_rows);
        if (!reach_edge(walk, error))
            return false;
    }
    return true;
}

bool xtf_slice_walk_run(Walk *walk, size_t begins, size_t ends, GError **error)
{
    if (!walk->by_time && !walk->query.totals && !walk->query.filter && !walk->takes_stacks)
        return count_all(walk, error);
    walk->query.passes = true;
    if (walk->n >= EDGES_BY_DEPTH && walk->query.array->height >= HEIGHT_BY_DEPTH &&
        xtf_totals_query_counts_begun(&walk->query) &&
        !xtf_frames_nest_fully(walk->query.array, walk->query.index, &walk->by_depth, &walk->all_begun, error))
        return false;
    while (walk->next < begins)
        if (!reach_begin(walk, error))
            return false;
    if (walk->n > begins && !walk_tree(walk, ends, error))
        return false;
    while (walk->next < walk->n)
        if (!reach_end(walk, error))
            return false;
    return true;
}

void xtf_slice_walk_init(Walk *walk)
{
    const XtfTotalsQuery *query = &walk->query;

    for (size_t i = 0; i < G_N_ELEMENTS(walk->stacks); i++)
        xtf_frame_stack_init(&walk->stacks[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(walk->edges); i++)
        walk->edges[i].stack = &walk->stacks[i];
    if (!query->totals)
        return;
    if (!xtf_totals_query_adds_rows(query))
        walk->row_totals = xtf_group_totals_new(query->aggregate, query->aggregate->n_keys);
    xtf_group_totals_clear(query->totals);
}

void xtf_slice_walk_finish(Walk *walk)
{
    for (size_t i = 0; i < G_N_ELEMENTS(walk->stacks); i++)
        xtf_frame_stack_finish(&walk->stacks[i]);
    xtf_group_totals_free(walk->row_totals);
}
