/*
 * The stack at any row.
 *
 * For each leaf the index stores a snapshot: the innermost XTF_SNAPSHOT_FRAMES frames that are open before its first
 * row. The snapshot and the rows of the leaf before row n give the stack at row n, at the cost of one leaf. With the
 * leaf's digest the cost is one chunk of the leaf.
 *
 * The index also stores the number of open frames, which shows whether there are more frames than in the snapshot. The
 * reader finds these outer frames one by one. The distance in a row that begins a frame refers to the row that began
 * the outer frame. The reader follows this chain inside the leaf of that row until a distance leads out of the leaf.
 * The frame there was open before the leaf's first row. If it is one of the innermost, the leaf's snapshot has it and
 * its outer frames, many at once. A stack of any depth therefore costs at most one leaf for each XTF_SNAPSHOT_FRAMES
 * frames, and usually a leaf has the begins of many more.
 *
 *     leaf 3                    leaf 5                          leaf 9
 *     snapshot: [a ... f]       snapshot: [ ... g h]            snapshot: [j k ... z]
 *     begins g ---+             begins i, j --+                 ...row n
 *                 |                     |     |
 *                 +---- found in the snapshot +---- refers here: the frame around j
 *
 * Distances in rows may be wrong, but not the distance of a row that began a nested frame. A row whose distance refers
 * to no open frame ends all frames. Each step finds one of the open frames that the index counted. No file, however
 * damaged, therefore causes an endless loop.
 */
#include "libxtf/aggregate/frames.h"

#include "libxtf/aggregate/digest.h"
#include "libxtf/aggregate/frame-leaf.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/tables/stored.h"

/* A row that begins a frame. */
typedef struct {
    XtfOpenFrame frame;
    bool has_outer;     /* the frame has an outer frame */
    uint64_t outer_row; /* row that began the outer frame; valid if has_outer */
} FrameBegin;

static bool read_frame_begin(const XtfArray *array, unsigned index, const uint8_t *row, uint64_t n, FrameBegin *begin,
                             GError **error)
{
    const XtfSchema *schema = array->schema;
    const XtfAggregate *aggregate = &schema->aggregates[index];
    uint64_t distance = xtf_field_get(&schema->fields[aggregate->values[1]], row);

    if (xtf_field_get(&schema->fields[aggregate->values[0]], row) != 0)
        return xtf_damaged(error, "array %u: row %" PRIu64 " should begin a frame", array->id, n);
    begin->frame = (XtfOpenFrame){
        .key = xtf_field_get(&schema->fields[aggregate->keys[0]], row),
        .row = n,
        .time = xtf_field_get(&schema->fields[0], row),
        .outermost = xtf_field_get(&schema->fields[aggregate->values[2]], row) != 0,
    };
    begin->has_outer = distance > 0 && distance <= n;
    begin->outer_row = n - distance;
    return true;
}

bool xtf_frames_before_leaf(const XtfDescentLeaf *leaf, unsigned index, XtfFrameStack *stack, GError **error)
{
    if (!leaf->parent) { /* the leaf begins with row 0 */
        xtf_frame_stack_reset(stack);
        return true;
    }
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(leaf->parent, index, leaf->slot, error);
    if (!stored)
        return false;
    const XtfChildTotals *children = xtf_block_child_totals(stored);
    xtf_child_totals_stack(children, leaf->slot - children->first, leaf->first_n, stack);
    return true;
}

/* A chain of frames from the inside out: each frame is the outer frame of the previous one. */
typedef struct {
    GArray *frames;
    bool has_outer;     /* the last frame has an outer frame */
    uint64_t outer_row; /* row that began the outer frame; valid if has_outer */
    uint64_t most;      /* maximum number of frames to find */
} FrameChain;

/* Follows the chain from outer_row through the leaf that contains this row. */
static bool follow_in_leaf(const XtfDescentLeaf *leaf, unsigned index, const XtfPageView *rows, FrameChain *chain,
                           GError **error)
{
    const XtfArray *array = leaf->array;
    FrameBegin begin;

    while (chain->has_outer && chain->outer_row >= leaf->first_n && chain->frames->len < chain->most) {
        uint64_t n = chain->outer_row;
        const uint8_t *row = rows->payload + (n - leaf->first_n) * array->schema->row_size;
        if (!read_frame_begin(array, index, row, n, &begin, error))
            return false;
        g_array_append_val(chain->frames, begin.frame);
        chain->has_outer = begin.has_outer;
        chain->outer_row = begin.outer_row;
    }
    return true;
}

/* Adds to the chain the frame that outer_row began, and all its outer frames, as far as the leaf's snapshot has
 * them. */
static bool follow_in_snapshot(const XtfDescentLeaf *leaf, unsigned index, FrameChain *chain, GError **error)
{
    g_auto(XtfFrameStack) snapshot;

    xtf_frame_stack_init(&snapshot);
    if (!xtf_frames_before_leaf(leaf, index, &snapshot, error))
        return false;
    guint n_inner = snapshot.frames->len;
    while (n_inner > 0 && xtf_frame_stack_at(&snapshot, n_inner - 1)->row > chain->outer_row)
        n_inner--;
    if (n_inner > 0 && xtf_frame_stack_at(&snapshot, n_inner - 1)->row == chain->outer_row)
        while (n_inner > 0 && chain->frames->len < chain->most)
            g_array_append_vals(chain->frames, xtf_frame_stack_at(&snapshot, --n_inner), 1);
    return true;
}

/* Inserts the frames of a chain below the frames of a stack. */
static void insert_outer_frames(XtfFrameStack *stack, const FrameChain *chain)
{
    guint n = chain->frames->len;

    g_array_insert_vals(stack->frames, 0, chain->frames->data, n);
    for (guint i = 0; i < n; i++)
        g_array_index(stack->frames, XtfOpenFrame, i) = g_array_index(chain->frames, XtfOpenFrame, n - 1 - i);
    stack->n_outer -= n;
    stack->inner_row = xtf_frame_stack_at(stack, 0)->row;
}

static bool load_outer_frames(XtfFrameStack *stack, void *data, GError **error)
{
    const XtfOuterFrames *context = data;
    const XtfArray *array = context->array;
    g_auto(XtfDescent) descent = {0};
    g_auto(XtfPageView) rows = {0};
    g_autofree uint8_t *row = g_malloc(array->schema->row_size);
    FrameBegin innermost;

    if (stack->frames->len > XTF_STACK_FRAMES_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "array %u: before row %" PRIu64 " more than %d frames are open",
                        array->id, stack->n, XTF_STACK_FRAMES_MAX);
    if (!xtf_array_row(array, stack->inner_row, row, error) ||
        !read_frame_begin(array, context->index, row, stack->inner_row, &innermost, error))
        return false;
    if (!innermost.has_outer)
        return xtf_damaged(error,
                           "array %u: the frame of row %" PRIu64
                           " has no frame around it, but a stored stack has %" PRIu64 " frames outside of it",
                           array->id, stack->inner_row, stack->n_outer);
    if (!xtf_descent_find(array, innermost.outer_row, &descent, error) ||
        !xtf_descent_leaf_rows(&descent.leaf, &rows, error))
        return false;
    g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame));
    FrameChain chain = {.frames = frames, .has_outer = true, .outer_row = innermost.outer_row, .most = stack->n_outer};
    if (!follow_in_leaf(&descent.leaf, context->index, &rows, &chain, error) ||
        (chain.has_outer && frames->len < chain.most &&
         !follow_in_snapshot(&descent.leaf, context->index, &chain, error)))
        return false;
    insert_outer_frames(stack, &chain);
    return true;
}

void xtf_outer_frames_init(XtfOuterFrames *outer, const XtfArray *array, unsigned index)
{
    *outer = (XtfOuterFrames){.array = array, .index = index, .loader = {.load = load_outer_frames, .data = outer}};
}

/* Computes the stack before row *from of a leaf: the last row at or before row `within` whose stack is stored. Both
 * count from the leaf's first row. Moves `rows` to row *from. */
static bool load_stored_stack(XtfFrameLeaf *rows, uint64_t within, XtfFrameStack *stack, uint32_t *from, GError **error)
{
    const XtfDescentLeaf *leaf = rows->leaf;

    *from = 0;
    if (within == 0 || xtf_leaf_needs_no_digest(leaf) || xtf_leaf_is_new(&rows->view, XTF_READ_FOR_STACK))
        return xtf_frames_before_leaf(leaf, rows->index, stack, error);
    g_autoptr(XtfBlock) digest = xtf_leaf_digest_get(leaf, rows->index, error);
    if (!digest)
        return false;
    const XtfChildTotals *chunks = xtf_block_child_totals(digest);
    uint32_t chunk = MIN((uint32_t)(within / XTF_CHUNK_ROWS), chunks->n - 1);
    *from = chunk * XTF_CHUNK_ROWS;
    xtf_child_totals_stack(chunks, chunk, leaf->first_n + *from, stack);
    return xtf_frame_leaf_seek(rows, *from, chunks->nests, error);
}

bool xtf_frames_before_row(const XtfArray *array, unsigned index, uint64_t n, XtfFrameStack *stack, GError **error)
{
    g_auto(XtfDescent) descent = {0};
    g_auto(XtfFrameLeaf) rows = {0};
    XtfOuterFrames outer;
    uint32_t from;

    if (!xtf_descent_find(array, MIN(n, array->n_rows - 1), &descent, error))
        return false;
    uint64_t within = n - descent.leaf.first_n;
    if (within == 0)
        return xtf_frames_before_leaf(&descent.leaf, index, stack, error);
    xtf_outer_frames_init(&outer, array, index);
    return xtf_frame_leaf_init(&rows, &descent.leaf, index, &outer.loader, error) &&
           load_stored_stack(&rows, within, stack, &from, error) &&
           xtf_frame_leaf_add(&rows, (uint32_t)within, stack, NULL, error);
}

bool xtf_frames_load_all(const XtfArray *array, unsigned index, XtfFrameStack *stack, GError **error)
{
    return xtf_frames_load_until(array, index, 0, stack, error);
}

bool xtf_frames_load_until(const XtfArray *array, unsigned index, uint64_t n1, XtfFrameStack *stack, GError **error)
{
    XtfOuterFrames outer;

    xtf_outer_frames_init(&outer, array, index);
    while (stack->n_outer > 0 && (stack->frames->len == 0 || xtf_frame_stack_at(stack, 0)->row >= n1))
        if (!load_outer_frames(stack, &outer, error))
            return false;
    return true;
}

bool xtf_array_stack(const XtfArray *array, unsigned index, uint64_t n, XtfOpenFrame **frames, size_t *n_frames,
                     GError **error)
{
    g_auto(XtfFrameStack) stack;
    gsize depth;

    xtf_frame_stack_init(&stack);
    if (!xtf_aggregate_is_supported(array->schema, index, error) ||
        !xtf_frames_before_row(array, index, MIN(n, array->n_rows), &stack, error) ||
        !xtf_frames_load_all(array, index, &stack, error))
        return false;
    *frames = g_array_steal(stack.frames, &depth);
    for (gsize i = 0; array->clock && i < depth; i++)
        (*frames)[i].time = xtf_clock_map_to_global(array->clock, (*frames)[i].time);
    *n_frames = depth;
    return true;
}

bool xtf_array_removed_frame(const XtfArray *array, unsigned index, uint64_t n, XtfOpenFrame *frame, uint64_t *depth,
                             bool *found, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    uint64_t first_kept;
    size_t n_frames;

    *found = false;
    if (!xtf_array_first_kept(array, &first_kept, error))
        return false;
    if (n >= first_kept)
        return true;
    if (!xtf_array_stack(array, index, first_kept, &frames, &n_frames, error))
        return false;
    for (size_t i = 0; i < n_frames && !*found; i++) {
        *found = frames[i].row == n;
        *frame = frames[i];
        if (depth)
            *depth = i + 1;
    }
    return true;
}
