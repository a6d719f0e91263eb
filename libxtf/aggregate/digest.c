#include "libxtf/aggregate/digest.h"

#include "libxtf/aggregate/frame-leaf.h"
#include "libxtf/aggregate/frames.h"

typedef struct {
    const XtfDescentLeaf *leaf;
    unsigned index;
} DigestSource;

static void add_chunk_groups(XtfChildTotalsBuilder *builder, const XtfAggregate *aggregate,
                             const XtfGroupTotals *totals)
{
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++)
        xtf_child_totals_builder_add(builder, xtf_group_totals_key(totals, i), aggregate->n_keys,
                                     xtf_group_totals_cells(totals, i));
}

static bool add_chunks_of_frames(const DigestSource *source, XtfChildTotalsBuilder *builder, GError **error)
{
    const XtfAggregate *aggregate = &source->leaf->array->schema->aggregates[source->index];
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
    g_auto(XtfFrameLeaf) frames = {0};
    g_auto(XtfFrameStack) stack;
    XtfOuterFrames outer;

    xtf_outer_frames_init(&outer, source->leaf->array, source->index);
    xtf_frame_stack_init(&stack);
    if (!xtf_frame_leaf_init(&frames, source->leaf, source->index, &outer.loader, error) ||
        !xtf_frames_before_leaf(source->leaf, source->index, &stack, error))
        return false;
    for (uint32_t from = 0; from < frames.view.count; from += XTF_CHUNK_ROWS) {
        uint32_t count = MIN(frames.view.count - from, (uint32_t)XTF_CHUNK_ROWS);
        xtf_child_totals_builder_next(builder);
        xtf_child_totals_builder_stack(builder, &stack);
        stack.least = UINT64_MAX;
        xtf_group_totals_clear(totals);
        if (!xtf_frame_leaf_add(&frames, from + count, &stack, totals, error))
            return false;
        xtf_child_totals_builder_least(builder, stack.least);
        add_chunk_groups(builder, aggregate, totals);
    }
    if (xtf_frame_leaf_nests(&frames))
        xtf_child_totals_builder_nests(builder);
    return true;
}

static bool add_chunks_of_groups(const DigestSource *source, XtfChildTotalsBuilder *builder, GError **error)
{
    const XtfSchema *schema = source->leaf->array->schema;
    const XtfAggregate *aggregate = &schema->aggregates[source->index];
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
    g_auto(XtfPageView) rows = {0};

    if (!xtf_descent_leaf_rows(source->leaf, &rows, error))
        return false;
    for (uint32_t from = 0; from < rows.count; from += XTF_CHUNK_ROWS) {
        uint32_t count = MIN(rows.count - from, (uint32_t)XTF_CHUNK_ROWS);
        xtf_child_totals_builder_next(builder);
        xtf_group_totals_clear(totals);
        if (!xtf_accumulate_rows(schema, aggregate, rows.payload + (size_t)from * schema->row_size, count, NULL, NULL,
                                 totals, error))
            return false;
        add_chunk_groups(builder, aggregate, totals);
    }
    return true;
}

static bool make_digest(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const DigestSource *source = context;
    const XtfArray *array = source->leaf->array;
    g_autoptr(XtfChildTotalsBuilder) builder =
        xtf_child_totals_builder_new(array, source->index, 0, source->leaf->first_n);
    bool of_frames = array->schema->aggregates[source->index].kind == XTF_AGGREGATE_FRAMES;

    if (!(of_frames ? add_chunks_of_frames : add_chunks_of_groups)(source, builder, error))
        return false;
    *data = (uint8_t *)xtf_child_totals_builder_finish(builder, length, error);
    return *data != NULL;
}

XtfBlock *xtf_leaf_digest_get(const XtfDescentLeaf *leaf, unsigned index, GError **error)
{
    const XtfArray *array = leaf->array;
    DigestSource source = {.leaf = leaf, .index = index};
    uint64_t n_chunks = (leaf->end - leaf->first_n + XTF_CHUNK_ROWS - 1) / XTF_CHUNK_ROWS;
    g_autoptr(XtfBlock) block = NULL;

    if (n_chunks <= UINT32_MAX) {
        uint64_t version = leaf->open ? leaf->edge->version : xtf_array_page_version(array);
        block = xtf_cache_make(xtf_array_cache(array), leaf->offset, index + 1, version, make_digest, &source, error);
        if (!block)
            return NULL;
    }
    if (block &&
        xtf_child_totals_are_of(xtf_block_child_totals(block), array, index, 0, leaf->first_n, (uint32_t)n_chunks))
        return g_steal_pointer(&block); /* otherwise the digest was made of other rows at the same place */
    xtf_damaged(error, "array %u: leaf %" PRIu64 " does not hold rows %" PRIu64 " to %" PRIu64, array->id, leaf->place,
                leaf->first_n, leaf->end);
    return NULL;
}
