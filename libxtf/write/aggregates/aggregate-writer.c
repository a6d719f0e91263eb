/*
 * The aggregates of an array being written.
 *
 * For each of the schema's aggregates, an open index page has the totals of its sealed children, as rows to be stored.
 * It also has their sum, which becomes the totals of the page as a child of the level above. The rows of a leaf are
 * accumulated once, when it is sealed; all levels above only add groups.
 *
 * Some keys have very many values. If messages differ in their tag, nearly every row is a group of its own, and totals
 * by group are as large as the rows. The index would be larger than the leaves and no more useful. So a child keeps at
 * most one group per GROUP_ROWS rows below it, or XTF_CHILD_GROUPS_LEAST groups if that is more. A child with more
 * groups is coarse: it keeps totals by its first keys only. It drops keys until the groups are few enough, down to one
 * group of all rows. So keys with many values are last in a schema's list. Queries by the first keys only, such as the
 * matrix of senders and receivers, seldom meet coarse children. Frames have one key, without which their times have no
 * meaning: they may have twice the number of groups. Derived rows are few and wide in a trace, and exist for their
 * sums: they may have four times the number.
 *
 * By measurement a packed group takes five to seven bytes. Rows so different that they make many groups take two and a
 * half bytes or more each. So stored totals take at most a tenth of the bytes of rows, for rows constructed to be the
 * worst case. Where dozens of regions are called at random, they take 1 to 7 %. In a real trace they take 0.2 % (pages
 * of 16 KiB) to 1.2 % (4 KiB).
 *
 * Totals become coarse only when they are stored. In memory every level sums the exact totals of its leaves. So a level
 * may have more keys than the level below it. Totals of long intervals come from the upper levels, whose children have
 * many rows and so may have many groups. If the children at an interval's edge are coarser, the reader reads only these
 * in more detail, down to the rows of a leaf.
 *
 * Memory is bounded. A child has at most XTF_CHILD_GROUPS groups, or XTF_CHILD_GROUPS_LEAST once the children of a page
 * take XTF_TABLE_BYTES. A page has at most XTF_RUNNING_GROUPS_MAX groups, beyond which its last key is dropped even in
 * memory. An array that has sealed no leaf holds nothing.
 */
#include "libxtf/write/aggregates/aggregate-writer-private.h"

enum {
    GROUP_ROWS = 32,
    FRAME_GROUP_ROWS = 16,
    DERIVED_GROUP_ROWS = 8,
};

XtfAggregateWriter *xtf_aggregate_writer_new(const XtfSchema *schema, XtfCodecId codec)
{
    if (schema->n_aggregates == 0)
        return NULL;
    XtfAggregateWriter *writer = g_new0(XtfAggregateWriter, 1);
    writer->schema = schema;
    writer->codec = codec;
    return writer;
}

void xtf_aggregate_writer_free(XtfAggregateWriter *writer)
{
    if (!writer)
        return;
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        for (unsigned i = 0; i < writer->n_levels; i++) {
            XtfOpenPageTotals *totals = &writer->pages[i].totals[index];
            g_byte_array_unref(totals->rows);
            g_clear_pointer(&totals->borders, g_byte_array_unref);
            g_clear_pointer(&totals->snapshots, g_byte_array_unref);
            g_clear_pointer(&totals->filters, g_byte_array_unref);
            xtf_group_totals_free(totals->running);
        }
        if (writer->accumulators) {
            xtf_group_totals_free(writer->accumulators[index].leaf);
            xtf_frame_stack_finish(&writer->accumulators[index].stack);
        }
    }
    g_free(writer->accumulators);
    g_free(writer->pages);
    g_free(writer);
}

XtfOpenPage *xtf_aggregate_writer_open_page(XtfAggregateWriter *writer, unsigned level)
{
    if (level > writer->n_levels) {
        writer->pages = g_renew(XtfOpenPage, writer->pages, level);
        XtfOpenPage *new = &writer->pages[writer->n_levels++];
        *new = (XtfOpenPage){0};
        for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
            const XtfAggregate *aggregate = &writer->schema->aggregates[index];
            new->totals[index].rows = g_byte_array_new();
            if (xtf_aggregate_writer_has_stack(writer, index))
                new->totals[index].borders = g_byte_array_new();
            if (level == 1 && xtf_aggregate_writer_has_stack(writer, index))
                new->totals[index].snapshots = g_byte_array_new();
            if (level == 1 && aggregate->filters)
                new->totals[index].filters = g_byte_array_new();
            new->totals[index].running = xtf_group_totals_new(aggregate, aggregate->n_keys);
        }
    }
    return &writer->pages[level - 1];
}

void xtf_aggregate_writer_allocate(XtfAggregateWriter *writer)
{
    writer->accumulators = g_new0(XtfLeafAccumulator, writer->schema->n_aggregates);
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        const XtfAggregate *aggregate = &writer->schema->aggregates[index];
        writer->accumulators[index].leaf = xtf_group_totals_new(aggregate, aggregate->n_keys);
        if (xtf_aggregate_writer_has_stack(writer, index))
            xtf_frame_stack_init(&writer->accumulators[index].stack);
    }
    xtf_aggregate_writer_open_page(writer, 1);
}

/* The next child of a page, for one aggregate. */
typedef struct {
    XtfGroupTotals *totals;
    uint64_t n_rows;
    XtfBorder border; /* for frames only; its child is not set */
} Child;

/* Returns the number of rows for which a child may have one group. */
static uint64_t rows_for_group(const XtfSchema *schema, const XtfAggregate *aggregate)
{
    return schema->kind == XTF_SCHEMA_DERIVED        ? DERIVED_GROUP_ROWS
           : aggregate->kind == XTF_AGGREGATE_FRAMES ? FRAME_GROUP_ROWS
                                                     : GROUP_ROWS;
}

/* Appends the stored totals of a child. Returns true if they are coarse. */
static bool append_totals(const XtfSchema *schema, GByteArray *rows, uint32_t number, const Child *child)
{
    return xtf_aggregate_writer_append_totals(rows, number, child->totals,
                                              child->n_rows / rows_for_group(schema, child->totals->aggregate));
}

/* Appends the totals, the filter and the border of a child as they are stored. Leaves its snapshot to the caller. */
static void append_child(const XtfAggregateWriter *writer, XtfOpenPageTotals *page, uint32_t number, const Child *child)
{
    if (append_totals(writer->schema, page->rows, number, child) && page->filters)
        xtf_filter_append(page->filters, number, writer->schema, child->totals);
    if (page->borders) {
        XtfBorder border = child->border;
        border.child = number;
        xtf_stored_border_append(page->borders, &border);
    }
}

void xtf_aggregate_writer_join_border(XtfBorder *border, uint32_t n_children, const XtfBorder *next)
{
    uint64_t least = n_children > 0 ? MIN(border->least, next->least) : next->least;

    if (n_children == 0)
        *border = *next;
    border->least = least;
}

/* Accumulates the rows of a leaf and moves the stack behind them. */
static void accumulate_leaf(const XtfAggregateWriter *writer, unsigned index, const uint8_t *rows, uint32_t count,
                            XtfFrameStack *stack, Child *leaf)
{
    uint64_t first_t = xtf_load64(rows);

    if (xtf_aggregate_writer_has_stack(writer, index)) {
        stack->least = UINT64_MAX;
        leaf->border = (XtfBorder){.gap = stack->n > 0 ? first_t - stack->time : 0, .depth = stack->frames->len};
    }
    /* Cannot fail: the stack has all frames. */
    xtf_accumulate_rows(writer->schema, &writer->schema->aggregates[index], rows, count, stack, NULL, leaf->totals,
                        NULL);
    if (xtf_aggregate_writer_has_stack(writer, index))
        leaf->border.least = stack->least;
    leaf->n_rows = count;
}

void xtf_aggregate_writer_seal_leaf(XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count)
{
    if (!writer)
        return;
    if (!writer->accumulators)
        xtf_aggregate_writer_allocate(writer);
    XtfOpenPage *page = &writer->pages[0];
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        XtfLeafAccumulator *accumulator = &writer->accumulators[index];
        XtfOpenPageTotals *totals = &page->totals[index];
        Child leaf = {.totals = accumulator->leaf};
        if (totals->snapshots)
            xtf_stored_snapshot_append(totals->snapshots, page->n_children, &accumulator->stack);
        accumulate_leaf(writer, index, rows, count, &accumulator->stack, &leaf);
        append_child(writer, totals, page->n_children, &leaf);
        xtf_aggregate_writer_join_border(&totals->border, page->n_children, &leaf.border);
        xtf_group_totals_add_bounded(&totals->running, leaf.totals, XTF_RUNNING_GROUPS_MAX);
        xtf_group_totals_clear(leaf.totals);
    }
    page->n_children++;
    page->n_rows += count;
}

/* The open child, for one aggregate: first the leaf, then the page above it, and so on up to the whole array. */
typedef struct {
    const XtfAggregateWriter *writer;
    unsigned index;
    XtfFrameStack stack; /* copy of the stack before the open leaf */
    Child child;
} OpenChild;

/* Copies the stack after the last sealed leaf; `stack` is initialised. */
static void copy_stack(const XtfAggregateWriter *writer, unsigned index, XtfFrameStack *stack)
{
    if (!writer->accumulators || !xtf_aggregate_writer_has_stack(writer, index))
        return;
    const XtfFrameStack *from = &writer->accumulators[index].stack;
    g_array_append_vals(stack->frames, from->frames->data, from->frames->len);
    stack->n = from->n;
    stack->time = from->time;
}

static void open_leaf(OpenChild *open, const XtfAggregateWriter *writer, unsigned index, const uint8_t *rows,
                      uint32_t count)
{
    const XtfAggregate *aggregate = &writer->schema->aggregates[index];
    g_auto(XtfFrameStack) behind;

    *open = (OpenChild){.writer = writer, .index = index};
    xtf_frame_stack_init(&open->stack);
    xtf_frame_stack_init(&behind);
    copy_stack(writer, index, &open->stack);
    copy_stack(writer, index, &behind);
    open->child.totals = xtf_group_totals_new(aggregate, aggregate->n_keys);
    accumulate_leaf(writer, index, rows, count, &behind, &open->child);
}

/* Packs the totals of the open page of a level, whose last child is `open`. Then `open` becomes that page. */
static void pack_open_page(OpenChild *open, unsigned level, GByteArray *payload)
{
    const XtfOpenPage *page = &open->writer->pages[level - 1];
    const XtfOpenPageTotals *sealed = &page->totals[open->index];
    XtfOpenPageTotals with_open = *sealed;
    guint rows = sealed->rows->len, borders = sealed->borders ? sealed->borders->len : 0,
          snapshots = sealed->snapshots ? sealed->snapshots->len : 0,
          filters = sealed->filters ? sealed->filters->len : 0;

    append_child(open->writer, &with_open, page->n_children, &open->child);
    if (sealed->snapshots)
        xtf_stored_snapshot_append(sealed->snapshots, page->n_children, &open->stack);
    xtf_aggregate_writer_pack_tables(open->writer, open->index, &with_open, payload);
    g_byte_array_set_size(sealed->rows, rows);
    if (sealed->borders)
        g_byte_array_set_size(sealed->borders, borders);
    if (sealed->snapshots)
        g_byte_array_set_size(sealed->snapshots, snapshots);
    if (sealed->filters)
        g_byte_array_set_size(sealed->filters, filters);

    XtfBorder border = sealed->border;
    xtf_aggregate_writer_join_border(&border, page->n_children, &open->child.border);
    XtfGroupTotals *all = xtf_group_totals_coarse_copy(sealed->running, sealed->running->depth);
    xtf_group_totals_add_bounded(&all, open->child.totals, XTF_RUNNING_GROUPS_MAX);
    xtf_group_totals_replace(&open->child.totals, all);
    open->child.border = border;
    open->child.n_rows += page->n_rows;
}

/* Packs the totals of the whole array. */
static void pack_array(OpenChild *open, GByteArray *payload)
{
    g_autoptr(GByteArray) rows = g_byte_array_new();

    append_totals(open->writer->schema, rows, 0, &open->child);
    xtf_aggregate_writer_pack_tables(open->writer, open->index, &(XtfOpenPageTotals){.rows = rows}, payload);
}

void xtf_aggregate_writer_pack_edge(const XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count,
                                    unsigned height, XtfEdgeEncoder *edge)
{
    OpenChild open[XTF_AGGREGATES_MAX];

    if (!writer)
        return;
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++)
        open_leaf(&open[index], writer, index, rows, count);
    for (unsigned level = 1; level <= height; level++) {
        xtf_edge_begin_totals(edge);
        for (unsigned index = 0; index < writer->schema->n_aggregates; index++)
            if (level < height)
                pack_open_page(&open[index], level, edge->bytes);
            else
                pack_array(&open[index], edge->bytes);
        xtf_edge_end_totals(edge);
    }
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        xtf_frame_stack_finish(&open[index].stack);
        xtf_group_totals_free(open[index].child.totals);
    }
}

/* Empties the open page of a level after it was sealed: drops the totals of its children. */
static void empty_page(const XtfAggregateWriter *writer, XtfOpenPage *page)
{
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        const XtfAggregate *aggregate = &writer->schema->aggregates[index];
        XtfOpenPageTotals *totals = &page->totals[index];
        xtf_group_totals_replace(&totals->running, xtf_group_totals_new(aggregate, aggregate->n_keys));
        g_byte_array_set_size(totals->rows, 0);
        if (totals->borders)
            g_byte_array_set_size(totals->borders, 0);
        if (totals->snapshots)
            g_byte_array_set_size(totals->snapshots, 0);
        if (totals->filters)
            g_byte_array_set_size(totals->filters, 0);
    }
    page->n_children = 0;
    page->n_rows = 0;
}

unsigned xtf_aggregate_writer_seal_index(XtfAggregateWriter *writer, unsigned level, GByteArray *payload)
{
    if (!writer)
        return 0;
    XtfOpenPage *above = xtf_aggregate_writer_open_page(writer, level + 1), *page = &writer->pages[level - 1];
    const unsigned batch = xtf_aggregate_writer_pack_batches(writer, page, payload);
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        XtfOpenPageTotals *totals = &page->totals[index], *to = &above->totals[index];
        const Child child = {.totals = totals->running, .n_rows = page->n_rows, .border = totals->border};
        if (batch == 0)
            xtf_aggregate_writer_pack_tables(writer, index, totals, payload);
        append_child(writer, to, above->n_children, &child);
        xtf_aggregate_writer_join_border(&to->border, above->n_children, &child.border);
        xtf_group_totals_add_bounded(&to->running, totals->running, XTF_RUNNING_GROUPS_MAX);
    }
    above->n_children++;
    above->n_rows += page->n_rows;
    empty_page(writer, page);
    return batch;
}
