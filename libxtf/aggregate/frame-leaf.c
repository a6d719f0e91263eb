#include "libxtf/aggregate/frame-leaf.h"

bool xtf_frame_leaf_init(XtfFrameLeaf *frames, const XtfDescentLeaf *leaf, unsigned index, const XtfFrameLoader *loader,
                         GError **error)
{
    *frames = (XtfFrameLeaf){.leaf = leaf, .index = index, .loader = loader};
    if (!xtf_descent_leaf_part(leaf, XTF_LEAF_FRAMES + index, &frames->view, error))
        return false;
    return xtf_frame_leaf_seek(frames, 0, false, error);
}

void xtf_frame_leaf_finish(XtfFrameLeaf *frames)
{
    xtf_page_view_finish(&frames->view);
    xtf_page_view_finish(&frames->rows);
}

bool xtf_frame_leaf_seek(XtfFrameLeaf *frames, uint32_t next, bool nests, GError **error)
{
    bool needs_rows = next > 0 && !nests && xtf_frame_leaf_nests(frames);

    frames->walk = xtf_frame_walk(frames->view.frames, next, nests);
    return !needs_rows || xtf_descent_leaf_rows(frames->leaf, &frames->rows, error);
}

bool xtf_frame_leaf_add(XtfFrameLeaf *frames, uint32_t to, XtfFrameStack *stack, XtfGroupTotals *totals, GError **error)
{
    const XtfSchema *schema = frames->leaf->array->schema;

    if (xtf_frame_leaf_nests(frames))
        xtf_accumulate_frames(&frames->walk, to, stack, totals);
    if (frames->walk.next >= to)
        return true;
    if (xtf_frame_leaf_nests(frames) && !xtf_descent_leaf_rows(frames->leaf, &frames->rows, error))
        return false;
    const uint8_t *rows = frames->view.frames ? frames->rows.payload : frames->view.payload;
    uint32_t next = frames->walk.next;
    frames->walk.next = to;
    return xtf_accumulate_rows(schema, &schema->aggregates[frames->index], rows + (size_t)next * schema->row_size,
                               to - next, stack, frames->loader, totals, error);
}

XtfFrameRow xtf_frame_row(const XtfArray *array, unsigned index, const XtfPageView *leaf, uint32_t i)
{
    const XtfSchema *schema = array->schema;
    const XtfField *is_end = &schema->fields[schema->aggregates[index].values[0]];
    bool ends = leaf->frames ? leaf->frames->templates[leaf->frames->numbers[i]].is_end
                             : xtf_field_get(is_end, leaf->payload + (size_t)i * schema->row_size) != 0;

    return ends ? XTF_FRAME_ROW_ENDS : XTF_FRAME_ROW_BEGINS;
}
