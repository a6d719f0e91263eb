#include "libxtf/totals/tables/read-tables.h"

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

/* Returns the entries of the page from the first child on. */
static const XtfDiskEntry *entries_of(const XtfChildren *children)
{
    return (const XtfDiskEntry *)children->page->page.payload + children->first;
}

XtfBorder *xtf_borders_read(const XtfChildren *children, const XtfPackedRows *packed, const char **fault)
{
    const XtfDiskEntry *entries = entries_of(children);

    if (packed->n != children->n) {
        *fault = "the number of borders differs from that of the children";
        return NULL;
    }
    g_autofree XtfBorder *borders = g_new(XtfBorder, children->n);
    if (!xtf_stored_borders_unpack(xtf_codec(children->array->codec), packed, borders, fault))
        return NULL;
    for (uint32_t i = 0; i < children->n && !*fault; i++)
        *fault = border_fault(&entries[i], children->first + i, &borders[i]);
    return *fault ? NULL : g_steal_pointer(&borders);
}

/* The borders of children, and the columns of their snapshots. The frames lie where the child totals keep them. */
typedef struct {
    const XtfBorder *borders;
    const XtfSnapshotColumns *columns;
    XtfOpenFrame *frames;
    uint32_t n_frames;
} StackRows;

/* Checks the innermost frames before a child, from frame `first` on, and completes them. Returns a fault, or NULL. */
static const char *check_frames(const XtfDiskEntry *entry, const XtfBorder *border, const StackRows *rows,
                                uint32_t first, const XtfMappedGroups *to)
{
    const uint32_t n = (uint32_t)MIN(border->depth, (uint64_t)XTF_SNAPSHOT_FRAMES);

    if (rows->n_frames - first < n)
        return "a stack has too few frames";
    for (uint32_t i = first; i < first + n; i++) {
        XtfOpenFrame *frame = &rows->frames[i];
        if (rows->columns->child[i] != border->child)
            return "a stack has too few or too many frames";
        if (rows->columns->outermost[i] > 1)
            return "a frame's outermost flag is neither 0 nor 1";
        const char *fault = frame_fault(entry, frame, i > first ? frame - 1 : NULL);
        if (fault)
            return fault;
        frame->key = xtf_mapped_groups_key(to, 0, frame->key);
        frame->outermost = rows->columns->outermost[i] != 0;
    }
    return NULL;
}

static const char *read_stacks_of_children(const XtfChildren *children, const XtfMappedGroups *to,
                                           const StackRows *rows)
{
    const XtfDiskEntry *entries = entries_of(children);
    const uint64_t most = children->page->level == 1 ? XTF_SNAPSHOT_FRAMES : 0;
    uint32_t first = 0;

    for (uint32_t child = 0; child < children->n; child++) {
        const XtfBorder *border = &rows->borders[child];
        const uint32_t n = (uint32_t)MIN(border->depth, most);
        const char *fault = most > 0 ? check_frames(&entries[child], border, rows, first, to) : NULL;
        if (fault)
            return fault;
        const XtfChildStack stack = {.time = xtf_read64(entries[child].first_t) - border->gap,
                                     .inner_row = n > 0 ? rows->frames[first].row : 0,
                                     .n_outer = border->depth - n,
                                     .least = border->least,
                                     .start = first};
        xtf_child_totals_builder_add_stack(to->builder, &stack);
        first += n;
    }
    return first == rows->n_frames ? NULL : "a stack has too many frames";
}

/* Unpacks the snapshots into child totals; returns a fault, or NULL. */
static const char *read_snapshots(const XtfChildren *children, const XtfPackedRows *packed, const XtfMappedGroups *to,
                                  const XtfBorder *borders)
{
    const uint64_t most = (uint64_t)children->n * XTF_SNAPSHOT_FRAMES;
    XtfSnapshotColumns columns = {0};
    const char *fault = NULL;

    if (!xtf_stored_rows_check(packed, most, &fault))
        return fault;
    XtfOpenFrame *frames = xtf_child_totals_builder_frames(to->builder, packed->n);
    if (packed->n > 0 &&
        !xtf_stored_snapshots_unpack(xtf_codec(children->array->codec), packed, frames, &columns, &fault))
        return fault;
    return read_stacks_of_children(
        children, to, &(StackRows){.borders = borders, .columns = &columns, .frames = frames, .n_frames = packed->n});
}

const char *xtf_stacks_read(const XtfChildren *children, const XtfPackedRows *tables, const XtfMappedGroups *to)
{
    const char *fault = NULL;

    g_autofree XtfBorder *borders = xtf_borders_read(children, &tables[XTF_TOTALS_BORDERS], &fault);
    if (!borders)
        return fault;
    if (children->page->level > 1 && tables[XTF_TOTALS_SNAPSHOTS].n > 0)
        return "snapshots occur above level 1";
    return read_snapshots(children, &tables[XTF_TOTALS_SNAPSHOTS], to, borders);
}
