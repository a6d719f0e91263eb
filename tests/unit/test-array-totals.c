/* Totals of groups, ranks and selections in ranges of rows, against rows in memory. */
#include <math.h>

#include "frames-fixture.h"
#include "tests/rounds.h"

#include "libxtf/slices.h"

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint8_t kind;
    uint16_t comm;
    uint32_t peer, tag;
    uint64_t bytes; /* UINT64_MAX: none */
    int32_t weight;
    uint8_t metric, type; /* type 0: unsigned, 1: signed, 2: double */
    uint64_t value;
} MessageRow;

static const XtfFieldSpec message_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "kind", .type = XTF_TYPE_U8},
    {.name = "comm", .type = XTF_TYPE_U16},
    {.name = "peer", .type = XTF_TYPE_U32},
    {.name = "tag", .type = XTF_TYPE_U32},
    {.name = "bytes", .type = XTF_TYPE_U64, .flags = XTF_FIELD_OPTIONAL},
    {.name = "weight", .type = XTF_TYPE_I32},
    {.name = "metric", .type = XTF_TYPE_U8},
    {.name = "type", .type = XTF_TYPE_U8},
    {.name = "value", .type = XTF_TYPE_U64},
    {0},
};

enum { BY_TUPLE, BY_METRIC, OF_ALL, N_AGGREGATES };

static const XtfAggregateSpec message_aggregates[N_AGGREGATES] = {
    [BY_TUPLE] = {.kind = XTF_AGGREGATE_GROUPS,
                  .keys = (const char *const[]){"kind", "comm", "peer", "tag", NULL},
                  .values = (const char *const[]){"bytes", "weight", NULL}},
    [BY_METRIC] = {.kind = XTF_AGGREGATE_GROUPS,
                   .keys = (const char *const[]){"metric", "type", NULL},
                   .values = (const char *const[]){"value", "weight", NULL},
                   .extremes = true,
                   .typed_by = "type",
                   .signeds = 1 << 1,
                   .reals = 1 << 2},
    [OF_ALL] = {.kind = XTF_AGGREGATE_GROUPS, .values = (const char *const[]){"bytes", NULL}, .extremes = true},
};

static XtfSchema *message_schema(void)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("messages", XTF_SCHEMA_RECORD, message_fields, &error);

    cr_assert_good(schema, error);
    for (int i = 0; i < N_AGGREGATES; i++)
        cr_assert_good(xtf_schema_add_aggregate(schema, &message_aggregates[i], &error), error);
    return schema;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns the number of metrics at a row. With many tags the number alternates between few and many: some children
 * have totals by metric, and others beside them do not. */
static gint32 metrics_of(uint32_t tags, guint row)
{
    return tags > 1000 && row / 300 % 2 == 0 ? 200 : 4;
}

/* Returns random messages. Sums of their doubles are exact in any order. */
static GArray *random_messages(GRand *random, guint count, uint32_t tags)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(MessageRow));
    uint64_t time = 5;

    for (guint i = 0; i < count; i++) {
        int whole = g_rand_int_range(random, -1000, 1000);
        MessageRow row = {
            .time = time += (uint64_t)g_rand_int_range(random, 0, 50),
            .kind = (uint8_t)g_rand_int_range(random, 0, 2),
            .comm = (uint16_t)g_rand_int_range(random, 0, 3),
            .peer = (uint32_t)g_rand_int_range(random, 0, 8),
            .tag = (uint32_t)g_rand_int_range(random, 0, (gint32)tags),
            .bytes = chance(random, 10) ? UINT64_MAX : (uint64_t)g_rand_int_range(random, 0, 100000),
            .weight = whole * 1000003,
            .metric = (uint8_t)g_rand_int_range(random, 0, metrics_of(tags, i)),
        };
        row.type = row.metric % 3;
        row.value = row.type == 2   ? (chance(random, 5) ? double_bits(NAN) : double_bits(whole / 64.0))
                    : row.type == 1 ? (uint64_t)(int64_t)whole
                                    : (uint64_t)(whole + 1000);
        g_array_append_val(rows, row);
    }
    return rows;
}

static const MessageRow *message(const GArray *rows, uint64_t n)
{
    return &g_array_index(rows, MessageRow, n);
}

static void write_messages(const char *path, uint32_t page_size, bool plain, const GArray *rows)
{
    GError *error = NULL;
    XtfWriterOptions options = {
        .page_size = page_size, .codec = plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    g_autoptr(XtfSchema) schema = message_schema();
    uint32_t id;

    cr_assert_good(writer, error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 7, id, &error);
    cr_assert_good(array, error);
    for (guint i = 0; i < rows->len; i++)
        cr_assert_good(xtf_array_writer_append(array, message(rows, i), &error), error);
    cr_assert_good(xtf_writer_close(writer, &error), error);
}

/* Selected messages: bits of kinds and peers, and tags in [tag_from, tag_to). */
typedef struct {
    uint32_t kinds, peers, tag_from, tag_to;
} Selection;

static bool is_selected(const Selection *selection, const MessageRow *row)
{
    return selection->kinds >> row->kind & 1 && selection->peers >> row->peer & 1 && row->tag >= selection->tag_from &&
           row->tag < selection->tag_to;
}

static XtfMatch match_selection(const uint64_t *key, unsigned depth, const void *data)
{
    const Selection *selection = data;

    if ((depth > 0 && !(selection->kinds >> key[0] & 1)) || (depth > 2 && !(selection->peers >> key[2] & 1)) ||
        (depth > 3 && (key[3] < selection->tag_from || key[3] >= selection->tag_to)))
        return XTF_MATCH_NONE;
    bool all_tags = selection->tag_from == 0 && selection->tag_to == UINT32_MAX;
    bool all_peers = selection->peers == 0xff, all_kinds = selection->kinds == 3;
    if ((depth > 3 || all_tags) && (depth > 2 || all_peers) && (depth > 0 || all_kinds))
        return XTF_MATCH_ALL;
    return XTF_MATCH_SOME;
}

static const Selection filters[] = {
    {3, 0xff, 0, UINT32_MAX}, {1, 0xff, 0, UINT32_MAX}, {3, 0x12, 0, UINT32_MAX}, {3, 0xff, 3, 4},
    {2, 0x0f, 1, 40},         {3, 0x01, 7, 8},          {0, 0xff, 0, UINT32_MAX},
};

static bool same_key(const MessageRow *row, const uint64_t *key, unsigned depth)
{
    const uint64_t of_row[] = {row->kind, row->comm, row->peer, row->tag};
    return memcmp(of_row, key, depth * sizeof *key) == 0;
}

/* Checks that every group has the totals of its rows, and that the groups have all selected rows. */
static void check_tuples(const XtfArray *array, const GArray *rows, const Selection *selection, unsigned depth,
                         uint64_t n1, uint64_t n2)
{
    GError *error = NULL;
    XtfGroupFilter filter = {.match = match_selection, .data = selection};
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[BY_TUPLE], depth);
    uint64_t all = 0, counted = 0;

    cr_assert_good(xtf_array_totals(array, BY_TUPLE, selection ? &filter : NULL, n1, n2, totals, &error), error);
    n2 = MIN(n2, rows->len);
    for (uint64_t n = n1; n < n2; n++)
        all += !selection || is_selected(selection, message(rows, n));
    uint32_t step = MAX(1, xtf_group_totals_n(totals) / 50); /* if there are many groups, only some are checked */
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        const uint64_t *key = xtf_group_totals_key(totals, i), *cells = xtf_group_totals_cells(totals, i);
        uint64_t count = 0, bytes = 0, weight = 0;
        counted += cells[XTF_GROUP_ROWS];
        for (uint64_t n = n1; n < n2 && i % step == 0; n++) {
            const MessageRow *row = message(rows, n);
            if (!same_key(row, key, depth) || (selection && !is_selected(selection, row)))
                continue;
            count++;
            bytes += row->bytes == UINT64_MAX ? 0 : row->bytes;
            weight += (uint64_t)(int64_t)row->weight;
        }
        if (i % step == 0)
            cr_assert(cells[XTF_GROUP_ROWS] == count && cells[1] == bytes && cells[2] == weight,
                      "rows %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT ", group %u", n1, n2, i);
    }
    cr_assert_eq(counted, all);
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the value of a metric as a double, which is exact. */
static double metric_value(const MessageRow *row)
{
    return row->type == 2 ? as_double(row->value) : row->type == 1 ? (double)(int64_t)row->value : (double)row->value;
}

static double cell_value(unsigned type, uint64_t cell)
{
    return type == 2 ? as_double(cell) : type == 1 ? (double)(int64_t)cell : (double)cell;
}

static void check_metrics(const XtfArray *array, const GArray *rows, unsigned step, uint64_t n1, uint64_t n2)
{
    GError *error = NULL;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[BY_METRIC], 2);

    cr_assert_good(xtf_array_totals(array, BY_METRIC, NULL, n1, n2, totals, &error), error);
    n2 = MIN(n2, rows->len);
    for (unsigned metric = 0; metric < 200; metric += step) {
        uint64_t key[] = {metric, metric % 3}, count = 0;
        double sum = 0, least = INFINITY, greatest = -INFINITY, last = 0;
        for (uint64_t n = n1; n < n2; n++) {
            const MessageRow *row = message(rows, n);
            double value = metric_value(row);
            count += row->metric == metric;
            if (row->metric != metric)
                continue;
            sum += value;
            if (isnan(value))
                continue;
            least = fmin(least, value);
            greatest = fmax(greatest, value);
            last = value;
        }
        const uint64_t *cells = xtf_group_totals_find(totals, key);
        cr_assert_eq(cells ? cells[0] : 0, count);
        if (cells && isnan(sum))
            cr_assert_eq(cells[1 + XTF_VALUE_SUM], UINT64_C(0x7ff8000000000000));
        else if (cells)
            cr_assert_float_eq(cell_value(metric % 3, cells[1 + XTF_VALUE_SUM]), sum, 1e-9);
        if (least > greatest)
            continue;
        cr_assert_eq(cell_value(metric % 3, cells[1 + XTF_VALUE_MIN]), least);
        cr_assert_eq(cell_value(metric % 3, cells[1 + XTF_VALUE_MAX]), greatest);
        cr_assert_eq(cell_value(metric % 3, cells[1 + XTF_VALUE_LAST]), last);
    }
}

/* Checks an aggregate without keys: one group of all rows. */
static void check_all(const XtfArray *array, const GArray *rows, uint64_t n1, uint64_t n2)
{
    GError *error = NULL;
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[OF_ALL], 0);
    uint64_t sum = 0, least = UINT64_MAX, greatest = 0, last = 0;

    cr_assert_good(xtf_array_totals(array, OF_ALL, NULL, n1, n2, totals, &error), error);
    n2 = MIN(n2, rows->len);
    for (uint64_t n = n1; n < n2; n++) {
        uint64_t bytes = message(rows, n)->bytes;
        if (bytes == UINT64_MAX)
            continue;
        sum += bytes;
        least = MIN(least, bytes);
        greatest = MAX(greatest, bytes);
        last = bytes;
    }
    cr_assert_eq(xtf_group_totals_n(totals), n1 < n2);
    if (n1 >= n2)
        return;
    const uint64_t expected[] = {n2 - n1, sum, least, greatest, last};
    cr_assert_eq(memcmp(xtf_group_totals_cells(totals, 0), expected, sizeof expected), 0);
}

/* Slices between edges, which are times or row numbers. */
typedef struct {
    const GArray *rows;
    const uint64_t *edges;
    bool by_time;
    uint64_t visited;
} Slices;

/* Compares totals without keys with the rows of a slice, which are found one by one. */
static bool check_slice(const XtfSlice *slice, void *data, GError **error)
{
    Slices *slices = data;
    const uint64_t *edge = &slices->edges[slice->number];
    uint64_t count = 0, bytes = 0, weight = 0;

    cr_assert_eq(slice->number, slices->visited++);
    for (uint64_t n = 0; n < slices->rows->len; n++) {
        const MessageRow *row = message(slices->rows, n);
        uint64_t key = slices->by_time ? row->time : n;
        if (key < edge[0] || key >= edge[1])
            continue;
        count++;
        bytes += row->bytes == UINT64_MAX ? 0 : row->bytes;
        weight += (uint64_t)(int64_t)row->weight;
    }
    cr_assert_eq(slice->n2 - slice->n1, count);
    if (!slice->totals) {
        cr_assert_eq(slice->count, count);
        return true;
    }
    cr_assert_eq(xtf_group_totals_n(slice->totals), count > 0);
    const uint64_t expected[] = {count, bytes, weight};
    cr_assert(count == 0 || memcmp(xtf_group_totals_cells(slice->totals, 0), expected, sizeof expected) == 0,
              "slice %" G_GUINT64_FORMAT, slice->number);
    return true;
}

static void check_slices(const XtfArray *array, const GArray *rows, GRand *random)
{
    enum { EDGES = 9 };
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[BY_TUPLE], 0);
    uint64_t edges[EDGES] = {0};
    GError *error = NULL;

    for (unsigned by_time = 0; by_time < 2; by_time++) {
        Slices slices = {.rows = rows, .edges = edges, .by_time = by_time};
        gint32 step = (gint32)(by_time ? array->last : array->n_rows) / (EDGES - 2) + 2;
        for (unsigned i = 1; i < EDGES; i++) /* few rows, and leaves without an edge */
            edges[i] = edges[i - 1] + (uint64_t)g_rand_int_range(random, 0, chance(random, 30) ? 30 : step);
        bool good =
            by_time ? xtf_array_slice_totals_by_time(array, BY_TUPLE, NULL, edges, EDGES, totals, check_slice, &slices,
                                                     &error)
                    : xtf_array_slice_totals(array, BY_TUPLE, NULL, edges, EDGES, totals, check_slice, &slices, &error);
        cr_assert_good(good, error);
        cr_assert_eq(slices.visited, EDGES - 1);
    }
    Slices counts = {.rows = rows, .edges = edges, .by_time = true};
    cr_assert_good(xtf_array_slice_counts(array, edges, EDGES, check_slice, &counts, &error), error);
    cr_assert_eq(counts.visited, EDGES - 1);
}

static void check_rank_and_select(const XtfArray *array, const GArray *rows, const Selection *selection, GRand *random)
{
    GError *error = NULL;
    XtfGroupFilter filter = {.match = match_selection, .data = selection};
    g_autoptr(GArray) selected_rows = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    uint64_t rank, n;

    for (uint64_t row = 0; row < rows->len; row++) {
        bool selected = is_selected(selection, message(rows, row));
        if (selected)
            g_array_append_val(selected_rows, row);
        if (row % 1000 == 0)
            cr_assert_eq(xtf_row_matches(array->schema, BY_TUPLE, &filter, (const uint8_t *)message(rows, row)),
                         selected);
    }
    for (unsigned i = 0; i < TEST_ROUNDS(30); i++) {
        uint64_t to = i == 0 ? rows->len + 5 : (uint64_t)g_rand_int_range(random, 0, (gint32)rows->len + 1),
                 expected = 0;
        while (expected < selected_rows->len && g_array_index(selected_rows, uint64_t, expected) < to)
            expected++;
        cr_assert_good(xtf_array_group_rank(array, BY_TUPLE, &filter, to, &rank, &error), error);
        cr_assert_eq(rank, expected);
        uint64_t k =
            i == 0 ? selected_rows->len : (uint64_t)g_rand_int_range(random, 0, (gint32)selected_rows->len + 1);
        cr_assert_good(xtf_array_group_select(array, BY_TUPLE, &filter, k, &n, &error), error);
        cr_assert_eq(n, k < selected_rows->len ? g_array_index(selected_rows, uint64_t, k) : rows->len);
        cr_assert_good(xtf_array_group_rank(array, BY_TUPLE, &filter, n, &rank, &error), error);
        cr_assert_eq(rank, k);
        cr_assert_good(xtf_array_group_select_from(array, BY_TUPLE, &filter, to, k, &n, &error), error);
        k += expected;
        cr_assert_eq(n, k < selected_rows->len ? g_array_index(selected_rows, uint64_t, k) : rows->len);
    }
}

static void random_rows_range(GRand *random, guint rows, uint64_t *n1, uint64_t *n2)
{
    uint64_t a = (uint64_t)g_rand_int_range(random, 0, (gint32)rows + 2);
    uint64_t b = (uint64_t)g_rand_int_range(random, 0, (gint32)rows + 2);

    *n1 = MIN(a, b);
    *n2 = MAX(a, b);
}

static void check_file(const char *path, const GArray *rows, GRand *random, size_t cache)
{
    g_autoptr(XtfTrace) trace = open_trace(path, cache);
    XtfArray array = find_array(trace, 7, 0);

    for (unsigned i = 0; i < TEST_ROUNDS(20); i++) {
        uint64_t n1 = 0, n2 = rows->len;
        if (i > 0)
            random_rows_range(random, rows->len, &n1, &n2);
        const Selection *selection = i % 3 == 0 ? NULL : &filters[(unsigned)i % G_N_ELEMENTS(filters)];
        check_tuples(&array, rows, selection, (unsigned)i % 5, n1, n2);
        check_metrics(&array, rows, 1 + (unsigned)i, n1, n2);
        check_all(&array, rows, n1, n2);
        check_slices(&array, rows, random);
    }
    for (size_t f = 0; f < G_N_ELEMENTS(filters); f++)
        check_rank_and_select(&array, rows, &filters[f], random);
}

static void assert_group(const XtfGroupTotals *totals, const uint64_t *key, uint64_t rows, uint64_t bytes,
                         uint64_t weight)
{
    const uint64_t *cells = xtf_group_totals_find(totals, key);

    cr_assert(cells && cells[0] == rows && cells[1] == bytes && cells[2] == weight);
}

/* Three messages, and their totals calculated by hand. Cells: rows, bytes, weight. */
Test(array_totals, three_messages_by_hand)
{
    const MessageRow messages[] = {
        {.time = 10, .kind = 0, .comm = 1, .peer = 4, .tag = 7, .bytes = 100, .weight = -1},
        {.time = 20, .kind = 0, .comm = 1, .peer = 4, .tag = 8, .bytes = UINT64_MAX, .weight = 5}, /* bytes: none */
        {.time = 30, .kind = 1, .comm = 1, .peer = 2, .tag = 7, .bytes = 50, .weight = 2},
    };
    const Selection tag_7 = {3, 0xff, 7, 8};
    const XtfGroupFilter filter = {.match = match_selection, .data = &tag_7};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(MessageRow));
    GError *error = NULL;
    uint64_t n;

    g_array_append_vals(rows, messages, 3);
    write_messages(path, 4096, false, rows);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    g_autoptr(XtfGroupTotals) by_kind = xtf_group_totals_new(&array.schema->aggregates[BY_TUPLE], 1);
    g_autoptr(XtfGroupTotals) exact = xtf_group_totals_new(&array.schema->aggregates[BY_TUPLE], 4);

    cr_assert_good(xtf_array_totals(&array, BY_TUPLE, NULL, 0, 3, by_kind, &error), error);
    cr_assert_eq(xtf_group_totals_n(by_kind), 2);
    assert_group(by_kind, (const uint64_t[]){0}, 2, 100, 4);
    assert_group(by_kind, (const uint64_t[]){1}, 1, 50, 2);
    cr_assert_good(xtf_array_totals(&array, BY_TUPLE, &filter, 1, 3, exact, &error), error);
    cr_assert_eq(xtf_group_totals_n(exact), 1);
    assert_group(exact, (const uint64_t[]){1, 1, 2, 7}, 1, 50, 2);
    cr_assert(xtf_array_group_rank(&array, BY_TUPLE, &filter, 2, &n, &error) && n == 1);
    cr_assert(xtf_array_group_select(&array, BY_TUPLE, &filter, 1, &n, &error) && n == 2);
    cr_assert(xtf_array_group_select(&array, BY_TUPLE, &filter, 2, &n, &error) && n == 3); /* none: n is n_rows */
    remove_folder(folder);
}

Test(array_totals, groups_agree_with_memory)
{
    /* Few tags, or more than any child has groups for; trees of one to three levels. */
    const struct {
        guint rows;
        uint32_t tags, page_size;
        bool plain;
    } cases[] = {
        {1, 1, 4096, false},         {80, 5, 4096, true},     {3000, 5, 4096, true},        {20000, 2, 4096, true},
        {20000, 100000, 4096, true}, {20000, 2, 4096, false}, {20000, 100000, 4096, false}, {60000, 50, 16384, false},
    };
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(21);

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) rows = random_messages(random, cases[i].rows, cases[i].tags);
        write_messages(path, cases[i].page_size, cases[i].plain, rows);
        check_file(path, rows, random, 64 << 20);
        if (cases[i].rows <= 20000)
            check_file(path, rows, random, 1);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        assert_sound(trace);
    }
    remove_folder(folder);
}
