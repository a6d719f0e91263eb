/*
 * The aggregates of an array being written.
 *
 * Each open index page has, for each of the schema's aggregates, the totals of its sealed children, as the rows that
 * will be stored, and their sum, which becomes the totals of the page itself, as a child of the level above. The rows
 * of a leaf are accumulated once, when it is sealed; all levels above only add groups.
 *
 * Keys of very many values. If messages differ in their tag, nearly every row is a group of its own, and totals by
 * group are as large as the rows: the index would outgrow the file and hold no more than the leaves do. So a child
 * keeps at most one group for each GROUP_ROWS rows below it, or XTF_CHILD_GROUPS_LEAST if that is more. A child with
 * more groups is coarse: it keeps totals by the first keys only, by as many as leave few enough groups, down to one
 * group of all rows. So keys of many values come last in a schema's list, and queries by the first keys only, such as
 * the matrix of senders and receivers, seldom meet coarse children. Frames have one key, without which their times mean
 * nothing: they may have twice as many groups.
 *
 * By measurement a group packs into five to seven bytes; rows that are so different that they make many groups take two
 * and a half bytes or more each. So stored totals take at most a tenth of the bytes of rows, in rows made up for that;
 * 1 to 7 % where dozens of regions are called at random; and 0.2 % (pages of 16 KiB) to 1.2 % (4 KiB) of a real trace.
 *
 * Coarsening happens only on output. In memory every level adds up the exact totals of its leaves. So a level may have
 * more keys than the level below it. That is good: totals of long intervals come from the upper levels, whose children
 * have many rows and so may have many groups. If the children at an interval's edge are coarser, only these are read in
 * more detail, down to the rows of a leaf.
 *
 * Memory is bounded: the groups of a child by XTF_CHILD_GROUPS, or by XTF_CHILD_GROUPS_LEAST once the children of a
 * page take XTF_TABLE_BYTES; and the groups of a page by RUNNING_GROUPS_MAX, beyond which its last key is forgotten
 * even in memory. An array that has sealed no leaf holds nothing.
 */
#include "libxtf/write/aggregate-writer.h"

#include "libxtf/aggregate/accumulate.h"
#include "libxtf/aggregate/group-totals-private.h"
#include "libxtf/aggregate/stored-rows.h"
#include "libxtf/aggregate/stored.h"

enum {
    GROUP_ROWS = 32,
    FRAME_GROUP_ROWS = 16,
    RUNNING_GROUPS_MAX = 65536,
};

/* One aggregate of an open index page. */
typedef struct {
    GByteArray *rows;        /* stored totals of the sealed children */
    GByteArray *borders;     /* stored borders of the sealed children; NULL unless for frames */
    GByteArray *snapshots;   /* stored stacks before the sealed children; NULL unless for frames on level 1 */
    GByteArray *filters;     /* stored filters of the sealed children; NULL unless there may be some, on level 1 */
    XtfGroupTotals *running; /* of all sealed children together... */
    XtfBorder border;        /* ...and their border, if there is a child */
} OpenPageTotals;

typedef struct {
    uint32_t n_children; /* sealed ones */
    uint64_t n_rows;     /* below the sealed children */
    OpenPageTotals totals[XTF_AGGREGATES_MAX];
} OpenPage;

/* Accumulates the rows of leaves, for one aggregate. */
typedef struct {
    XtfGroupTotals *leaf; /* empty between calls */
    XtfFrameStack stack;  /* behind the last sealed leaf; of frames only */
} LeafAccumulator;

/* Arrays that never seal a leaf have a writer too, so it is small until the first leaf. */
struct XtfAggregateWriter {
    const XtfSchema *schema;
    XtfCodecId codec;
    unsigned n_levels;
    OpenPage *pages;               /* from level 1 on */
    LeafAccumulator *accumulators; /* one for each aggregate; NULL until a leaf is sealed */
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
            OpenPageTotals *totals = &writer->pages[i].totals[index];
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

static bool has_stack(const XtfAggregateWriter *writer, unsigned index)
{
    return writer->schema->aggregates[index].kind == XTF_AGGREGATE_FRAMES;
}

/* The open page of a level; the first one of the next level is begun. */
static OpenPage *open_page(XtfAggregateWriter *writer, unsigned level)
{
    if (level > writer->n_levels) {
        writer->pages = g_renew(OpenPage, writer->pages, level);
        OpenPage *new = &writer->pages[writer->n_levels++];
        *new = (OpenPage){0};
        for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
            const XtfAggregate *aggregate = &writer->schema->aggregates[index];
            new->totals[index].rows = g_byte_array_new();
            if (has_stack(writer, index))
                new->totals[index].borders = g_byte_array_new();
            if (level == 1 && has_stack(writer, index))
                new->totals[index].snapshots = g_byte_array_new();
            if (level == 1 && aggregate->filters)
                new->totals[index].filters = g_byte_array_new();
            new->totals[index].running = xtf_group_totals_new(aggregate, aggregate->n_keys);
        }
    }
    return &writer->pages[level - 1];
}

/* Allocates what is needed from the first sealed leaf on. */
static void begin(XtfAggregateWriter *writer)
{
    writer->accumulators = g_new0(LeafAccumulator, writer->schema->n_aggregates);
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        const XtfAggregate *aggregate = &writer->schema->aggregates[index];
        writer->accumulators[index].leaf = xtf_group_totals_new(aggregate, aggregate->n_keys);
        if (has_stack(writer, index))
            xtf_frame_stack_init(&writer->accumulators[index].stack);
    }
    open_page(writer, 1);
}

/* The next child of a page, for one aggregate. */
typedef struct {
    XtfGroupTotals *totals;
    uint64_t n_rows;
    XtfBorder border; /* of frames only; its child is not set */
} Child;

/* Appends the stored totals of a child. Returns whether they are coarse. */
static bool append_totals(GByteArray *rows, uint32_t number, const Child *child)
{
    XtfGroupTotals *totals = child->totals;
    uint64_t group_rows = totals->aggregate->kind == XTF_AGGREGATE_FRAMES ? FRAME_GROUP_ROWS : GROUP_ROWS;
    uint64_t most = CLAMP(child->n_rows / group_rows, XTF_CHILD_GROUPS_LEAST,
                          rows->len < XTF_TABLE_BYTES ? XTF_CHILD_GROUPS : XTF_CHILD_GROUPS_LEAST);
    g_autoptr(XtfGroupTotals) coarse =
        totals->n > most && totals->depth > 0 ? xtf_group_totals_coarsen(totals, most) : NULL;
    XtfGroupTotals *stored = coarse ? coarse : totals;

    xtf_group_totals_sort(stored);
    for (uint32_t i = 0; i < stored->n; i++)
        xtf_stored_totals_append(rows, number, stored->aggregate, stored->depth, xtf_group_totals_key(stored, i),
                                 xtf_group_totals_cells(stored, i));
    return coarse;
}

/* Appends what is stored of a child, but for its snapshot. */
static void append_child(const XtfAggregateWriter *writer, OpenPageTotals *page, uint32_t number, const Child *child)
{
    if (append_totals(page->rows, number, child) && page->filters)
        xtf_filter_append(page->filters, number, writer->schema, child->totals);
    if (page->borders) {
        XtfBorder border = child->border;
        border.child = number;
        xtf_stored_border_append(page->borders, &border);
    }
}

/* Adds a border to that of the `n_children` before it. */
static void join_border(XtfBorder *border, uint32_t n_children, const XtfBorder *next)
{
    uint64_t least = n_children > 0 ? MIN(border->least, next->least) : next->least;

    if (n_children == 0)
        *border = *next;
    border->least = least;
}

/* Accumulates the rows of a leaf; the stack moves on behind them. */
static void accumulate_leaf(const XtfAggregateWriter *writer, unsigned index, const uint8_t *rows, uint32_t count,
                            XtfFrameStack *stack, Child *leaf)
{
    uint64_t first_t = xtf_load64(rows);

    if (has_stack(writer, index)) {
        stack->least = UINT64_MAX;
        leaf->border = (XtfBorder){.gap = stack->n > 0 ? first_t - stack->time : 0, .depth = stack->frames->len};
    }
    /* This cannot fail: the stack has all frames. */
    xtf_accumulate_rows(writer->schema, &writer->schema->aggregates[index], rows, count, stack, NULL, leaf->totals,
                        NULL);
    if (has_stack(writer, index))
        leaf->border.least = stack->least;
    leaf->n_rows = count;
}

void xtf_aggregate_writer_seal_leaf(XtfAggregateWriter *writer, const uint8_t *rows, uint32_t count)
{
    if (!writer)
        return;
    if (!writer->accumulators)
        begin(writer);
    OpenPage *page = &writer->pages[0];
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        LeafAccumulator *accumulator = &writer->accumulators[index];
        OpenPageTotals *totals = &page->totals[index];
        Child leaf = {.totals = accumulator->leaf};
        if (totals->snapshots)
            xtf_stored_snapshot_append(totals->snapshots, page->n_children, &accumulator->stack);
        accumulate_leaf(writer, index, rows, count, &accumulator->stack, &leaf);
        append_child(writer, totals, page->n_children, &leaf);
        join_border(&totals->border, page->n_children, &leaf.border);
        xtf_group_totals_add_bounded(&totals->running, leaf.totals, RUNNING_GROUPS_MAX);
        xtf_group_totals_clear(leaf.totals);
    }
    page->n_children++;
    page->n_rows += count;
}

static void pack_tables(const XtfAggregateWriter *writer, unsigned index, const OpenPageTotals *totals,
                        GByteArray *payload)
{
    const XtfAggregate *aggregate = &writer->schema->aggregates[index];
    const XtfCodec *codec = xtf_codec(writer->codec);
    XtfDiskTotals head = {.kind = XTF_TOTALS_OF_GROUPS, .aggregate = (uint8_t)index};

    xtf_stored_rows_pack(head, xtf_stored_totals_schema(aggregate), codec, totals->rows, payload);
    head.kind = XTF_TOTALS_BORDERS;
    if (totals->borders)
        xtf_stored_rows_pack(head, xtf_stored_border_schema(), codec, totals->borders, payload);
    head.kind = XTF_TOTALS_SNAPSHOTS;
    if (totals->snapshots)
        xtf_stored_rows_pack(head, xtf_stored_snapshot_schema(), codec, totals->snapshots, payload);
    head.kind = XTF_TOTALS_FILTERS;
    if (totals->filters)
        xtf_stored_rows_pack(head, xtf_stored_filter_schema(), codec, totals->filters, payload);
}

/* What is open, for one aggregate: the leaf, then the page above it, and so on up to the whole array. */
typedef struct {
    const XtfAggregateWriter *writer;
    unsigned index;
    XtfFrameStack stack; /* before the open leaf, copied */
    Child child;
} OpenChild;

/* The stack as the last sealed leaf leaves it; `stack` is initialised. */
static void copy_stack(const XtfAggregateWriter *writer, unsigned index, XtfFrameStack *stack)
{
    if (!writer->accumulators || !has_stack(writer, index))
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

/* Packs the totals of the open page of a level, whose last child is `open`, which becomes that page. */
static void pack_open_page(OpenChild *open, unsigned level, GByteArray *payload)
{
    const OpenPage *page = &open->writer->pages[level - 1];
    const OpenPageTotals *sealed = &page->totals[open->index];
    OpenPageTotals with_open = *sealed;
    guint rows = sealed->rows->len, borders = sealed->borders ? sealed->borders->len : 0,
          snapshots = sealed->snapshots ? sealed->snapshots->len : 0,
          filters = sealed->filters ? sealed->filters->len : 0;

    append_child(open->writer, &with_open, page->n_children, &open->child);
    if (sealed->snapshots)
        xtf_stored_snapshot_append(sealed->snapshots, page->n_children, &open->stack);
    pack_tables(open->writer, open->index, &with_open, payload);
    g_byte_array_set_size(sealed->rows, rows);
    if (sealed->borders)
        g_byte_array_set_size(sealed->borders, borders);
    if (sealed->snapshots)
        g_byte_array_set_size(sealed->snapshots, snapshots);
    if (sealed->filters)
        g_byte_array_set_size(sealed->filters, filters);

    XtfBorder border = sealed->border;
    join_border(&border, page->n_children, &open->child.border);
    XtfGroupTotals *all = xtf_group_totals_coarse_copy(sealed->running, sealed->running->depth);
    xtf_group_totals_add_bounded(&all, open->child.totals, RUNNING_GROUPS_MAX);
    xtf_group_totals_replace(&open->child.totals, all);
    open->child.border = border;
    open->child.n_rows += page->n_rows;
}

/* Packs the totals of the whole array. */
static void pack_array(OpenChild *open, GByteArray *payload)
{
    g_autoptr(GByteArray) rows = g_byte_array_new();

    append_totals(rows, 0, &open->child);
    pack_tables(open->writer, open->index, &(OpenPageTotals){.rows = rows}, payload);
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

/* Forgets the children of a page that is sealed. */
static void empty_page(const XtfAggregateWriter *writer, OpenPage *page)
{
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        const XtfAggregate *aggregate = &writer->schema->aggregates[index];
        OpenPageTotals *totals = &page->totals[index];
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

void xtf_aggregate_writer_seal_index(XtfAggregateWriter *writer, unsigned level, GByteArray *payload)
{
    if (!writer)
        return;
    OpenPage *above = open_page(writer, level + 1), *page = &writer->pages[level - 1];
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        OpenPageTotals *totals = &page->totals[index], *to = &above->totals[index];
        const Child child = {.totals = totals->running, .n_rows = page->n_rows, .border = totals->border};
        pack_tables(writer, index, totals, payload);
        append_child(writer, to, above->n_children, &child);
        join_border(&to->border, above->n_children, &child.border);
        xtf_group_totals_add_bounded(&to->running, totals->running, RUNNING_GROUPS_MAX);
    }
    above->n_children++;
    above->n_rows += page->n_rows;
    empty_page(writer, page);
}

/* Restores the border of a child. */
static void restore_border(OpenPageTotals *totals, uint32_t child, const XtfChildTotals *children,
                           const XtfDescentPage *page)
{
    const XtfChildStack *stack = &children->stacks[child];
    const XtfBorder border = {.child = child,
                              .gap = xtf_page_time(&page->page, child) - stack->time,
                              .depth = stack->n_outer + stack[1].start - stack->start,
                              .least = stack->least};

    xtf_stored_border_append(totals->borders, &border);
    join_border(&totals->border, child, &border);
}

/* Restores the rows of an open page's sealed children as they were stored. */
static void restore_rows(const XtfAggregateWriter *writer, unsigned index, OpenPage *page, const XtfDescentPage *stored,
                         const XtfChildTotals *children)
{
    const XtfAggregate *aggregate = &writer->schema->aggregates[index];
    OpenPageTotals *totals = &page->totals[index];
    g_auto(XtfFrameStack) stack;

    xtf_frame_stack_init(&stack);
    for (uint32_t child = 0; child < page->n_children; child++) {
        for (uint32_t entry = children->exact.starts[child]; entry < children->exact.starts[child + 1]; entry++) {
            uint32_t group = children->exact.groups[entry];
            xtf_stored_totals_append(totals->rows, child, aggregate, xtf_child_totals_depth(children, group),
                                     xtf_child_totals_key(children, group),
                                     xtf_child_totals_cells(children, &children->exact, entry));
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
static bool restore_filters(OpenPage *page, unsigned index, const XtfDescentPage *stored, GError **error)
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

/* Adds the sealed children of a page child by child, as when they were sealed, and without a key once it was forgotten:
 * so this takes no more memory than it took then. */
static bool resume_running(OpenPageTotals *totals, unsigned index, const XtfDescentPage *page, GError **error)
{
    for (uint32_t child = 0; child + 1 < page->page.count; child++) {
        g_autoptr(XtfGroupTotals) of_child = xtf_group_totals_new(totals->running->aggregate, totals->running->depth);
        if (!xtf_array_totals(page->array, index, NULL, xtf_descent_child_start(page, child),
                              xtf_descent_child_end(page, child), of_child, error))
            return false;
        xtf_group_totals_add_bounded(&totals->running, of_child, RUNNING_GROUPS_MAX);
    }
    return true;
}

/* The open page of a level, stored in the right edge. */
static bool resume_level(XtfAggregateWriter *writer, const XtfArray *stored, XtfBlock *edge, unsigned level,
                         GError **error)
{
    OpenPage *open = open_page(writer, level);
    XtfDescentPage page = {.array = stored, .edge = edge, .level = level, .open = true, .end = stored->n_rows};

    xtf_page_view_of_edge(stored, edge, level, &page.page);
    open->n_children = page.page.count - 1;
    open->n_rows = xtf_edge_level(edge->data, stored->height, level - 1).first_n - page.page.first_n;
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        g_autoptr(XtfBlock) block = xtf_stored_totals_get(&page, index, error);
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

/* The stack after the last sealed leaf, which ends before row n. */
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
    if (!writer || stored->height < 2) /* no sealed leaf */
        return true;
    g_autoptr(XtfBlock) edge = xtf_edge_get(stored, error);
    if (!edge)
        return false;
    begin(writer);
    for (unsigned level = 1; level < stored->height; level++)
        if (!resume_level(writer, stored, edge, level, error))
            return false;
    uint64_t open_leaf = xtf_edge_level(edge->data, stored->height, 0).first_n;
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++)
        if (has_stack(writer, index) && !resume_stack(writer, stored, open_leaf, index, error))
            return false;
    return true;
}
