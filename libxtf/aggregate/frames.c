/*
 * The stack at any row.
 *
 * For each leaf the index keeps a snapshot: the innermost XTF_SNAPSHOT_FRAMES frames that are open before its first
 * row. From a snapshot, the rows of the leaf up to row n give the stack at row n: one leaf, whatever came before. With
 * the leaf's digest it takes one chunk of the leaf.
 *
 * Beside the snapshot the index keeps how many frames are open, so it is known whether there are more. These are found
 * from beginning to beginning: the distance in a row that begins a frame leads to the row that began the outer frame.
 * The chain is followed through the leaf of that row until a distance leads out of the leaf. That outer frame was open
 * before the leaf's first row. If it is one of the innermost, the leaf's snapshot has it and the frames around it, many
 * at once. So a stack of any depth takes at most one leaf for
 * each XTF_SNAPSHOT_FRAMES frames, and usually a leaf has the beginnings of many more.
 *
 *     leaf 3                    leaf 5                          leaf 9
 *     snapshot: [a ... f]       snapshot: [ ... g h]            snapshot: [j k ... z]
 *     begins g ---+             begins i, j --+                 ...row n
 *                 |                     |     |
 *                 +---- found in the snapshot +---- leads here: the frame around j
 *
 * Rows may lie about their distances, but not a row that began a frame within another one: had its distance led to no
 * open frame, it would have ended all. Each step finds a frame of those that are known to be there, so no file, however
 * wrong, causes an endless loop.
 */
#include "libxtf/aggregate/frames.h"

#include "libxtf/aggregate/digest.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/totals/stored.h"

/* A row that begins a frame. */
typedef struct {
    XtfOpenFrame frame;
    bool has_outer;     /* there is a frame around it... */
    uint64_t outer_row; /* ...which this row began */
} Beginning;

static bool read_beginning(const XtfArray *array, unsigned index, const uint8_t *row, uint64_t n, Beginning *beginning,
                           GError **error)
{
    const XtfSchema *schema = array->schema;
    const XtfAggregate *aggregate = &schema->aggregates[index];
    uint64_t distance = xtf_field_get(&schema->fields[aggregate->values[1]], row);

    if (xtf_field_get(&schema->fields[aggregate->values[0]], row) != 0)
        return xtf_damaged(error, "array %u: row %" PRIu64 " should begin a frame", array->id, n);
    beginning->frame = (XtfOpenFrame){
        .key = xtf_field_get(&schema->fields[aggregate->keys[0]], row),
        .row = n,
        .time = xtf_field_get(&schema->fields[0], row),
        .outermost = xtf_field_get(&schema->fields[aggregate->values[2]], row) != 0,
    };
    beginning->has_outer = distance > 0 && distance <= n;
    beginning->outer_row = n - distance;
    return true;
}

bool xtf_frames_before_leaf(const XtfDescentLeaf *leaf, unsigned index, XtfFrameStack *stack, GError **error)
{
    if (!leaf->parent) { /* the leaf begins with row 0 */
        xtf_frame_stack_reset(stack);
        return true;
    }
    g_autoptr(XtfBlock) stored = xtf_stored_totals_get(leaf->parent, index, error);
    if (!stored)
        return false;
    xtf_child_totals_stack(xtf_block_child_totals(stored), leaf->slot, leaf->first_n, stack);
    return true;
}

/* Frames found from the inside out, each around the one before. */
typedef struct {
    GArray *frames;
    bool has_outer;     /* there is a frame around the last... */
    uint64_t outer_row; /* ...which this row began */
    uint64_t most;      /* frames to find */
} FrameChain;

/* Follows the chain from row outer_row on through a leaf that holds it. */
static bool follow_in_leaf(const XtfDescentLeaf *leaf, unsigned index, const XtfPageView *rows, FrameChain *chain,
                           GError **error)
{
    const XtfArray *array = leaf->array;
    Beginning beginning;

    while (chain->has_outer && chain->outer_row >= leaf->first_n && chain->frames->len < chain->most) {
        uint64_t n = chain->outer_row;
        const uint8_t *row = rows->payload + (n - leaf->first_n) * array->schema->row_size;
        if (!read_beginning(array, index, row, n, &beginning, error))
            return false;
        g_array_append_val(chain->frames, beginning.frame);
        chain->has_outer = beginning.has_outer;
        chain->outer_row = beginning.outer_row;
    }
    return true;
}

/* Adds the frame of row outer_row and all frames around it that the snapshot before the leaf has. */
static bool follow_in_snapshot(const XtfDescentLeaf *leaf, unsigned index, FrameChain *chain, GError **error)
{
    g_auto(XtfFrameStack) snapshot;

    xtf_frame_stack_init(&snapshot);
    if (!xtf_frames_before_leaf(leaf, index, &snapshot, error))
        return false;
    guint known = snapshot.frames->len;
    while (known > 0 && xtf_frame_stack_at(&snapshot, known - 1)->row > chain->outer_row)
        known--;
    if (known > 0 && xtf_frame_stack_at(&snapshot, known - 1)->row == chain->outer_row)
        while (known > 0 && chain->frames->len < chain->most)
            g_array_append_vals(chain->frames, xtf_frame_stack_at(&snapshot, --known), 1);
    return true;
}

/* Puts the frames of a chain around those of a stack. */
static void put_around(XtfFrameStack *stack, const FrameChain *chain)
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
    Beginning inner;

    if (stack->frames->len > XTF_STACK_FRAMES_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "array %u: before row %" PRIu64 " more than %d frames are open",
                        array->id, stack->n, XTF_STACK_FRAMES_MAX);
    if (!xtf_array_row(array, stack->inner_row, row, error) ||
        !read_beginning(array, context->index, row, stack->inner_row, &inner, error))
        return false;
    if (!inner.has_outer)
        return xtf_damaged(error, "array %u: %" PRIu64 " frames should be around the one of row %" PRIu64, array->id,
                           stack->n_outer, stack->inner_row);
    if (!xtf_descent_find(array, inner.outer_row, &descent, error) ||
        !xtf_descent_leaf_rows(&descent.leaf, &rows, error))
        return false;
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfOpenFrame));
    FrameChain chain = {.frames = found, .has_outer = true, .outer_row = inner.outer_row, .most = stack->n_outer};
    if (!follow_in_leaf(&descent.leaf, context->index, &rows, &chain, error) ||
        (chain.has_outer && found->len < chain.most &&
         !follow_in_snapshot(&descent.leaf, context->index, &chain, error)))
        return false;
    put_around(stack, &chain);
    return true;
}

void xtf_outer_frames_init(XtfOuterFrames *outer, const XtfArray *array, unsigned index)
{
    *outer = (XtfOuterFrames){.array = array, .index = index, .loader = {.load = load_outer_frames, .data = outer}};
}

/* The stack before row *from of a leaf: the last row up to `within` whose stack is known without going over rows. */
static bool begin_in_leaf(const XtfDescentLeaf *leaf, unsigned index, const XtfPageView *rows, uint64_t within,
                          XtfFrameStack *stack, uint32_t *from, GError **error)
{
    *from = 0;
    if (within == 0 || xtf_leaf_needs_no_digest(leaf) || xtf_leaf_is_new(rows, XTF_READ_FOR_STACK))
        return xtf_frames_before_leaf(leaf, index, stack, error);
    g_autoptr(XtfBlock) digest = xtf_leaf_digest_get(leaf, index, error);
    if (!digest)
        return false;
    const XtfChildTotals *chunks = xtf_block_child_totals(digest);
    uint32_t chunk = MIN((uint32_t)(within / XTF_CHUNK_ROWS), chunks->n - 1);
    *from = chunk * XTF_CHUNK_ROWS;
    xtf_child_totals_stack(chunks, chunk, leaf->first_n + *from, stack);
    return true;
}

bool xtf_frames_before_row(const XtfArray *array, unsigned index, uint64_t n, XtfFrameStack *stack, GError **error)
{
    const XtfSchema *schema = array->schema;
    g_auto(XtfDescent) descent = {0};
    g_auto(XtfPageView) rows = {0};
    XtfOuterFrames outer;
    uint32_t from;

    if (!xtf_descent_find(array, MIN(n, array->n_rows - 1), &descent, error))
        return false;
    uint64_t within = n - descent.leaf.first_n;
    if (within > 0 && !xtf_descent_leaf_rows(&descent.leaf, &rows, error))
        return false;
    if (!begin_in_leaf(&descent.leaf, index, &rows, within, stack, &from, error))
        return false;
    if (from == within)
        return true;

    xtf_outer_frames_init(&outer, array, index);
    return xtf_accumulate_rows(schema, &schema->aggregates[index], rows.payload + (size_t)from * schema->row_size,
                               (uint32_t)(within - from), stack, &outer.loader, NULL, error);
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
    if (!xtf_aggregate_is_known(array->schema, index, error) ||
        !xtf_frames_before_row(array, index, MIN(n, array->n_rows), &stack, error) ||
        !xtf_frames_load_all(array, index, &stack, error))
        return false;
    *frames = g_array_steal(stack.frames, &depth);
    for (gsize i = 0; array->clock && i < depth; i++)
        (*frames)[i].time = xtf_clock_map_to_global(array->clock, (*frames)[i].time);
    *n_frames = depth;
    return true;
}
