/* Totals of rows, against totals calculated by hand, and a naive computation. */
#include <math.h>

#include "frames.h"

#include "libxtf/base/block-memory.h"
#include "libxtf/pack/pack.h"
#include "libxtf/totals/accumulate.h"

enum { REGIONS = 6 };

static void assert_cells(const XtfGroupTotals *totals, uint64_t (*cells)[XTF_FRAMES_CELLS], uint32_t regions)
{
    static const uint64_t none[XTF_FRAMES_CELLS];

    for (uint32_t region = 0; region <= regions; region++) {
        uint64_t key = region == regions ? XTF_FRAMES_BEFORE : region;
        const uint64_t *cells_found = xtf_group_totals_find(totals, &key);
        for (unsigned c = 0; c < XTF_FRAMES_CELLS; c++)
            cr_assert_eq((cells_found ? cells_found : none)[c], cells[region][c], "region %u, cell %u: %lu, not %lu",
                         region, c, (cells_found ? cells_found : none)[c], cells[region][c]);
    }
}

static void assert_good_add(const XtfSchema *schema, const GArray *rows, guint from, guint to, XtfFrameStack *stack,
                            const XtfFrameLoader *loader, XtfGroupTotals *totals)
{
    GError *error = NULL;
    cr_assert_good(xtf_accumulate_rows(schema, &schema->aggregates[0],
                                       (const uint8_t *)rows->data + from * sizeof(FrameRow), to - from, stack, loader,
                                       totals, &error),
                   error);
}

static void assert_frames(const GArray *rows, uint32_t regions)
{
    g_autoptr(XtfSchema) schema = frame_schema();
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&schema->aggregates[0], 1);
    g_autofree void *cells = g_malloc0((regions + 1) * XTF_FRAMES_CELLS * sizeof(uint64_t));
    XtfFrameStack stack;

    xtf_frame_stack_init(&stack);
    assert_good_add(schema, rows, 0, rows->len, &stack, NULL, totals);
    naive_frames(rows, regions, cells);
    assert_cells(totals, cells, regions);
    cr_assert_eq(stack.n, rows->len);
    xtf_frame_stack_finish(&stack);
}

Test(accumulate, frames_of_all_shapes)
{
    for (uint32_t seed = 0; seed < 300; seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        FrameShape shape = {.regions = REGIONS,
                            .deepest = (uint32_t)g_rand_int_range(random, 1, 20),
                            .mishaps = seed % 3 == 0 ? 0 : (uint32_t)g_rand_int_range(random, 1, 60),
                            .ties = (uint32_t)g_rand_int_range(random, 0, 60)};
        g_autoptr(GArray) rows = random_frames(random, 1 + seed, shape);
        assert_frames(rows, REGIONS);
    }
}

static void assert_same_stacks(const XtfFrameStack *a, const XtfFrameStack *b)
{
    cr_assert_eq(a->n, b->n);
    cr_assert_eq(a->time, b->time);
    cr_assert_eq(a->least, b->least, "row %lu: the least depth is %lu, not %lu", a->n, a->least, b->least);
    cr_assert_eq(xtf_frame_stack_depth(a), xtf_frame_stack_depth(b));
    for (guint i = 0; i < a->frames->len; i++) {
        const XtfOpenFrame *frame = xtf_frame_stack_at(a, i), *expected = xtf_frame_stack_at(b, i);
        cr_assert(frame->key == expected->key && frame->row == expected->row && frame->time == expected->time &&
                      frame->outermost == expected->outermost,
                  "row %lu: frame %u", a->n, i);
    }
}

/* Adds rows by their columns, some at a time, up to the first one that does not nest. Compares the stack each time with
 * that of the rows. Adds the other rows as they are. Returns the number of rows that were added by columns. */
static uint32_t add_by_columns(const XtfSchema *schema, const GArray *rows, GRand *random, XtfFrameStack *stack,
                               XtfGroupTotals *totals)
{
    uint32_t room = (uint32_t)xtf_pack_bound(schema, rows->len), size, to = 0;
    g_autofree uint8_t *packed = g_malloc(room);
    uint32_t length = xtf_pack(schema, (const uint8_t *)rows->data, rows->len, 1, packed, room, NULL);
    const XtfFrameFields fields = {.key = 1, .is_end = 2, .distance = 3, .outermost = 4};
    g_auto(XtfFrameStack) stack_of_rows;
    const char *fault = NULL;
    XTF_AUTO_BLOCK uint8_t *bytes =
        xtf_unpack_frames(schema, NULL, &fields, packed, length, rows->len, 0, &size, &fault);

    cr_assert(!fault, "%s", fault);
    xtf_frame_stack_init(&stack_of_rows);
    XtfFrameWalk walk = xtf_frame_walk((const XtfFrameColumns *)(const void *)bytes, 0, false);
    while (bytes && walk.next == to && to < rows->len) {
        uint32_t from = to, some = (uint32_t)g_rand_int_range(random, 1, 60); /* MIN() may compute an argument twice */
        to = MIN(rows->len, to + some);
        stack->least = stack_of_rows.least = UINT64_MAX;
        xtf_accumulate_frames(&walk, to, stack, totals);
        assert_good_add(schema, rows, from, walk.next, &stack_of_rows, NULL, NULL);
        assert_same_stacks(stack, &stack_of_rows);
    }
    assert_good_add(schema, rows, walk.next, rows->len, stack, NULL, totals);
    return walk.next;
}

/* Compares the totals of columns with a naive computation. Returns the number of rows that were added by columns. */
static uint32_t assert_columns(const GArray *rows, uint32_t regions, GRand *random)
{
    g_autoptr(XtfSchema) schema = frame_schema();
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&schema->aggregates[0], 1);
    g_autofree void *cells = g_malloc0((regions + 1) * XTF_FRAMES_CELLS * sizeof(uint64_t));
    g_auto(XtfFrameStack) stack, stack_alone;

    xtf_frame_stack_init(&stack);
    uint32_t by_columns = add_by_columns(schema, rows, random, &stack, totals);
    naive_frames(rows, regions, cells);
    assert_cells(totals, cells, regions);
    xtf_frame_stack_init(&stack_alone);
    cr_assert_eq(add_by_columns(schema, rows, random, &stack_alone, NULL), by_columns);
    return by_columns;
}

Test(accumulate, columns_of_brief_calls)
{
    uint32_t by_columns = 0;

    for (uint32_t seed = 0; seed < 100; seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        g_autoptr(GArray) rows = random_brief_calls(random);
        by_columns += assert_columns(rows, REGIONS, random);
    }
    cr_assert_geq(by_columns, 100 * 50, "%u rows", by_columns);
}

/* With many regions the keys have a column, and share places of the cache of groups. */
Test(accumulate, columns_of_all_shapes)
{
    uint32_t by_columns = 0, n_rows = 0;

    for (uint32_t seed = 0; seed < 300; seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        FrameShape shape = {.regions = seed % 2 ? REGIONS : 500,
                            .deepest = (uint32_t)g_rand_int_range(random, 1, 80),
                            .mishaps = seed % 3 == 0 ? (uint32_t)g_rand_int_range(random, 1, 5) : 0,
                            .ties = (uint32_t)g_rand_int_range(random, 0, 60)};
        g_autoptr(GArray) rows = random_frames(random, 1 + 5 * seed, shape);
        by_columns += assert_columns(rows, shape.regions, random);
        n_rows += rows->len;
    }
    cr_assert_geq(by_columns, n_rows / 2, "%u of %u rows", by_columns, n_rows);
}

#define ROWS(...)                                                                                       \
    g_array_append_vals(g_array_new(FALSE, FALSE, sizeof(FrameRow)), ((const FrameRow[]){__VA_ARGS__}), \
                        G_N_ELEMENTS(((const FrameRow[]){__VA_ARGS__})))

static void assert_by_hand(const GArray *rows, uint64_t (*cells)[XTF_FRAMES_CELLS], uint32_t regions)
{
    g_autoptr(XtfSchema) schema = frame_schema();
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&schema->aggregates[0], 1);
    XtfFrameStack stack;

    xtf_frame_stack_init(&stack);
    assert_good_add(schema, rows, 0, rows->len, &stack, NULL, totals);
    assert_cells(totals, cells, regions);
    xtf_frame_stack_finish(&stack);
}

/* Rows: time, region, is_end, distance, outermost. Cells: frames begun, frames ended, inclusive and exclusive ticks,
 * the longest duration; the last row of cells is that of XTF_FRAMES_BEFORE. */
Test(accumulate, time_in_a_nested_call_is_inclusive_time_of_its_caller)
{
    g_autoptr(GArray) rows = ROWS({100, 0, 0, 0, 1},  /* main begins */
                                  {110, 1, 0, 1, 1},  /* f begins within main */
                                  {150, 1, 1, 1, 0},  /* f ends */
                                  {160, 0, 1, 3, 0}); /* main ends */
    uint64_t cells[][XTF_FRAMES_CELLS] = {{1, 1, 60, 20, 60}, {1, 1, 40, 40, 40}, {0, 0, 0, 0, 0}};

    assert_by_hand(rows, cells, 2);
}

Test(accumulate, a_frame_that_never_began_ends_nothing)
{
    g_autoptr(GArray) rows = ROWS({100, 0, 0, 0, 1},  /* main begins */
                                  {110, 1, 1, 0, 0},  /* f ends, but never began: 10 ticks to main */
                                  {130, 0, 1, 2, 0},  /* main ends, after 20 ticks more */
                                  {135, 1, 1, 0, 0}); /* f ends, but never began: 5 ticks to no region */
    uint64_t cells[][XTF_FRAMES_CELLS] = {{1, 1, 30, 30, 30}, {0, 2, 0, 0, 0}, {2, 0, 5, 5, 0}};

    assert_by_hand(rows, cells, 2);
}

Test(accumulate, a_frame_that_a_caller_ends_is_not_counted_as_ended)
{
    g_autoptr(GArray) rows = ROWS({100, 0, 0, 0, 1},  /* main begins */
                                  {110, 1, 0, 1, 1},  /* f begins within main */
                                  {130, 0, 1, 2, 0}); /* main ends, and f with it */
    uint64_t cells[][XTF_FRAMES_CELLS] = {{1, 1, 30, 10, 30}, {1, 0, 20, 20, 20}, {0, 0, 0, 0, 0}};

    assert_by_hand(rows, cells, 2);
}

/* Expected cells calculated by hand, in case both computations have the same error. */
Test(accumulate, a_recursion_by_hand)
{
    g_autoptr(XtfSchema) schema = frame_schema();
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&schema->aggregates[0], 1);
    g_autoptr(GArray) rows = ROWS({100, 3, 1, 0, 0},  /* an end without a begin; row 0 charges no ticks */
                                  {110, 3, 1, 0, 0},  /* another one: 10 ticks */
                                  {120, 0, 0, 0, 1},  /* main; the 10 ticks before are charged to no region */
                                  {130, 1, 0, 1, 1},  /* f: 10 to main */
                                  {150, 1, 0, 1, 0},  /* f within f: 20 to f */
                                  {160, 1, 1, 1, 0},  /* 10 to f */
                                  {190, 2, 0, 3, 1},  /* g: 30 to f */
                                  {200, 0, 1, 5, 1},  /* main ends, and f and g with it: 10 to g */
                                  {210, 2, 0, 0, 1}); /* charged to no region */
    uint64_t cells[5][XTF_FRAMES_CELLS] = {
        {1, 1, 80, 10, 80}, {2, 1, 70, 60, 70}, {2, 0, 10, 10, 10}, {0, 2, 0, 0, 0}, {2, 0, 10, 10, 0},
    };
    XtfFrameStack stack;

    xtf_frame_stack_init(&stack);
    assert_good_add(schema, rows, 0, rows->len, &stack, NULL, totals);
    assert_cells(totals, cells, 4);
    cr_assert_eq(stack.frames->len, 1);
    cr_assert_eq(g_array_index(stack.frames, XtfOpenFrame, 0).row, 8);
    xtf_frame_stack_finish(&stack);
}

static void copy_stack(XtfFrameStack *to, const XtfFrameStack *from)
{
    g_array_set_size(to->frames, 0);
    if (from->frames->len > 0)
        g_array_append_vals(to->frames, from->frames->data, from->frames->len);
    to->n_outer = from->n_outer;
    to->inner_row = from->inner_row;
    to->n = from->n;
    to->time = from->time;
}

/* A stack of which only the innermost frames are known at first, as in a reader. */
typedef struct {
    XtfFrameStack whole;
    guint known, step;
    unsigned n_loads;
} Shallow;

static void set_known_frames(XtfFrameStack *stack, const Shallow *shallow)
{
    const GArray *all = shallow->whole.frames;
    guint from = all->len - shallow->known;

    stack->n_outer = from;
    stack->inner_row = shallow->known > 0 ? g_array_index(all, XtfOpenFrame, from).row : 0;
}

static bool load_outer_frames(XtfFrameStack *stack, void *data, GError **error)
{
    Shallow *shallow = data;
    const GArray *all = shallow->whole.frames;
    guint n_frames = MIN(shallow->step, all->len - shallow->known);

    cr_assert_gt(n_frames, 0, "more frames requested than the stack has");
    shallow->n_loads++;
    shallow->known += n_frames;
    g_array_prepend_vals(stack->frames, &g_array_index(all, XtfOpenFrame, all->len - shallow->known), n_frames);
    set_known_frames(stack, shallow);
    return true;
}

static bool fail_to_load(XtfFrameStack *stack, void *data, GError **error)
{
    g_set_error_literal(error, XTF_ERROR, XTF_ERROR_DAMAGED, "refused");
    return false;
}

static bool load_nothing(XtfFrameStack *stack, void *data, GError **error)
{
    return true;
}

Test(accumulate, a_partly_known_stack_gives_the_same_totals)
{
    g_autoptr(XtfSchema) schema = frame_schema();
    unsigned n_loads = 0;

    for (uint32_t seed = 0; seed < 400; seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        FrameShape shape = {.regions = REGIONS, .deepest = 30, .mishaps = seed % 30, .ties = 10};
        g_autoptr(GArray) rows = random_frames(random, 300, shape);
        guint cut = (guint)g_rand_int_range(random, 0, 300);
        g_autoptr(XtfGroupTotals) before = xtf_group_totals_new(&schema->aggregates[0], 1);
        g_autoptr(XtfGroupTotals) whole = xtf_group_totals_new(&schema->aggregates[0], 1);
        g_autoptr(XtfGroupTotals) shallow_totals = xtf_group_totals_new(&schema->aggregates[0], 1);
        Shallow shallow = {.step = 1 + seed % 4};
        XtfFrameStack stack, part;

        xtf_frame_stack_init(&stack);
        xtf_frame_stack_init(&part);
        xtf_frame_stack_init(&shallow.whole);
        assert_good_add(schema, rows, 0, cut, &stack, NULL, before);
        copy_stack(&shallow.whole, &stack);
        copy_stack(&part, &stack);
        shallow.known = MIN(seed % 5, part.frames->len);
        stack.least = UINT64_MAX;
        g_array_remove_range(part.frames, 0, part.frames->len - shallow.known);
        set_known_frames(&part, &shallow);

        assert_good_add(schema, rows, cut, 300, &stack, NULL, whole);
        const XtfFrameLoader loader = {.load = load_outer_frames, .data = &shallow};
        assert_good_add(schema, rows, cut, 300, &part, &loader, shallow_totals);
        cr_assert_eq(stack.least, part.least);
        n_loads += shallow.n_loads;

        xtf_group_totals_sort(whole);
        xtf_group_totals_sort(shallow_totals);
        cr_assert_eq(xtf_group_totals_n(whole), xtf_group_totals_n(shallow_totals));
        if (xtf_group_totals_n(whole) > 0)
            cr_assert_arr_eq(xtf_group_totals_key(whole, 0), xtf_group_totals_key(shallow_totals, 0),
                             xtf_group_totals_n(whole) * (1 + XTF_FRAMES_CELLS) * sizeof(uint64_t));
        xtf_frame_stack_finish(&stack);
        xtf_frame_stack_finish(&part);
        xtf_frame_stack_finish(&shallow.whole);
    }
    cr_assert_gt(n_loads, 100);
}

Test(accumulate, a_stack_that_cannot_be_loaded_is_an_error)
{
    g_autoptr(XtfSchema) schema = frame_schema();
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&schema->aggregates[0], 1);
    g_autoptr(GArray) rows = ROWS({10, 1, 1, 3, 1});
    const XtfFrameLoader loaders[] = {{.load = fail_to_load}, {.load = load_nothing}};

    for (size_t i = 0; i < G_N_ELEMENTS(loaders); i++) {
        g_autoptr(GError) error = NULL;
        XtfFrameStack stack;
        xtf_frame_stack_init(&stack);
        stack.n = 100;
        stack.n_outer = 1;
        stack.inner_row = 6;
        cr_assert_not(xtf_accumulate_rows(schema, &schema->aggregates[0], (const uint8_t *)rows->data, 1, &stack,
                                          &loaders[i], totals, &error));
        cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED));
        xtf_frame_stack_finish(&stack);
    }
}

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint8_t kind;
    int32_t peer;
    uint32_t bytes;
    double ratio;
    int16_t unused;
    uint64_t value;
} GroupRow;

static const XtfFieldSpec group_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time"},
    {.name = "kind", .type = XTF_TYPE_U8},
    {.name = "peer", .type = XTF_TYPE_I32},
    {.name = "bytes", .type = XTF_TYPE_U32, .flags = XTF_FIELD_OPTIONAL},
    {.name = "ratio", .type = XTF_TYPE_F64},
    {.name = "unused", .type = XTF_TYPE_U16},
    {.name = "value", .type = XTF_TYPE_U64},
    {0},
};

enum { KINDS = 3, PEERS = 4, FIRST_PEER = -2, KIND_REAL = 1, KIND_SIGNED = 2 };

static double real(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Asserts the cells of a group by scanning all rows. The values are small integers, also the doubles, so sums are
 * exact. */
static void assert_group(const GArray *rows, int kind, int32_t peer, const uint64_t *cells)
{
    uint64_t n = 0, bytes = 0, min_bytes = UINT64_MAX, max_bytes = 0, last_bytes = 0, value = 0;
    double ratio = 0, min_ratio = INFINITY, max_ratio = -INFINITY, last_ratio = 0;
    double min_value = INFINITY, max_value = -INFINITY, last_value = 0, sum_value = 0;

    for (guint i = 0; i < rows->len; i++) {
        const GroupRow *row = &g_array_index(rows, GroupRow, i);
        if (row->kind != kind || row->peer != peer)
            continue;
        n++;
        if (row->bytes != UINT32_MAX) {
            bytes += row->bytes;
            min_bytes = MIN(min_bytes, row->bytes);
            max_bytes = MAX(max_bytes, row->bytes);
            last_bytes = row->bytes;
        }
        ratio += row->ratio;
        if (!isnan(row->ratio)) {
            min_ratio = MIN(min_ratio, row->ratio);
            max_ratio = MAX(max_ratio, row->ratio);
            last_ratio = row->ratio;
        }
        double v = kind == KIND_REAL     ? real(row->value)
                   : kind == KIND_SIGNED ? (double)(int64_t)row->value
                                         : (double)row->value;
        value += row->value;
        sum_value += v;
        min_value = MIN(min_value, v);
        max_value = MAX(max_value, v);
        last_value = v;
    }
    cr_assert_eq(cells[0], n);
    cr_assert(cells[1] == bytes && cells[2] == min_bytes && cells[3] == max_bytes && cells[4] == last_bytes);
    cr_assert(isnan(ratio) ? cells[5] == UINT64_C(0x7ff8000000000000) : real(cells[5]) == ratio);
    cr_assert(real(cells[6]) == min_ratio && real(cells[7]) == max_ratio);
    cr_assert_eq(real(cells[8]), last_ratio);
    if (kind == KIND_REAL)
        cr_assert(real(cells[9]) == sum_value && real(cells[10]) == min_value && real(cells[11]) == max_value &&
                  real(cells[12]) == last_value);
    else if (kind == KIND_SIGNED)
        cr_assert(cells[9] == value && (int64_t)cells[10] == (int64_t)min_value &&
                  (int64_t)cells[11] == (int64_t)max_value && (int64_t)cells[12] == (int64_t)last_value);
    else
        cr_assert(cells[9] == value && cells[10] == (uint64_t)min_value && cells[11] == (uint64_t)max_value &&
                  cells[12] == (uint64_t)last_value);
}

static GArray *random_groups(GRand *random, guint count)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(GroupRow));

    for (guint i = 0; i < count; i++) {
        GroupRow row = {.time = i,
                        .kind = (uint8_t)g_rand_int_range(random, 0, KINDS),
                        .peer = g_rand_int_range(random, FIRST_PEER, FIRST_PEER + PEERS),
                        .bytes = g_rand_boolean(random) ? (uint32_t)g_rand_int_range(random, 0, 1000) : UINT32_MAX,
                        .ratio = g_rand_boolean(random) ? g_rand_int_range(random, -500, 500) : NAN};
        double number = g_rand_int_range(random, -500, 500);
        row.value = (uint64_t)(int64_t)number;
        if (row.kind == KIND_REAL)
            memcpy(&row.value, &number, sizeof number);
        else if (row.kind != KIND_SIGNED)
            row.value = (uint64_t)g_rand_int_range(random, 0, 1000);
        g_array_append_val(rows, row);
    }
    return rows;
}

static XtfSchema *group_schema(void)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("groups", XTF_SCHEMA_SIDE, group_fields, &error);
    const XtfAggregateSpec spec = {.kind = XTF_AGGREGATE_GROUPS,
                                   .keys = (const char *const[]){"kind", "peer", NULL},
                                   .values = (const char *const[]){"bytes", "ratio", "value", NULL},
                                   .extremes = true,
                                   .typed_by = "kind",
                                   .reals = 1 << KIND_REAL,
                                   .signeds = 1 << KIND_SIGNED};
    const XtfAggregateSpec plain = {.kind = XTF_AGGREGATE_GROUPS, .values = (const char *const[]){"bytes", NULL}};

    cr_assert_good(schema, error);
    cr_assert_good(xtf_schema_add_aggregate(schema, &spec, &error), error);
    cr_assert_good(xtf_schema_add_aggregate(schema, &plain, &error), error);
    return schema;
}

/* Accumulates all rows at once, or in parts whose totals are added. */
Test(accumulate, groups_and_their_extremes)
{
    g_autoptr(XtfSchema) schema = group_schema();

    for (uint32_t seed = 0; seed < 60; seed++) {
        g_autoptr(GRand) random = g_rand_new_with_seed(seed);
        g_autoptr(GArray) rows = random_groups(random, 5 * seed);
        g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&schema->aggregates[0], 2);
        for (guint from = 0; from < rows->len; from += 7) {
            guint count = MIN(7, rows->len - from);
            g_autoptr(XtfGroupTotals) part = xtf_group_totals_new(&schema->aggregates[0], 2);
            xtf_accumulate_rows(schema, &schema->aggregates[0], (const uint8_t *)&g_array_index(rows, GroupRow, from),
                                count, NULL, NULL, seed % 2 ? part : totals, NULL);
            xtf_group_totals_add_all(totals, part);
        }
        uint64_t counted = 0;
        for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
            const uint64_t *key = xtf_group_totals_key(totals, i);
            assert_group(rows, (int)key[0], (int32_t)key[1], xtf_group_totals_cells(totals, i));
            cr_assert_eq(key[1], (uint64_t)(int64_t)(int32_t)key[1]);
            counted += xtf_group_totals_cells(totals, i)[0];
        }
        cr_assert_eq(counted, rows->len);
    }
}

Test(accumulate, one_group_of_all_rows)
{
    g_autoptr(XtfSchema) schema = group_schema();
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    g_autoptr(GArray) rows = random_groups(random, 500);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&schema->aggregates[1], 0);
    uint64_t bytes = 0;

    xtf_accumulate_rows(schema, &schema->aggregates[1], (const uint8_t *)rows->data, rows->len, NULL, NULL, totals,
                        NULL);
    for (guint i = 0; i < rows->len; i++)
        if (g_array_index(rows, GroupRow, i).bytes != UINT32_MAX)
            bytes += g_array_index(rows, GroupRow, i).bytes;
    cr_assert_eq(xtf_group_totals_n(totals), 1);
    cr_assert_eq(xtf_group_totals_cells(totals, 0)[0], 500);
    cr_assert_eq(xtf_group_totals_cells(totals, 0)[1], bytes);
}

Test(accumulate, the_key_of_a_row)
{
    g_autoptr(XtfSchema) schema = group_schema();
    GroupRow row = {.kind = 2, .peer = -7};
    uint64_t key[2];

    xtf_aggregate_row_key(schema, &schema->aggregates[0], (const uint8_t *)&row, key);
    cr_assert(key[0] == 2 && key[1] == (uint64_t)-7);
}
