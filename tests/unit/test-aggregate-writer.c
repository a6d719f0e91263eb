/*
 * The totals and snapshots that a writer stores, decoded without the library, against totals computed from the rows
 * below each child.
 */
#include "frames.h"

#include "libxtf/disk/format.h"
#include "libxtf/pack/pack.h"
#include "libxtf/totals/accumulate.h"
#include "libxtf/totals/tables/stored-rows.h"
#include "libxtf/write/aggregates/aggregate-writer.h"
#include "tests/rounds.h"

enum {
    REGIONS = 60,
    FANOUT = 5,
    LEVELS = 4,
    GROUP_KEYS = 2,
    LEAST = 32,
    MOST = 1024,
    GROUP_ROWS = 32,
    FRAME_GROUP_ROWS = 16
};

/* Children and their rows: [starts[i], starts[i + 1]). */
typedef struct {
    GArray *starts; /* guint */
} Page;

typedef struct {
    XtfSchema *schema;
    XtfCodecId codec;
    GArray *rows;
    uint32_t *end, *target;
    int32_t *depth,
        *kept; /* by row: number of frames open before it, and number of these frames that it does not end */
    XtfAggregateWriter *writer;
    Page pages[LEVELS + 1]; /* the open pages, by level */
    unsigned height;
} Plan;

static const FrameRow *row_at(const Plan *plan, uint32_t n)
{
    return &g_array_index(plan->rows, FrameRow, n);
}

/* True if the frame that row r began is open before row n. */
static bool is_open(const Plan *plan, uint32_t r, uint32_t n)
{
    return r < n && !row_at(plan, r)->is_end && plan->end[r] >= n;
}

static void naive_cells(const Plan *plan, uint32_t from, uint32_t to, uint64_t (*cells)[XTF_FRAMES_CELLS])
{
    memset(cells, 0, (REGIONS + 1) * sizeof *cells);
    for (uint32_t n = from; n < to; n++) {
        const FrameRow *row = row_at(plan, n);
        uint64_t ticks = n > 0 ? row->time - row_at(plan, n - 1)->time : 0;
        bool never_began = row->is_end && plan->target[n] == UINT32_MAX;
        uint32_t top = n;
        while (top > 0 && !is_open(plan, top - 1, n))
            top--;
        cells[row->region][row->is_end ? XTF_FRAMES_ENDED : XTF_FRAMES_BEGUN]++;
        cells[REGIONS][XTF_FRAMES_BEGUN] += never_began;
        if (top > 0)
            cells[row_at(plan, top - 1)->region][XTF_FRAMES_EXCLUSIVE] += ticks;
        else if (never_began) {
            cells[REGIONS][XTF_FRAMES_INCLUSIVE] += ticks;
            cells[REGIONS][XTF_FRAMES_EXCLUSIVE] += ticks;
        }
    }
    for (uint32_t r = 0; r < to; r++) {
        const FrameRow *row = row_at(plan, r);
        if (row->is_end || plan->end[r] < from || plan->end[r] >= to)
            continue;
        uint64_t duration = row_at(plan, plan->end[r])->time - row->time;
        cells[row->region][XTF_FRAMES_INCLUSIVE] += row->outermost ? duration : 0;
        cells[row->region][XTF_FRAMES_LONGEST] = MAX(cells[row->region][XTF_FRAMES_LONGEST], duration);
    }
}

/* Counts the frames open before and after each row from the begin and end of each frame. */
static void count_frames(Plan *plan)
{
    uint32_t n = plan->rows->len;

    plan->depth = g_new0(int32_t, n + 2);
    plan->kept = g_new0(int32_t, n + 2);
    for (uint32_t r = 0; r < n; r++) {
        if (row_at(plan, r)->is_end)
            continue;
        uint32_t end = MIN(plan->end[r], n);
        plan->depth[r + 1]++, plan->depth[MIN(end, n) + 1]--;
        plan->kept[r + 1]++, plan->kept[end]--;
    }
    for (uint32_t i = 1; i <= n; i++) {
        plan->depth[i] += plan->depth[i - 1];
        plan->kept[i] += plan->kept[i - 1];
    }
}

/* Reads one table from the front of a payload. A missing table has no rows. */
static uint8_t *read_table(const Plan *plan, XtfTotalsKind kind, unsigned index, const XtfSchema *schema,
                           const uint8_t **at, const uint8_t *payload_end, uint32_t *n_rows)
{
    XtfDiskTotals head;
    const char *fault = NULL;

    *n_rows = 0;
    if (*at == payload_end)
        return NULL;
    memcpy(&head, *at, sizeof head);
    if (head.kind != kind || head.aggregate != index)
        return NULL;
    *n_rows = xtf_read32(head.n_rows);
    cr_assert_gt(*n_rows, 0);
    uint32_t length = xtf_read32(head.length);
    uint8_t *rows = g_malloc0((size_t)*n_rows * schema->row_size + 1);
    if (plan->codec == XTF_CODEC_PLAIN) {
        cr_assert_eq(length, *n_rows * schema->row_size);
        memcpy(rows, *at + sizeof head, length);
    } else
        cr_assert(xtf_unpack_rows(schema, *at + sizeof head, length, *n_rows, rows, &fault), "%s", fault);
    *at += sizeof head + length;
    for (; length % 8 != 0; length++)
        cr_assert_eq(*(*at)++, 0);
    return rows;
}

static uint64_t value_of(const XtfSchema *schema, const uint8_t *row, unsigned field)
{
    return xtf_field_get(&schema->fields[field], row);
}

/* Asserts the rows of one child, from *row on: one for each group with a cell that is not 0, in order. */
static void assert_frames_of_child(const Plan *plan, const XtfSchema *schema, const uint8_t *rows, uint32_t n_rows,
                                   uint32_t *row, uint32_t child, uint32_t from, uint32_t to)
{
    uint64_t cells[REGIONS + 1][XTF_FRAMES_CELLS], coarse[XTF_FRAMES_CELLS] = {0};
    unsigned n_groups = 0;

    naive_cells(plan, from, to, cells);
    for (unsigned region = 0; region <= REGIONS; region++)
        for (unsigned c = 0; c < XTF_FRAMES_CELLS; c++)
            coarse[c] = region == REGIONS         ? coarse[c]
                        : c == XTF_FRAMES_LONGEST ? MAX(coarse[c], cells[region][c])
                                                  : coarse[c] + cells[region][c];
    for (unsigned region = 0; region <= REGIONS; region++) {
        bool touched = false;
        for (unsigned c = 0; c < XTF_FRAMES_CELLS; c++)
            touched |= cells[region][c] != 0;
        n_groups += touched;
    }
    uint64_t limit = CLAMP((to - from) / FRAME_GROUP_ROWS, LEAST, MOST);
    const uint8_t *at = rows + (size_t)*row * schema->row_size;
    if (value_of(schema, at, XTF_TOTALS_DEPTH) == 0) {
        cr_assert_gt(n_groups + 1, limit); /* + 1: the cells of one group may all be 0 */
        cr_assert_eq(value_of(schema, at, XTF_TOTALS_CHILD), child);
        for (unsigned c = 0; c < XTF_FRAMES_CELLS; c++)
            cr_assert_eq(value_of(schema, at, XTF_TOTALS_KEYS + 1 + c), coarse[c]);
        ++*row;
        return;
    }
    uint64_t before = 0;
    uint32_t first = *row;
    for (; *row < n_rows; ++*row) {
        at = rows + (size_t)*row * schema->row_size;
        if (value_of(schema, at, XTF_TOTALS_CHILD) != child)
            break;
        uint64_t key = value_of(schema, at, XTF_TOTALS_KEYS);
        cr_assert(*row == first || key > before, "the groups are out of order");
        before = key;
        cr_assert(key < REGIONS || key == XTF_FRAMES_BEFORE);
        uint64_t *naive = cells[key == XTF_FRAMES_BEFORE ? REGIONS : key];
        for (unsigned c = 0; c < XTF_FRAMES_CELLS; c++) {
            cr_assert_eq(value_of(schema, at, XTF_TOTALS_KEYS + 1 + c), naive[c],
                         "child %u rows %u-%u region %u, cell %u: %u, not %u", child, from, to, (unsigned)key, c,
                         (unsigned)value_of(schema, at, XTF_TOTALS_KEYS + 1 + c), (unsigned)naive[c]);
            naive[c] = 0;
        }
    }
    for (unsigned region = 0; region <= REGIONS; region++)
        for (unsigned c = 0; c < XTF_FRAMES_CELLS; c++)
            cr_assert_eq(cells[region][c], 0, "region %u of child %u is missing", region, child);
    cr_assert_leq(*row - first, limit);
}

static bool in_group(const FrameRow *row, uint64_t depth, const uint64_t *key)
{
    return (depth < 1 || row->region == key[0]) && (depth < 2 || row->distance == key[1]);
}

/* Counts the groups of a child by its first `depth` keys. */
static unsigned count_groups(const Plan *plan, uint32_t from, uint32_t to, unsigned depth)
{
    unsigned n = 0;

    for (uint32_t i = from; i < to; i++) {
        const uint64_t key[GROUP_KEYS] = {row_at(plan, i)->region, row_at(plan, i)->distance};
        uint32_t first = from;
        while (!in_group(row_at(plan, first), depth, key))
            first++;
        n += first == i;
    }
    return n;
}

static void assert_groups_of_child(const Plan *plan, const XtfSchema *schema, const uint8_t *rows, uint32_t n_rows,
                                   uint32_t *row, uint32_t child, uint32_t from, uint32_t to)
{
    uint64_t limit = CLAMP((to - from) / GROUP_ROWS, LEAST, MOST), counted = 0;
    unsigned depth = GROUP_KEYS, n = 0;

    while (depth > 0 && count_groups(plan, from, to, depth) > limit)
        depth--;
    for (; *row < n_rows; ++*row, n++) {
        const uint8_t *at = rows + (size_t)*row * schema->row_size;
        if (value_of(schema, at, XTF_TOTALS_CHILD) != child)
            break;
        cr_assert_eq(value_of(schema, at, XTF_TOTALS_DEPTH), depth);
        uint64_t key[GROUP_KEYS], n_rows_in = 0, sum = 0;
        for (unsigned k = 0; k < GROUP_KEYS; k++) {
            key[k] = value_of(schema, at, XTF_TOTALS_KEYS + k);
            cr_assert(k < depth || key[k] == 0);
        }
        for (uint32_t i = from; i < to; i++)
            if (in_group(row_at(plan, i), depth, key)) {
                n_rows_in++;
                sum += row_at(plan, i)->outermost;
            }
        cr_assert_eq(value_of(schema, at, XTF_TOTALS_KEYS + GROUP_KEYS), n_rows_in);
        cr_assert_eq(value_of(schema, at, XTF_TOTALS_KEYS + GROUP_KEYS + 1), sum);
        counted += n_rows_in;
    }
    cr_assert_eq(n, count_groups(plan, from, to, depth));
    cr_assert_eq(counted, to - from);
}

static void assert_snapshot(const Plan *plan, const XtfSchema *schema, const uint8_t *rows, uint32_t n_rows,
                            uint32_t *row, uint32_t child, uint32_t n)
{
    uint32_t first = n;

    for (unsigned depth = 0; first > 0 && depth < XTF_SNAPSHOT_FRAMES; first--)
        depth += is_open(plan, first - 1, n);
    for (uint32_t r = first; r < n; r++) {
        if (!is_open(plan, r, n))
            continue;
        cr_assert_lt(*row, n_rows);
        const uint8_t *at = rows + (size_t)(*row)++ * schema->row_size;
        cr_assert_eq(value_of(schema, at, XTF_SNAPSHOT_CHILD), child);
        cr_assert_eq(value_of(schema, at, XTF_SNAPSHOT_KEY), row_at(plan, r)->region);
        cr_assert_eq(value_of(schema, at, XTF_SNAPSHOT_ROW), r);
        cr_assert_eq(value_of(schema, at, XTF_SNAPSHOT_TIME), row_at(plan, r)->time);
        cr_assert_eq(value_of(schema, at, XTF_SNAPSHOT_OUTERMOST), row_at(plan, r)->outermost);
    }
}

static void assert_border(const Plan *plan, const XtfSchema *schema, const uint8_t *row, uint32_t child, uint32_t from,
                          uint32_t to)
{
    int32_t least = plan->kept[from];

    for (uint32_t n = from; n < to; n++)
        least = MIN(least, plan->kept[n]);
    cr_assert_eq(value_of(schema, row, XTF_BORDER_CHILD), child);
    cr_assert_eq(value_of(schema, row, XTF_BORDER_GAP),
                 from > 0 ? row_at(plan, from)->time - row_at(plan, from - 1)->time : 0);
    cr_assert_eq(value_of(schema, row, XTF_BORDER_DEPTH), plan->depth[from]);
    cr_assert_eq(value_of(schema, row, XTF_BORDER_LEAST), least);
}

/* Asserts the borders, and on level 1 the snapshots, of children. `starts` has their first rows, and then the end of
 * the last child. */
static void assert_stacks(const Plan *plan, const GArray *starts, unsigned level, const uint8_t **at,
                          const uint8_t *end)
{
    const XtfSchema *schema = xtf_stored_border_schema();
    uint32_t n_children = starts->len - 1, n_rows, row = 0;

    g_autofree uint8_t *borders = read_table(plan, XTF_TOTALS_BORDERS, 0, schema, at, end, &n_rows);
    cr_assert_eq(n_rows, n_children);
    for (uint32_t i = 0; i < n_children; i++)
        assert_border(plan, schema, borders + i * schema->row_size, i, g_array_index(starts, guint, i),
                      g_array_index(starts, guint, i + 1));
    if (level > 1)
        return;
    schema = xtf_stored_snapshot_schema();
    g_autofree uint8_t *snapshots = read_table(plan, XTF_TOTALS_SNAPSHOTS, 0, schema, at, end, &n_rows);
    for (uint32_t i = 0; i < n_children; i++)
        assert_snapshot(plan, schema, snapshots, n_rows, &row, i, g_array_index(starts, guint, i));
    cr_assert_eq(row, n_rows);
}

/* Asserts the tables of the children at `starts`. The whole array has no stacks. */
static void assert_payload(const Plan *plan, const uint8_t *at, uint32_t length, const GArray *starts, unsigned level,
                           bool whole)
{
    const uint8_t *end = at + length;
    uint32_t n_children = starts->len - 1, n_rows, row = 0;
    const XtfSchema *schema = xtf_stored_totals_schema(&plan->schema->aggregates[0]);

    g_autofree uint8_t *frames = read_table(plan, XTF_TOTALS_OF_GROUPS, 0, schema, &at, end, &n_rows);
    for (uint32_t i = 0; i < n_children; i++)
        assert_frames_of_child(plan, schema, frames, n_rows, &row, i, g_array_index(starts, guint, i),
                               g_array_index(starts, guint, i + 1));
    cr_assert_eq(row, n_rows);
    if (!whole)
        assert_stacks(plan, starts, level, &at, end);
    schema = xtf_stored_totals_schema(&plan->schema->aggregates[1]);
    g_autofree uint8_t *groups = read_table(plan, XTF_TOTALS_OF_GROUPS, 1, schema, &at, end, &n_rows);
    row = 0;
    for (uint32_t i = 0; i < n_children; i++)
        assert_groups_of_child(plan, schema, groups, n_rows, &row, i, g_array_index(starts, guint, i),
                               g_array_index(starts, guint, i + 1));
    cr_assert_eq(row, n_rows);
    cr_assert_eq(at, end);
}

/* Asserts the totals in an edge whose open leaf has rows [from, to): of each open page with its open child, and of
 * all rows. */
static void assert_edge(const Plan *plan, guint from, guint to)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    XtfEdgeEncoder edge = {.bytes = bytes};
    XtfBytesReader reader;

    xtf_aggregate_writer_pack_edge(plan->writer, (const uint8_t *)row_at(plan, from), to - from, plan->height + 1,
                                   &edge);
    reader = (XtfBytesReader){.at = bytes->data, .left = bytes->len};
    for (unsigned level = 1; level <= plan->height + 1; level++) {
        g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(guint));
        uint32_t length = xtf_bytes_read_u32(&reader);
        guint zero = 0;
        cr_assert_eq(xtf_bytes_read_u32(&reader), 0);
        XtfBytesReader part = xtf_bytes_read_part(&reader, length);
        cr_assert_not(part.failed);
        if (level <= plan->height)
            g_array_append_vals(starts, plan->pages[level].starts->data, plan->pages[level].starts->len);
        else
            g_array_append_val(starts, zero);
        g_array_append_val(starts, to);
        assert_payload(plan, part.at, length, starts, level, level > plan->height);
    }
    cr_assert_eq(reader.left, 0);
}

/* Adds a sealed child with rows [start, end) to a level's open page, and seals the page when it is full. */
static void add_sealed_child(Plan *plan, unsigned level, guint start, guint end)
{
    GArray **starts = &plan->pages[level].starts;

    if (!*starts) {
        *starts = g_array_new(FALSE, FALSE, sizeof(guint));
        g_array_append_val(*starts, start);
        plan->height = level;
    }
    g_array_append_val(*starts, end);
    if ((*starts)->len - 1 < FANOUT)
        return;
    g_autoptr(GByteArray) payload = g_byte_array_new();
    guint first = g_array_index(*starts, guint, 0);
    xtf_aggregate_writer_seal_index(plan->writer, level, payload);
    assert_payload(plan, payload->data, payload->len, *starts, level, false);
    g_array_set_size(*starts, 0);
    g_array_append_val(*starts, end);
    add_sealed_child(plan, level + 1, first, end);
}

static void write_and_check(uint32_t seed, XtfCodecId codec, uint32_t count, FrameShape shape, guint max_leaf_rows)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    Plan plan = {.schema = frame_schema_with_groups(), .codec = codec, .rows = random_frames(random, count, shape)};

    plan.end = g_new(uint32_t, count);
    plan.target = g_new(uint32_t, count);
    naive_ends(plan.rows, plan.end, plan.target);
    count_frames(&plan);
    plan.writer = xtf_aggregate_writer_new(plan.schema, codec);
    for (guint from = 0; from < count;) {
        guint to = from + (guint)g_rand_int_range(random, 1, (gint32)max_leaf_rows);
        to = MIN(to, count);
        xtf_aggregate_writer_seal_leaf(plan.writer, (const uint8_t *)row_at(&plan, from), to - from);
        add_sealed_child(&plan, 1, from, to);
        guint open = to + (guint)g_rand_int_range(random, 1, (gint32)max_leaf_rows);
        if (to < count)
            assert_edge(&plan, to, MIN(count, open));
        from = to;
    }
    cr_assert_gt(plan.height, 1);
    for (unsigned level = 1; level <= plan.height; level++)
        g_array_unref(plan.pages[level].starts);
    xtf_aggregate_writer_free(plan.writer);
    g_array_unref(plan.rows);
    g_free(plan.end);
    g_free(plan.target);
    g_free(plan.depth);
    g_free(plan.kept);
    xtf_schema_free(plan.schema);
}

Test(aggregate_writer, every_child_of_every_page)
{
    for (uint32_t seed = 0; seed < TEST_ROUNDS(20); seed++) {
        FrameShape shape = {.regions = seed % 2 ? 6 : REGIONS, .deepest = 12, .mishaps = seed % 5, .ties = 20};
        write_and_check(seed, seed % 4 < 2 ? XTF_CODEC_PLAIN : XTF_CODEC_COMPACT, 1200, shape, 40);
    }
}

Test(aggregate_writer, leaves_large_enough_for_many_groups)
{
    for (uint32_t seed = 0; seed < MAX(TEST_ROUNDS(4), 2); seed++) /* at least a round for each codec */
        write_and_check(seed, seed % 2, 20000, (FrameShape){.regions = REGIONS, .deepest = 10, .ties = 20}, 1600);
}

Test(aggregate_writer, snapshots_keep_the_innermost_frames)
{
    for (uint32_t seed = 0; seed < 4; seed++)
        write_and_check(seed, seed % 2, 2000, (FrameShape){.regions = REGIONS, .deepest = 150, .mishaps = seed}, 60);
}

/* Returns the groups by region and distance that are stored for a leaf of n rows with different distances. Even rows
 * are of region 3, odd rows of region 5; rows of region 5 are outermost. */
static uint8_t *stored_groups(const XtfSchema *schema, unsigned n, uint32_t *n_groups)
{
    const Plan plan = {.codec = XTF_CODEC_PLAIN};
    XtfAggregateWriter *writer = xtf_aggregate_writer_new(schema, XTF_CODEC_PLAIN);
    g_autoptr(GByteArray) payload = g_byte_array_new();
    XtfEdgeEncoder edge = {.bytes = payload};
    FrameRow rows[100];

    for (unsigned i = 0; i < n; i++)
        rows[i] = (FrameRow){.time = i, .region = i % 2 ? 5 : 3, .is_end = 1, .distance = 1000 + i, .outermost = i % 2};
    xtf_aggregate_writer_pack_edge(writer, (const uint8_t *)rows, n, 1, &edge);
    const uint8_t *at = payload->data + 8, *end = payload->data + payload->len;
    g_free(read_table(&plan, XTF_TOTALS_OF_GROUPS, 0, xtf_stored_totals_schema(&schema->aggregates[0]), &at, end,
                      n_groups));
    uint8_t *groups = read_table(&plan, XTF_TOTALS_OF_GROUPS, 1, xtf_stored_totals_schema(&schema->aggregates[1]), &at,
                                 end, n_groups);
    xtf_aggregate_writer_free(writer);
    return groups;
}

/* Asserts the fields of a stored group: child, depth, region, distance, rows, outermost rows. */
static void assert_stored(const XtfSchema *schema, const uint8_t *row, const uint64_t *values)
{
    const XtfSchema *stored = xtf_stored_totals_schema(&schema->aggregates[1]);

    for (unsigned f = 0; f < stored->n_fields; f++)
        cr_assert_eq(value_of(stored, row, f), values[f], "field %u", f);
}

Test(aggregate_writer, a_child_of_32_groups_is_exact)
{
    g_autoptr(XtfSchema) schema = frame_schema_with_groups();
    uint32_t n_groups, row_size = xtf_stored_totals_schema(&schema->aggregates[1])->row_size;
    g_autofree uint8_t *groups = stored_groups(schema, 32, &n_groups);

    cr_assert_eq(n_groups, 32);
    assert_stored(schema, groups, (const uint64_t[]){0, 2, 3, 1000, 1, 0});
    assert_stored(schema, groups + 31 * row_size, (const uint64_t[]){0, 2, 5, 1031, 1, 1});
}

/* FORMAT W37 */
Test(aggregate_writer, a_child_of_33_groups_is_coarse_and_keeps_the_first_key_only)
{
    g_autoptr(XtfSchema) schema = frame_schema_with_groups();
    uint32_t n_groups, row_size = xtf_stored_totals_schema(&schema->aggregates[1])->row_size;
    g_autofree uint8_t *groups = stored_groups(schema, 33, &n_groups);

    cr_assert_eq(n_groups, 2);
    assert_stored(schema, groups, (const uint64_t[]){0, 1, 3, 0, 17, 0});
    assert_stored(schema, groups + row_size, (const uint64_t[]){0, 1, 5, 0, 16, 16});
}

Test(aggregate_writer, schemas_without_aggregates_have_no_totals)
{
    g_autoptr(XtfSchema) schema = test_schema("plain");
    g_autoptr(GByteArray) payload = g_byte_array_new();

    cr_assert_null(xtf_aggregate_writer_new(schema, XTF_CODEC_PLAIN));
    xtf_aggregate_writer_seal_leaf(NULL, NULL, 0);
    xtf_aggregate_writer_seal_index(NULL, 1, payload);
    xtf_aggregate_writer_pack_edge(NULL, NULL, 0, 1, &(XtfEdgeEncoder){.bytes = payload});
    cr_assert(xtf_aggregate_writer_resume(NULL, NULL, NULL));
    cr_assert_eq(payload->len, 0);
    xtf_aggregate_writer_free(NULL);
}
