/* Ranks and selections in one of very many groups, against rows in memory; and damaged filters. */
#include "fixture.h"
#include "libxtf/disk/page.h"
#include "libxtf/group-filter.h"
#include "libxtf/totals/tables/filters.h"

enum { PAGE = 4096 };

typedef struct __attribute__((packed)) {
    uint64_t time;
    uint32_t comm, peer;
    int32_t tag;
} Row;

static const XtfFieldSpec row_fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "comm", .type = XTF_TYPE_U32, .refers_to = "comms"},
    {.name = "peer", .type = XTF_TYPE_U32},
    {.name = "tag", .type = XTF_TYPE_I32},
    {0},
};

static XtfSchema *row_schema(void)
{
    GError *error = NULL;
    XtfSchema *schema = xtf_schema_new("rows", XTF_SCHEMA_RECORD, row_fields, &error);
    XtfAggregateSpec spec = {.kind = XTF_AGGREGATE_GROUPS, .keys = (const char *const[]){"comm", "peer", "tag", NULL}};

    cr_assert_good(schema, error);
    for (int filters = 0; filters < 2; filters++) {
        spec.filters = filters == 0;
        cr_assert_good(xtf_schema_add_aggregate(schema, &spec, &error), error);
    }
    return schema;
}

/* Returns rows of which few share a tag. The first 3000 have few tags, so that their leaves need no filter. */
static GArray *make_rows(guint n)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(41);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(Row));

    for (guint i = 0; i < n; i++) {
        Row row = {.time = 10 * (i / 3),
                   .comm = (uint32_t)g_rand_int_range(random, 0, 2),
                   .peer = (uint32_t)g_rand_int_range(random, 0, 3),
                   .tag = g_rand_int_range(random, -20000, i < 3000 ? -19998 : 20000)};
        g_array_append_val(rows, row);
    }
    return rows;
}

/* Writes the rows in parts, each with a new writer. */
static void write_parts(const char *path, bool plain, const GArray *rows, guint parts)
{
    const XtfWriterOptions options = {.page_size = PAGE, .codec = plain ? "plain" : NULL, .no_sync = true};
    g_autoptr(XtfSchema) schema = row_schema();

    for (guint part = 0; part < parts; part++) {
        GError *error = NULL;
        XtfWriter *writer =
            part == 0 ? xtf_writer_create(path, &options, &error) : xtf_writer_open(path, &options, &error);
        uint32_t id;
        cr_assert_good(writer, error);
        cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
        XtfArrayWriter *array = xtf_writer_array(writer, 7, id, &error);
        cr_assert_good(array, error);
        for (guint i = rows->len * part / parts; i < rows->len * (part + 1) / parts; i++)
            cr_assert_good(xtf_array_writer_append(array, &g_array_index(rows, Row, i), &error), error);
        cr_assert_good(xtf_writer_close(writer, &error), error);
    }
}

static bool is_in_group(const Row *row, const uint64_t *key)
{
    return row->comm == key[0] && row->peer == key[1] && (uint64_t)(int64_t)row->tag == key[2];
}

/* Checks a rank and a selection in the group, and its totals, counts and size. */
static void check_group(const XtfArray *array, unsigned index, const GArray *rows, const uint64_t *key, uint64_t end)
{
    const XtfGroupFilter filter = {.exact = key};
    GError *error = NULL;
    uint64_t before = 0, rank, n, chosen = array->n_rows, k;

    for (uint64_t i = 0; i < MIN(end, rows->len); i++)
        before += is_in_group(&g_array_index(rows, Row, i), key);
    cr_assert_good(xtf_array_group_rank(array, index, &filter, end, &rank, &error), error);
    cr_assert_eq(rank, before);
    for (uint64_t i = end, left = before + 1; i < rows->len && chosen == array->n_rows; i++)
        if (is_in_group(&g_array_index(rows, Row, i), key) && left-- > 0)
            chosen = i;
    k = before;
    cr_assert_good(xtf_array_group_select(array, index, &filter, k, &n, &error), error);
    cr_assert_eq(n, chosen, "select %lu: %lu, should be %lu", k, n, chosen);
    cr_assert_good(xtf_array_group_select_from(array, index, &filter, end, 0, &n, &error), error);
    cr_assert_eq(n, chosen, "select from %lu: %lu, should be %lu", end, n, chosen);
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array->schema->aggregates[index], 3);
    cr_assert_good(xtf_array_totals(array, index, &filter, 0, end, totals, &error), error);
    cr_assert_eq(xtf_group_totals_n(totals), before > 0);
    cr_assert(before == 0 || *xtf_group_totals_find(totals, key) == before);
    uint64_t after = 0, count, all = 0;
    bool known;
    for (uint64_t i = end; i < rows->len; i++)
        after += is_in_group(&g_array_index(rows, Row, i), key);
    cr_assert_good(xtf_array_group_count(array, index, &filter, end, UINT64_MAX, &count, &error), error);
    cr_assert_eq(count, after);
    cr_assert_good(xtf_array_group_known(array, index, &filter, &all, &known, &error), error);
    cr_assert(!known || all == before + after);
}

static void check_groups(const XtfArray *array, const GArray *rows, int times)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(42);

    for (int i = 0; i < times; i++) {
        const Row *row = &g_array_index(rows, Row, g_rand_int(random) % rows->len);
        uint64_t key[] = {row->comm, row->peer, (uint64_t)(int64_t)row->tag};
        if (i % 5 == 0)
            key[i % 3] += 1; /* perhaps a group without rows */
        check_group(array, (unsigned)i % 2, rows, key, g_rand_int(random) % (rows->len + 1));
    }
}

Test(filters, ranks_and_selects)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GArray) rows = make_rows(60000);

    for (int plain = 0; plain < 2; plain++) {
        for (guint parts = 1; parts < 6; parts += 2) {
            write_parts(path, plain, rows, parts);
            g_autoptr(XtfTrace) trace = open_trace(path, 0);
            XtfArray array = find_array(trace, 7, 0);
            cr_assert_geq(array.height, 3 - !plain);
            check_groups(&array, rows, 120);
            assert_sound(trace);
        }
    }
    remove_folder(folder);
}

/* One leaf, or only an open leaf beside a sealed one. */
/* FORMAT R51 */
Test(filters, small_arrays)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    const guint counts[] = {1, 60, 300, 5000};

    for (int i = 0; i < 8; i++) {
        g_autoptr(GArray) rows = make_rows(counts[i / 2]);
        write_parts(path, i % 2, rows, 1);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        XtfArray array = find_array(trace, 7, 0);
        check_groups(&array, rows, 40);
        assert_sound(trace);
    }
    remove_folder(folder);
}

/* The purpose of filters: a group without rows costs almost no leaf. */
Test(filters, avoid_reading_leaves)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GArray) rows = make_rows(60000);
    uint64_t misses[2];

    write_parts(path, true, rows, 1);
    for (unsigned index = 0; index < 2; index++) {
        GError *error = NULL;
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        XtfArray array = find_array(trace, 7, 0);
        const XtfGroupFilter filter = {.exact = (uint64_t[]){0, 0, 30000}};
        XtfCounters counters;
        uint64_t rank;
        cr_assert_good(xtf_array_group_rank(&array, index, &filter, rows->len, &rank, &error), error);
        cr_assert_eq(rank, 0);
        xtf_trace_get_counters(trace, &counters);
        misses[index] = counters.cache_misses;
    }
    cr_assert_lt(misses[0], 40, "%lu", misses[0]);
    cr_assert_gt(misses[1], 200, "%lu", misses[1]);
    remove_folder(folder);
}

/* Returns the byte at which the rows of filters begin in a companion with plain tables, and their number in *n; 0:
 * none. */
static gsize find_filters(const char *bytes, uint64_t place, uint32_t *n)
{
    const XtfDiskPage *page = (const XtfDiskPage *)(const void *)(bytes + place * PAGE);
    gsize at = place * PAGE + sizeof *page, end = at + xtf_read32(page->length);

    while (at < end) {
        const XtfDiskTotals *table = (const XtfDiskTotals *)(const void *)(bytes + at);
        gsize rows = at + sizeof *table;
        if (table->kind == XTF_TOTALS_FILTERS) {
            *n = xtf_read32(table->n_rows);
            return rows;
        }
        at = rows + (xtf_read32(table->length) + 7) / 8 * 8;
    }
    return 0;
}

static guint problems_of(const char *path, const char *bytes, gsize length)
{
    GError *error = NULL;
    g_autoptr(GString) problems = g_string_new(NULL);
    XtfCheckReport report;

    cr_assert_good(g_file_set_contents(path, bytes, (gssize)length, &error), error);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    return (guint)report.problems;
}

/* FORMAT C7 */
Test(filters, damage_is_detected)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *bytes = NULL;
    g_autoptr(GArray) rows = make_rows(120000);
    gsize length;
    guint companions = 0;

    write_parts(path, true, rows, 1);
    g_file_get_contents(path, &bytes, &length, NULL);
    for (uint64_t place = 2; place < length / PAGE; place++) {
        XtfDiskPage *page = (XtfDiskPage *)(void *)(bytes + place * PAGE);
        uint32_t n;
        if (xtf_read32(page->magic) != XTF_PAGE_MAGIC || page->kind != XTF_PAGE_TOTALS || page->level != 1)
            continue;
        gsize at = find_filters(bytes, place, &n);
        if (at == 0)
            continue;
        companions++;
        g_autofree char *damaged = g_memdup2(bytes, length);
        XtfDiskPage *head = (XtfDiskPage *)(void *)(damaged + place * PAGE);
        uint64_t words[] = {place % 2 ? 9999 : 0, 0}; /* a child that does not exist, or a filter without bits */
        memcpy(damaged + at + sizeof words * (n / 2), words, sizeof words);
        xtf_write32(&head->checksum,
                    xtf_page_checksum(head, place, (const uint8_t *)(head + 1), xtf_read32(head->length)));
        cr_assert_gt(problems_of(path, damaged, length), 0, "place %lu", place);
    }
    cr_assert_gt(companions, 1);
    remove_folder(folder);
}

Test(filters, need_a_key_that_means_the_same_everywhere)
{
    GError *error = NULL;
    g_autoptr(XtfSchema) schema = xtf_schema_new("rows", XTF_SCHEMA_RECORD, row_fields, &error);
    XtfAggregateSpec spec = {
        .kind = XTF_AGGREGATE_GROUPS, .keys = (const char *const[]){"comm", NULL}, .filters = true};

    cr_assert_not(xtf_schema_add_aggregate(schema, &spec, &error));
    cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_INVALID));
    g_clear_error(&error);
}
