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
    GByteArray *snapshots;   /* stored stacks before the sealed children; NULL unless for frames on level 1 */
    XtfGroupTotals *running; /* of all sealed children together */
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
            g_clear_pointer(&totals->snapshots, g_byte_array_unref);
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
            if (level == 1 && has_stack(writer, index))
                new->totals[index].snapshots = g_byte_array_new();
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

/* Appends the stored totals of a child with n_rows rows below it. */
static void append_child(GByteArray *rows, uint32_t child, XtfGroupTotals *totals, uint64_t n_rows)
{
    uint64_t group_rows = totals->aggregate->kind == XTF_AGGREGATE_FRAMES ? FRAME_GROUP_ROWS : GROUP_ROWS;
    uint64_t most = CLAMP(n_rows / group_rows, XTF_CHILD_GROUPS_LEAST,
                          rows->len < XTF_TABLE_BYTES ? XTF_CHILD_GROUPS : XTF_CHILD_GROUPS_LEAST);
    g_autoptr(XtfGroupTotals) coarse =
        totals->n > most && totals->depth > 0 ? xtf_group_totals_coarsen(totals, most) : NULL;
    XtfGroupTotals *stored = coarse ? coarse : totals;

    xtf_group_totals_sort(stored);
    for (uint32_t i = 0; i < stored->n; i++)
        xtf_stored_totals_append(rows, child, stored->aggregate, stored->depth, xtf_group_totals_key(stored, i),
                                 xtf_group_totals_cells(stored, i));
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
        if (totals->snapshots)
            xtf_stored_snapshot_append(totals->snapshots, page->n_children, &accumulator->stack);
        /* This cannot fail: the stack has all frames. */
        xtf_accumulate_rows(writer->schema, &writer->schema->aggregates[index], rows, count, &accumulator->stack, NULL,
                            accumulator->leaf, NULL);
        append_child(totals->rows, page->n_children, accumulator->leaf, count);
        xtf_group_totals_add_bounded(&totals->running, accumulator->leaf, RUNNING_GROUPS_MAX);
        xtf_group_totals_clear(accumulator->leaf);
    }
    page->n_children++;
    page->n_rows += count;
}

static void pack_page(const XtfAggregateWriter *writer, const OpenPage *page, bool open, GByteArray *payload)
{
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        const OpenPageTotals *totals = &page->totals[index];
        xtf_stored_rows_pack(xtf_stored_totals_schema(&writer->schema->aggregates[index]), xtf_codec(writer->codec),
                             totals->rows, payload);
        if (!totals->snapshots)
            continue;
        guint sealed = totals->snapshots->len;
        if (open)
            xtf_stored_snapshot_append(totals->snapshots, page->n_children, &writer->accumulators[index].stack);
        xtf_stored_rows_pack(xtf_stored_snapshot_schema(), xtf_codec(writer->codec), totals->snapshots, payload);
        g_byte_array_set_size(totals->snapshots, sealed);
    }
}

void xtf_aggregate_writer_pack_open(const XtfAggregateWriter *writer, unsigned level, GByteArray *payload)
{
    if (writer)
        pack_page(writer, &writer->pages[level - 1], true, payload);
}

void xtf_aggregate_writer_seal_index(XtfAggregateWriter *writer, unsigned level, GByteArray *payload)
{
    if (!writer)
        return;
    OpenPage *above = open_page(writer, level + 1), *page = &writer->pages[level - 1];
    pack_page(writer, page, false, payload);
    for (unsigned index = 0; index < writer->schema->n_aggregates; index++) {
        OpenPageTotals *totals = &page->totals[index];
        append_child(above->totals[index].rows, above->n_children, totals->running, page->n_rows);
        xtf_group_totals_add_bounded(&above->totals[index].running, totals->running, RUNNING_GROUPS_MAX);
        const XtfAggregate *aggregate = &writer->schema->aggregates[index];
        xtf_group_totals_replace(&totals->running, xtf_group_totals_new(aggregate, aggregate->n_keys));
        g_byte_array_set_size(totals->rows, 0);
        if (totals->snapshots)
            g_byte_array_set_size(totals->snapshots, 0);
    }
    above->n_children++;
    above->n_rows += page->n_rows;
    page->n_children = 0;
    page->n_rows = 0;
}

/* Restores the rows of an open page's sealed children as they were stored. */
static void restore_rows(const XtfAggregateWriter *writer, unsigned index, OpenPage *page,
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
        if (totals->snapshots) {
            xtf_child_totals_stack(children, child, 0, &stack);
            xtf_stored_snapshot_append(totals->snapshots, child, &stack);
        }
    }
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
        restore_rows(writer, index, open, xtf_block_child_totals(block));
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
