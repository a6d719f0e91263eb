/*
 * Finds the row that ends a frame, by a descent.
 *
 * Let a frame be the innermost of d open frames. The frame stays open while rows leave d or more frames open. The row
 * that ends it is therefore the first later row that leaves fewer than d. The index stores the minimum number of frames
 * that a row below each child leaves open. The digest of a leaf stores this minimum for each chunk. The search climbs
 * from the frame's leaf to the first page with a later child whose minimum is below d, and descends into this child.
 *
 *     root      . . .[frame's]. . .[least < d]          first later child, on the lowest level that has one
 *                       /               \
 *     leaves      [begin ....]        [.... end]
 */
#include "libxtf/aggregate/digest.h"
#include "libxtf/aggregate/frames.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/tables/stored.h"

/* The search for the first row after row n that leaves fewer than `depth` frames open. */
typedef struct {
    const XtfArray *array;
    unsigned index;
    uint64_t n, depth;
    uint64_t from; /* row whose leaf is searched first: n, or the first kept row after n */
    uint64_t end;  /* row that ends the frame; valid if found */
    bool found;
} EndSearch;

/* True if some row of the chunk, or below the child, may leave fewer than `depth` frames open. */
static bool may_contain_end(const EndSearch *search, const XtfChildTotals *children, uint32_t i)
{
    return xtf_child_totals_stack_head(children, i).least < search->depth;
}

/* Searches the rows of a chunk, as far as they are after row n. */
static bool search_chunk(EndSearch *search, const XtfDescentLeaf *leaf, const XtfPageView *rows,
                         const XtfChildTotals *chunks, uint32_t chunk, GError **error)
{
    const XtfSchema *schema = search->array->schema;
    const XtfAggregate *aggregate = &schema->aggregates[search->index];
    g_auto(XtfFrameStack) stack;
    XtfOuterFrames outer;

    xtf_frame_stack_init(&stack);
    xtf_outer_frames_init(&outer, search->array, search->index);
    xtf_child_totals_stack(chunks, chunk, leaf->first_n + (uint64_t)chunk * XTF_CHUNK_ROWS, &stack);
    uint32_t first = chunk * XTF_CHUNK_ROWS, end = MIN(first + XTF_CHUNK_ROWS, rows->count);
    for (uint32_t i = first; i < end && !search->found; i++) {
        stack.least = UINT64_MAX;
        if (!xtf_accumulate_rows(schema, aggregate, rows->payload + (size_t)i * schema->row_size, 1, &stack,
                                 &outer.loader, NULL, error))
            return false;
        search->end = leaf->first_n + i;
        search->found = search->end > search->n && search->end >= search->from && stack.least < search->depth;
    }
    return true;
}

static bool search_leaf(EndSearch *search, const XtfDescentLeaf *leaf, GError **error)
{
    g_auto(XtfPageView) rows = {0};
    g_autoptr(XtfBlock) digest = xtf_leaf_digest_get(leaf, search->index, error);

    if (!digest || !xtf_descent_leaf_rows(leaf, &rows, error))
        return false;
    const XtfChildTotals *chunks = xtf_block_child_totals(digest);
    uint64_t next_row = MAX(search->n + 1, search->from);
    uint32_t chunk = next_row > leaf->first_n ? (uint32_t)((next_row - leaf->first_n) / XTF_CHUNK_ROWS) : 0;
    for (; chunk < chunks->n && !search->found; chunk++)
        if (may_contain_end(search, chunks, chunk) && !search_chunk(search, leaf, &rows, chunks, chunk, error))
            return false;
    return true;
}

static bool search_page(EndSearch *search, const XtfDescentPage *page, uint32_t first, GError **error);

/* Searches below a child. If its totals are correct, it contains the row that ends the frame. */
static bool search_child(EndSearch *search, const XtfDescentPage *page, uint32_t slot, GError **error)
{
    g_auto(XtfDescentPage) child = {0};
    XtfDescentLeaf leaf;

    if (page->level == 1) {
        xtf_descent_leaf(page, slot, &leaf);
        return search_leaf(search, &leaf, error);
    }
    return xtf_descent_enter(page, slot, &child, error) && search_page(search, &child, 0, error);
}

/* Finds the first child from *slot on that may contain the row that ends the frame. Looks at the children that are
 * stored with child *slot. If none of them may, sets *slot to the child behind them. */
static bool find_child(const EndSearch *search, const XtfDescentPage *page, uint32_t *slot, bool *found, GError **error)
{
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(page, search->index, *slot, error);

    if (!stored)
        return false;
    const XtfChildTotals *children = xtf_block_child_totals(stored);
    const uint32_t end = children->first + children->n;
    while (*slot < end && !may_contain_end(search, children, *slot - children->first))
        ++*slot;
    *found = *slot < end;
    return true;
}

/* Finds the first child from `first` on that may contain the row that ends the frame, and searches below it. */
static bool search_page(EndSearch *search, const XtfDescentPage *page, uint32_t first, GError **error)
{
    uint32_t slot = first;
    bool found = false;

    while (!found && slot < page->page.count)
        if (!find_child(search, page, &slot, &found, error))
            return false;
    if (!found)
        return true;
    if (!search_child(search, page, slot, error))
        return false;
    return search->found ||
           xtf_damaged(error, "array %u, level %u: no row of child %u leaves as few frames open as its totals say",
                       search->array->id, page->level, slot);
}

/* Searches the rows after row n, from the row's leaf upwards, and sets search->found. Returns false on an error. */
static bool search_after_row(EndSearch *search, GError **error)
{
    g_auto(XtfDescent) descent = {0};

    if (!xtf_descent_find(search->array, search->from, &descent, error) || !search_leaf(search, &descent.leaf, error))
        return false;
    for (unsigned i = descent.n_pages; i > 0 && !search->found; i--) {
        const XtfDescentPage *page = &descent.pages[i - 1];
        if (!search_page(search, page, xtf_descent_child_of_row(page, search->from) + 1, error))
            return false;
    }
    return true;
}

/* Begins the search for the end of a frame that is open at the kept time. *found is false if row n began no such
 * frame. */
static bool begin_at_kept_time(EndSearch *search, bool *found, GError **error)
{
    XtfOpenFrame frame;

    if (!xtf_array_removed_frame(search->array, search->index, search->n, &frame, &search->depth, found, error))
        return false;
    return !*found || xtf_array_first_kept(search->array, &search->from, error);
}

/* Begins the search for the end of the frame that row n begins. */
static bool begin_at_row(EndSearch *search, GError **error)
{
    const XtfArray *array = search->array;
    const XtfSchema *schema = array->schema;
    unsigned index = search->index;
    g_autofree uint8_t *row = g_malloc(schema->row_size);
    g_auto(XtfFrameStack) stack;
    XtfOuterFrames outer;

    xtf_frame_stack_init(&stack);
    xtf_outer_frames_init(&outer, array, index);
    if (!xtf_array_row(array, search->n, row, error))
        return false;
    if (xtf_field_get(&schema->fields[schema->aggregates[index].values[0]], row) != 0)
        return xtf_fail(error, XTF_ERROR_INVALID, "array %u: row %" PRIu64 " begins no frame", array->id, search->n);
    if (!xtf_frames_before_row(array, index, search->n, &stack, error) ||
        !xtf_accumulate_rows(schema, &schema->aggregates[index], row, 1, &stack, &outer.loader, NULL, error))
        return false;
    search->depth = xtf_frame_stack_depth(&stack);
    return true;
}

bool xtf_array_frame_end(const XtfArray *array, unsigned index, uint64_t n, uint64_t *end, GError **error)
{
    EndSearch search = {.array = array, .index = index, .n = n, .from = n, .end = array->n_rows};
    bool removed;

    if (!xtf_aggregate_is_supported(array->schema, index, error) || !begin_at_kept_time(&search, &removed, error) ||
        (!removed && !begin_at_row(&search, error)) ||
        (search.from < array->n_rows && !search_after_row(&search, error)))
        return false;
    *end = search.found ? search.end : array->n_rows;
    return true;
}
