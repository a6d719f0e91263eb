/*
 * The sums of an array being written.
 *
 * Each open index page has a table for each of the schema's sums: the totals of its sealed children, as the rows that
 * will be stored, and what they all add up to, which becomes the page's own totals, as a child of the level above. The
 * rows of a leaf go through the summer once, when it is sealed; all above is adding up groups.
 *
 * Keys of very many values. Where messages differ in their tag, nearly each row is a group of its own, and totals by
 * group are as large as the rows: the index would outgrow the file and tell nothing that the leaf does not. So a child
 * keeps at most a group for each GROUP_ROWS rows below it, or XTF_CHILD_GROUPS_LEAST if that is more. One that has more
 * groups is told by the first keys only, as many as leave few enough, down to one group of all rows. So the keys of
 * many values come last in a schema's list, and whatever asks for the first ones only, as the matrix of who sends to
 * whom does, seldom meets that plan. Frames have one key, without which their times tell nothing: they may have twice
 * as many.
 *
 * By measurement a group packs into five to seven bytes; where rows are so different that there are many groups, each
 * takes two and a half or more. So sums take a tenth of what rows do at the very worst, made up to be so; 1 to 7 in a
 * hundred where dozens of regions are called at random; and 0.2 (pages of 16 KiB) to 1.2 (4 KiB) in a hundred of a real
 * trace.
 *
 * A child is made coarse when it is stored, not before: the totals of all levels are added up in memory of the leaves'
 * whole ones. So a level above may well be finer than the one below it. That is as it should be: it is the upper
 * levels that long intervals are added up of, and their rows are many, so their groups may be too; where they are finer
 * than the children at an interval's edge, only those are read in more detail, down to the rows of a leaf.
 *
 * What is held in memory is bounded: a child by XTF_CHILD_GROUPS, or XTF_CHILD_GROUPS_LEAST once a page's children have
 * XTF_TABLE_BYTES together, and what a page adds up to by RUNNING_MOST: beyond, the last key is forgotten there and
 * then. An array that has sealed no leaf holds nothing.
 */
#include "libxtf/write/aggregate-writer.h"

#include "libxtf/aggregate/accumulate.h"
#include "libxtf/aggregate/group-totals-private.h"
#include "libxtf/aggregate/stored-rows.h"
#include "libxtf/aggregate/stored.h"
#include "libxtf/base/bytes.h"
#include "libxtf/pack/pack.h"

enum {
    GROUP_ROWS = 32,
    FRAME_GROUP_ROWS = 16,
    RUNNING_MOST = 65536,
};

/* Of one of the sums, for the children of one open page. */
typedef struct {
    GByteArray *totals;    /* rows, of the sealed children */
    GByteArray *snapshots; /* rows, before the sealed children; NULL but for frames on level 1 */
    XtfTotals *running;    /* of all sealed children together */
} SumsTable;

typedef struct {
    uint32_t n_children; /* that are sealed */
    uint64_t n_rows;     /* below them */
    SumsTable tables[XTF_SUMS_MAX];
} SumsLevel;

/* What a leaf's rows go through. */
typedef struct {
    XtfTotals *leaf;     /* empty between calls */
    XtfFrameStack stack; /* behind the last sealed leaf; of frames only */
} SumsIntake;

/* Arrays that never seal a leaf have one too: it stays small until then. */
struct XtfArraySums {
    const XtfSchema *schema;
    XtfCodec codec;
    unsigned n_levels;
    SumsLevel *levels;   /* from level 1 on */
    SumsIntake *intakes; /* one for each of the sums; NULL until a leaf is sealed */
};

XtfArraySums *xtf_array_sums_new(const XtfSchema *schema, XtfCodec codec)
{
    if (schema->n_sums == 0)
        return NULL;
    XtfArraySums *sums = g_new0(XtfArraySums, 1);
    sums->schema = schema;
    sums->codec = codec;
    return sums;
}

static void clear_table(SumsTable *table)
{
    g_clear_pointer(&table->totals, g_byte_array_unref);
    g_clear_pointer(&table->snapshots, g_byte_array_unref);
    g_clear_pointer(&table->running, xtf_totals_free);
}

void xtf_array_sums_free(XtfArraySums *sums)
{
    if (!sums)
        return;
    for (unsigned which = 0; which < sums->schema->n_sums; which++) {
        for (unsigned i = 0; i < sums->n_levels; i++)
            clear_table(&sums->levels[i].tables[which]);
        if (sums->intakes) {
            xtf_totals_free(sums->intakes[which].leaf);
            xtf_frame_stack_clear(&sums->intakes[which].stack);
        }
    }
    g_free(sums->intakes);
    g_free(sums->levels);
    g_free(sums);
}

static bool has_stack(const XtfArraySums *sums, unsigned which)
{
    return sums->schema->sums[which].kind == XTF_SUMS_FRAMES;
}

/* The level, which is begun if it is the next one. */
static SumsLevel *reach_level(XtfArraySums *sums, unsigned level)
{
    if (level > sums->n_levels) {
        sums->levels = g_renew(SumsLevel, sums->levels, level);
        SumsLevel *new = &sums->levels[sums->n_levels++];
        *new = (SumsLevel){0};
        for (unsigned which = 0; which < sums->schema->n_sums; which++) {
            const XtfSums *of = &sums->schema->sums[which];
            new->tables[which].totals = g_byte_array_new();
            if (level == 1 && has_stack(sums, which))
                new->tables[which].snapshots = g_byte_array_new();
            new->tables[which].running = xtf_totals_new(of, of->n_keys);
        }
    }
    return &sums->levels[level - 1];
}

/* What is needed from the first sealed leaf on. */
static void begin(XtfArraySums *sums)
{
    sums->intakes = g_new0(SumsIntake, sums->schema->n_sums);
    for (unsigned which = 0; which < sums->schema->n_sums; which++) {
        const XtfSums *of = &sums->schema->sums[which];
        sums->intakes[which].leaf = xtf_totals_new(of, of->n_keys);
        if (has_stack(sums, which))
            xtf_frame_stack_init(&sums->intakes[which].stack);
    }
    reach_level(sums, 1);
}

/* The same groups told apart by fewer keys, as many as leave at most `most`. */
static XtfTotals *coarsen(const XtfTotals *totals, uint64_t most)
{
    XtfTotals *coarse = NULL;
    unsigned depth = totals->depth;

    do {
        xtf_totals_free(coarse);
        coarse = xtf_totals_new(totals->sums, --depth);
        xtf_totals_add_all(coarse, totals);
    } while (coarse->n > most && depth > 0);
    return coarse;
}

static void add_running(SumsTable *table, const XtfTotals *more)
{
    if (more->depth < table->running->depth) { /* bounded, it forgot a key; so does this */
        XtfTotals *coarse = xtf_totals_new(more->sums, more->depth);
        xtf_totals_add_all(coarse, table->running);
        xtf_totals_free(table->running);
        table->running = coarse;
    }
    xtf_totals_add_all(table->running, more);
    if (table->running->n > RUNNING_MOST && table->running->depth > 0) {
        XtfTotals *coarse = coarsen(table->running, RUNNING_MOST);
        xtf_totals_free(table->running);
        table->running = coarse;
    }
}

static void append_group(GByteArray *rows, uint32_t child, const XtfSums *sums, unsigned depth, const uint64_t *key,
                         const uint64_t *cells)
{
    unsigned n_cells = xtf_sums_n_cells(sums);

    xtf_bytes_write_u64(rows, child);
    xtf_bytes_write_u8(rows, (uint8_t)depth);
    for (unsigned i = 0; i < sums->n_keys; i++)
        xtf_bytes_write_u64(rows, i < depth ? key[i] : 0);
    for (unsigned i = 0; i < n_cells; i++)
        xtf_bytes_write_u64(rows, cells[i]);
}

/* Appends the rows of a child with so many rows below it. */
static void append_child(GByteArray *rows, uint32_t child, XtfTotals *totals, uint64_t n_rows)
{
    uint64_t group_rows = totals->sums->kind == XTF_SUMS_FRAMES ? FRAME_GROUP_ROWS : GROUP_ROWS;
    uint64_t most = CLAMP(n_rows / group_rows, XTF_CHILD_GROUPS_LEAST,
                          rows->len < XTF_TABLE_BYTES ? XTF_CHILD_GROUPS : XTF_CHILD_GROUPS_LEAST);
    g_autoptr(XtfTotals) coarse = totals->n > most && totals->depth > 0 ? coarsen(totals, most) : NULL;
    XtfTotals *stored = coarse ? coarse : totals;

    xtf_totals_sort(stored);
    for (uint32_t i = 0; i < stored->n; i++)
        append_group(rows, child, stored->sums, stored->depth, xtf_totals_key(stored, i), xtf_totals_cells(stored, i));
}

static void append_snapshot(GByteArray *rows, uint32_t child, const XtfFrameStack *stack)
{
    guint first = stack->frames->len > XTF_SNAPSHOT_FRAMES ? stack->frames->len - XTF_SNAPSHOT_FRAMES : 0;

    for (guint i = first; i < stack->frames->len; i++) {
        const XtfOpenFrame *frame = &g_array_index(stack->frames, XtfOpenFrame, i);
        xtf_bytes_write_u64(rows, child);
        xtf_bytes_write_u64(rows, frame->key);
        xtf_bytes_write_u64(rows, frame->row);
        xtf_bytes_write_u64(rows, frame->time);
        xtf_bytes_write_u8(rows, frame->outermost);
    }
}

void xtf_array_sums_seal_leaf(XtfArraySums *sums, const uint8_t *rows, uint32_t count)
{
    if (!sums)
        return;
    if (!sums->intakes)
        begin(sums);
    SumsLevel *level = &sums->levels[0];
    for (unsigned which = 0; which < sums->schema->n_sums; which++) {
        SumsIntake *intake = &sums->intakes[which];
        SumsTable *table = &level->tables[which];
        if (table->snapshots)
            append_snapshot(table->snapshots, level->n_children, &intake->stack);
        /* The stack is whole, so there is nothing that could fail. */
        xtf_summer_add(sums->schema, &sums->schema->sums[which], rows, count, &intake->stack, NULL, intake->leaf, NULL);
        append_child(table->totals, level->n_children, intake->leaf, count);
        add_running(table, intake->leaf);
        xtf_totals_clear(intake->leaf);
    }
    level->n_children++;
    level->n_rows += count;
}

static void pack_rows(const XtfArraySums *sums, const XtfSchema *schema, const GByteArray *rows, GByteArray *payload)
{
    guint start = payload->len;
    uint32_t n_rows = rows->len / schema->row_size, length = rows->len;
    XtfDiskSums head;

    g_byte_array_set_size(payload, start + sizeof head);
    if (sums->codec == XTF_CODEC_PLAIN || n_rows == 0)
        g_byte_array_append(payload, rows->data, rows->len);
    else {
        uint32_t room = (uint32_t)xtf_pack_bound(schema, n_rows);
        g_byte_array_set_size(payload, payload->len + room);
        length = xtf_pack(schema, rows->data, n_rows, XTF_PACK_LEVEL_DEFAULT, payload->data + start + sizeof head, room,
                          NULL);
        g_byte_array_set_size(payload, start + (guint)sizeof head + length);
    }
    xtf_write32(&head.n_rows, n_rows);
    xtf_write32(&head.length, length);
    memcpy(payload->data + start, &head, sizeof head);
}

static void pack_level(const XtfArraySums *sums, const SumsLevel *level, bool open, GByteArray *payload)
{
    for (unsigned which = 0; which < sums->schema->n_sums; which++) {
        const SumsTable *table = &level->tables[which];
        pack_rows(sums, xtf_sums_totals_schema(&sums->schema->sums[which]), table->totals, payload);
        if (!table->snapshots)
            continue;
        guint sealed = table->snapshots->len;
        if (open)
            append_snapshot(table->snapshots, level->n_children, &sums->intakes[which].stack);
        pack_rows(sums, xtf_sums_snapshot_schema(), table->snapshots, payload);
        g_byte_array_set_size(table->snapshots, sealed);
    }
}

void xtf_array_sums_pack_open(const XtfArraySums *sums, unsigned level, GByteArray *payload)
{
    if (sums)
        pack_level(sums, &sums->levels[level - 1], true, payload);
}

void xtf_array_sums_seal_index(XtfArraySums *sums, unsigned level, GByteArray *payload)
{
    if (!sums)
        return;
    SumsLevel *above = reach_level(sums, level + 1), *page = &sums->levels[level - 1];
    pack_level(sums, page, false, payload);
    for (unsigned which = 0; which < sums->schema->n_sums; which++) {
        SumsTable *table = &page->tables[which];
        append_child(above->tables[which].totals, above->n_children, table->running, page->n_rows);
        add_running(&above->tables[which], table->running);
        xtf_totals_free(table->running);
        table->running = xtf_totals_new(&sums->schema->sums[which], sums->schema->sums[which].n_keys);
        g_byte_array_set_size(table->totals, 0);
        if (table->snapshots)
            g_byte_array_set_size(table->snapshots, 0);
    }
    above->n_children++;
    above->n_rows += page->n_rows;
    page->n_children = 0;
    page->n_rows = 0;
}

/* The rows of an open page's sealed children, as they were stored. */
static void restore_rows(const XtfArraySums *sums, unsigned which, SumsLevel *level, const XtfSumLists *lists)
{
    const XtfSums *of = &sums->schema->sums[which];
    SumsTable *table = &level->tables[which];
    XtfFrameStack stack;

    xtf_frame_stack_init(&stack);
    for (uint32_t child = 0; child < level->n_children; child++) {
        for (uint32_t item = lists->lists.starts[child]; item < lists->lists.starts[child + 1]; item++) {
            uint32_t group = lists->lists.groups[item];
            append_group(table->totals, child, of, lists->depths[group], xtf_sum_lists_key(lists, group),
                         xtf_sum_lists_cells(lists, &lists->lists, item));
        }
        if (table->snapshots) {
            xtf_sum_lists_stack(lists, child, 0, &stack);
            append_snapshot(table->snapshots, child, &stack);
        }
    }
    xtf_frame_stack_clear(&stack);
}

/* N of the first row below a level's open page. */
static uint64_t edge_first_n(const XtfBlock *edge, unsigned level)
{
    return xtf_read64(((const XtfDiskEdge *)edge->data)[level].first_n);
}

/* What a page's sealed children add up to. Child by child, and once a key was forgotten without it, as when they were
 * sealed: so no more is held in memory than was then. */
static bool resume_running(SumsTable *table, unsigned which, const XtfWalkPage *page, GError **error)
{
    for (uint32_t child = 0; child + 1 < page->page.count; child++) {
        g_autoptr(XtfTotals) totals = xtf_totals_new(table->running->sums, table->running->depth);
        if (!xtf_array_sum(page->array, which, NULL, xtf_walk_start(page, child), xtf_walk_end(page, child), totals,
                           error))
            return false;
        add_running(table, totals);
    }
    return true;
}

/* Of one level, whose open page's block is the array's right edge. */
static bool resume_level(XtfArraySums *sums, const XtfArray *stored, XtfBlock *edge, unsigned number, GError **error)
{
    SumsLevel *level = reach_level(sums, number);
    XtfWalkPage page = {.array = stored, .edge = edge, .level = number, .open = true, .end = stored->n_rows};

    xtf_view_edge(stored, edge, number, &page.page);
    level->n_children = page.page.count - 1;
    level->n_rows = edge_first_n(edge, number - 1) - page.page.first_n;
    for (unsigned which = 0; which < sums->schema->n_sums; which++) {
        XtfBlock *block = xtf_sums_table_get(&page, which, error);
        if (!block)
            return false;
        restore_rows(sums, which, level, xtf_block_sum_lists(block));
        xtf_cache_put(stored->trace->cache, block);
        if (!resume_running(&level->tables[which], which, &page, error))
            return false;
    }
    return true;
}

/* The stack behind the last sealed leaf, which ends before row n. */
static bool resume_stack(XtfArraySums *sums, const XtfArray *stored, uint64_t n, unsigned which, GError **error)
{
    XtfFrameStack *stack = &sums->intakes[which].stack;

    stack->n = n;
    return xtf_array_stack(stored, which, n, stack->frames, error) &&
           xtf_array_time(stored, n - 1, &stack->time, error);
}

bool xtf_array_sums_resume(XtfArraySums *sums, const XtfArray *stored, GError **error)
{
    bool good = true;

    if (!sums || xtf_array_height(stored) < 2) /* no sealed leaf */
        return true;
    XtfBlock *edge = xtf_edge_get(stored, error);
    if (!edge)
        return false;
    begin(sums);
    for (unsigned level = 1; good && level < xtf_array_height(stored); level++)
        good = resume_level(sums, stored, edge, level, error);
    for (unsigned which = 0; good && which < sums->schema->n_sums; which++)
        good = !has_stack(sums, which) || resume_stack(sums, stored, edge_first_n(edge, 0), which, error);
    xtf_cache_put(stored->trace->cache, edge);
    return good;
}
