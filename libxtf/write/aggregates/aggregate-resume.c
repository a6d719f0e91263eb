#include "libxtf/write/aggregates/aggregate-writer-private.h"

static void restore_border(XtfOpenPageTotals *totals, uint32_t child, const XtfChildTotals *children,
                           const XtfDescentPage *page)
{
    const XtfChildStack stack = xtf_child_totals_stack_head(children, child);
    const XtfBorder border = {.child = child,
                              .gap = xtf_page_time(&page->page, child) - stack.time,
                              .depth = xtf_child_totals_depth_before(children, child),
                              .least = stack.least};

    xtf_stored_border_append(totals->borders, &border);
    xtf_aggregate_writer_join_border(&totals->border, child, &border);
}

/* Restores the stored totals of an open page's sealed children. */
static void restore_rows(const XtfAggregateWriter *writer, unsigned index, XtfOpenPage *page,
                         const XtfDescentPage *stored, const XtfChildTotals *children)
{
    const XtfAggregate *aggregate = &writer->schema->aggregates[index];
    XtfOpenPageTotals *totals = &page->totals[index];
    g_auto(XtfFrameStack) stack;
    uint64_t cells[XTF_AGGREGATE_CELLS_MAX];

    xtf_frame_stack_init(&stack);
    for (uint32_t child = 0; child < page->n_children; child++) {
        for (uint32_t entry = children->exact.starts[child]; entry < children->exact.starts[child + 1]; entry++) {
            uint32_t group = xtf_totals_tier_group(&children->exact, entry);
            xtf_stored_totals_append(totals->rows, child, aggregate, xtf_child_totals_depth(children, group),
                                     xtf_child_totals_key(children, group),
                                     xtf_child_totals_cells(children, &children->exact, entry, cells));
        }
        if (totals->borders)
            restore_border(totals, child, children, stored);
        if (totals->snapshots) {
            xtf_child_totals_stack(children, child, 0, &stack);
            xtf_stored_snapshot_append(totals->snapshots, child, &stack);
        }
    }
}

/* Restores the filters of an open page's sealed children. */
static bool restore_filters(XtfOpenPage *page, unsigned index, const XtfDescentPage *stored, GError **error)
{
    g_autoptr(XtfBlock) block = xtf_stored_filters_get(stored, index, error);

    if (!block)
        return false;
    const XtfFilters *filters = (const XtfFilters *)(const void *)block->data;
    for (uint32_t child = 0; child < page->n_children; child++)
        for (uint32_t i = filters->starts[child]; i < filters->starts[child + 1]; i++)
            xtf_stored_filter_append(page->totals[index].filters, child, filters->words[i]);
    return true;
}

/* Adds the totals of a page's sealed children to totals->running one by one, as when they were sealed. Drops the last
 * key at the same bound. So resuming takes no more memory than sealing took. */
static bool resume_running(XtfOpenPageTotals *totals, unsigned index, const XtfDescentPage *page, GError **error)
{
    for (uint32_t child = 0; child + 1 < page->page.count; child++) {
        g_autoptr(XtfGroupTotals) of_child = xtf_group_totals_new(totals->running->aggregate, totals->running->depth);
        if (!xtf_array_totals(page->array, index, NULL, xtf_descent_child_start(page, child),
                              xtf_descent_child_end(page, child), of_child, error))
            return false;
        xtf_group_totals_add_bounded(&totals->running, of_child, XTF_RUNNING_GROUPS_MAX);
    }
    return true;
}

/* Restores the open page of a level from the right edge. */
static bool resume_level(XtfAggregateWriter *writer, const XtfArray *stored, XtfBlock *edge, unsigned level,
                         GError **error)
{
    XtfOpenPage *open = xtf_aggregate_writer_open_page(writer, level);
    XtfDescentPage page = {.array = stored, .edge = edge, .level = level, .open = true, .end = stored->n_rows};

    xtf_page_view_of_edge(stored, edge, level, &page.page);
    open->n_children = page.page.count - 1;
    open->n_rows = xtf_edge_level(edge->data, stored->height, level - 1).first_n - page.page.first_n;
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        g_autoptr(XtfBlock) block = xtf_stored_totals_get(&page, index, 0, error);
        if (!block)
            return false;
        restore_rows(writer, index, open, &page, xtf_block_child_totals(block));
        if (open->totals[index].filters && !restore_filters(open, index, &page, error))
            return false;
        if (!resume_running(&open->totals[index], index, &page, error))
            return false;
    }
    return true;
}

/* Restores the stack after the last sealed leaf, which ends before row n. */
static bool resume_stack(XtfAggregateWriter *writer, const XtfArray *stored, uint64_t n, unsigned index, GError **error)
{
    XtfFrameStack *stack = &writer->accumulators[index].stack;
    g_autofree XtfOpenFrame *frames = NULL;
    size_t n_frames;

    if (!xtf_array_stack(stored, index, n, &frames, &n_frames, error))
        return false;
    if (n_frames > 0)
        g_array_append_vals(stack->frames, frames, (guint)n_frames);
    stack->n = n;
    return xtf_array_time(stored, n - 1, &stack->time, error);
}

bool xtf_aggregate_writer_resume(XtfAggregateWriter *writer, const XtfArray *stored, GError **error)
{
    if (!writer || stored->height < 2) /* no leaf was sealed: nothing to restore */
        return true;
    g_autoptr(XtfBlock) edge = xtf_edge_get(stored, error);
    if (!edge)
        return false;
    xtf_aggregate_writer_allocate(writer);
    for (unsigned level = 1; level < stored->height; level++)
        if (!resume_level(writer, stored, edge, level, error))
            return false;
    uint64_t open_leaf = xtf_edge_level(edge->data, stored->height, 0).first_n;
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++)
        if (xtf_aggregate_writer_has_stack(writer, index) && !resume_stack(writer, stored, open_leaf, index, error))
            return false;
    return true;
}
