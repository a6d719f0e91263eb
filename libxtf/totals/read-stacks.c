#include "libxtf/totals/read-tables.h"

/* Returns a fault of a frame in the stack before a child, or NULL. `outer`: the frame around it, NULL for the
 * outermost. */
static const char *frame_fault(const XtfDiskEntry *child, const XtfOpenFrame *frame, const XtfOpenFrame *outer)
{
    if (frame->row >= xtf_read64(child->before) || frame->time > xtf_read64(child->first_t))
        return "a frame is open before it begins";
    if (outer && (frame->row <= outer->row || frame->time < outer->time))
        return "the frames of a stack are out of order";
    return NULL;
}

/* Returns a fault of a child's border, or NULL. */
static const char *border_fault(const XtfDiskEntry *entry, uint32_t child, const XtfBorder *border)
{
    if (border->child != child)
        return "a border names another child";
    if (border->gap > xtf_read64(entry->first_t) || (xtf_read64(entry->before) == 0 && border->gap > 0))
        return "a border's gap is too large";
    return border->depth > xtf_read64(entry->before) || border->least > border->depth ? "a border has too many frames"
                                                                                      : NULL;
}

XtfBorder *xtf_borders_read(const XtfChildren *children, const XtfPackedRows *packed, const char **fault)
{
    const XtfDiskEntry *entries = (const XtfDiskEntry *)children->page->page.payload;

    if (packed->n != children->n) {
        *fault = "the number of borders differs from that of the children";
        return NULL;
    }
    g_autofree XtfBorder *borders = g_new(XtfBorder, children->n);
    if (!xtf_stored_borders_unpack(xtf_codec(children->array->codec), packed, borders, fault))
        return NULL;
    for (uint32_t child = 0; child < children->n && !*fault; child++)
        *fault = border_fault(&entries[child], child, &borders[child]);
    return *fault ? NULL : g_steal_pointer(&borders);
}

/* The borders of children, and their unpacked table of snapshots. */
typedef struct {
    const XtfBorder *borders;
    const uint8_t *frames;
    uint32_t n_frames;
} StackRows;

/* Reads the innermost frames before a child, from row *row of the snapshots on; returns a fault, or NULL. */
static const char *read_frames(const XtfDiskEntry *entry, const XtfBorder *border, const StackRows *rows, uint32_t *row,
                               const XtfMappedGroups *to, XtfFrameStack *stack)
{
    const XtfField *outermost = &xtf_stored_snapshot_schema()->fields[XTF_SNAPSHOT_OUTERMOST];
    uint32_t row_size = xtf_stored_snapshot_schema()->row_size;
    guint n = (guint)MIN(border->depth, (uint64_t)XTF_SNAPSHOT_FRAMES);

    for (guint depth = 0; depth < n; depth++, (*row)++) {
        uint64_t child;
        XtfOpenFrame frame;
        if (*row == rows->n_frames)
            return "a stack has too few frames";
        xtf_stored_snapshot_read(rows->frames + (size_t)*row * row_size, &child, &frame);
        if (child != border->child)
            return "a stack has too few or too many frames";
        if (xtf_field_get(outermost, rows->frames + (size_t)*row * row_size) > 1)
            return "a frame's outermost flag is neither 0 nor 1";
        const char *fault = frame_fault(entry, &frame, depth > 0 ? xtf_frame_stack_at(stack, depth - 1) : NULL);
        if (fault)
            return fault;
        frame.key = xtf_mapped_groups_key(to, 0, frame.key);
        g_array_append_val(stack->frames, frame);
    }
    stack->n_outer = border->depth - n;
    stack->inner_row = n > 0 ? xtf_frame_stack_at(stack, 0)->row : 0;
    return NULL;
}

static const char *read_stacks_of_children(const XtfChildren *children, const XtfMappedGroups *to,
                                           const StackRows *rows)
{
    const XtfDiskEntry *entries = (const XtfDiskEntry *)children->page->page.payload;
    g_auto(XtfFrameStack) stack;
    uint32_t row = 0;
    const char *fault = NULL;

    xtf_frame_stack_init(&stack);
    for (uint32_t child = 0; !fault && child < children->n; child++) {
        const XtfBorder *border = &rows->borders[child];
        xtf_frame_stack_reset(&stack);
        stack.time = xtf_read64(entries[child].first_t) - border->gap;
        stack.n_outer = border->depth;
        if (children->page->level == 1)
            fault = read_frames(&entries[child], border, rows, &row, to, &stack);
        xtf_child_totals_builder_stack(to->builder, &stack);
        xtf_child_totals_builder_least(to->builder, border->least);
    }
    return fault || row == rows->n_frames ? fault : "a stack has too many frames";
}

const char *xtf_stacks_read(const XtfChildren *children, const XtfPackedRows *tables, const XtfMappedGroups *to)
{
    const XtfCodec *codec = xtf_codec(children->array->codec);
    const XtfPackedRows *frames = &tables[XTF_TOTALS_SNAPSHOTS];
    const char *fault = NULL;

    g_autofree XtfBorder *borders = xtf_borders_read(children, &tables[XTF_TOTALS_BORDERS], &fault);
    if (!borders)
        return fault;
    if (children->page->level > 1 && frames->n > 0)
        return "snapshots occur above level 1";
    g_autofree uint8_t *frame_rows = xtf_stored_rows_unpack(xtf_stored_snapshot_schema(), codec, frames,
                                                            (uint64_t)children->n * XTF_SNAPSHOT_FRAMES, &fault);
    if (!frame_rows)
        return fault;
    return read_stacks_of_children(children, to,
                                   &(StackRows){.borders = borders, .frames = frame_rows, .n_frames = frames->n});
}
