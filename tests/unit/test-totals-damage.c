/*
 * Stored totals with deliberate damage and correct checksums, in companions of index pages and in right edges. The
 * result is an error that names the page, or an answer, and nothing worse. The checker detects the damage.
 */
#include "frames-fixture.h"

#include "libxtf/base/checksum.h"
#include "libxtf/disk/page.h"
#include "libxtf/totals/tables/batches.h"
#include "tests/fuzz/fuzz-structure.h"
#include "tests/rounds.h"

enum {
    PAGE = 4096,
    FEW_REGIONS = 5,
    MANY_REGIONS = 30, /* enough keys in leaves for totals in batches */
};

/* Writes a file of calls whose tree has three levels. Its stacks are deeper than the snapshot of a leaf. */
static void write_calls(const char *path, bool plain, unsigned regions)
{
    const CallShape shape = {.name = "deep", .rows = 24000, .deep = 100, .regions = regions, .orphans = 1, .jumps = 2};
    GError *error = NULL;
    g_autoptr(GRand) random = g_rand_new_with_seed(31);
    XtfWriterOptions options = {
        .page_size = PAGE, .codec = plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    XtfFieldSpec fields[6 + 40] = {0};
    char names[40][16];
    Calls *calls = random_calls(random, &shape);
    uint32_t id;

    memcpy(fields, call_fields, 5 * sizeof *fields);
    for (int i = 0; i < 40; i++) { /* wide rows with random numbers, which do not pack: leaves have few rows */
        g_snprintf(names[i], sizeof names[i], "filler%d", i);
        fields[5 + i] = (XtfFieldSpec){.name = names[i], .type = XTF_TYPE_U64};
    }
    g_autoptr(XtfSchema) schema = xtf_schema_new("calls", XTF_SCHEMA_RECORD, fields, &error);
    cr_assert_good(schema, error);
    cr_assert_good(xtf_schema_add_aggregate(schema, &call_aggregate, &error), error);
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    cr_assert_good(writer, error);
    cr_assert_good(xtf_writer_add_schema(writer, schema, &id, &error), error);
    XtfArrayWriter *array = xtf_writer_array(writer, 7, id, &error);
    g_autofree uint8_t *row = g_malloc0(schema->row_size);
    for (guint i = 0; i < calls->rows->len; i++) {
        memcpy(row, &g_array_index(calls->rows, CallRow, i), sizeof(CallRow));
        for (uint32_t at = sizeof(CallRow); at < schema->row_size; at++)
            row[at] = (uint8_t)g_rand_int(random);
        cr_assert_good(xtf_array_writer_append(array, row, &error), error);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    calls_free(calls);
}

static void write_file(const char *path, bool plain)
{
    write_calls(path, plain, FEW_REGIONS);
}

/* Returns the places of the file's companions. */
static GArray *find_companions(const char *bytes, gsize length)
{
    GArray *places = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (uint64_t place = 2; (place + 1) * PAGE <= length; place++) {
        const XtfDiskPage *head = (const XtfDiskPage *)(const void *)(bytes + place * PAGE);
        if (xtf_read32(head->magic) == XTF_PAGE_MAGIC && head->kind == XTF_PAGE_TOTALS)
            g_array_append_val(places, place);
    }
    cr_assert_gt(places->len, 1);
    return places;
}

/* Corrects a page's checksum. */
static void seal_page(char *bytes, gsize length, uint64_t place)
{
    XtfDiskPage *head = (XtfDiskPage *)(void *)(bytes + place * PAGE);
    uint32_t payload = xtf_read32(head->length);

    if (payload <= length - place * PAGE - sizeof *head)
        xtf_write32(&head->checksum, xtf_page_checksum(head, place, (const uint8_t *)(head + 1), payload));
}

static void assert_answer_or_damage(bool good, GError **error)
{
    cr_assert(good || g_error_matches(*error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", *error ? (*error)->message : "?");
    g_clear_error(error);
}

static XtfMatch match_some_groups(const uint64_t *key, unsigned depth, const void *data)
{
    (void)data;
    return depth == 0 ? XTF_MATCH_SOME : key[0] % 3 == 0 ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

static void read_everything(const char *path)
{
    GError *error = NULL;
    g_autoptr(GRand) random = g_rand_new_with_seed(32);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    XtfGroupFilter filter = {.match = match_some_groups};
    uint64_t number;

    for (int i = 0; i < 12; i++) {
        uint64_t a = (uint64_t)g_rand_int_range(random, 0, (gint32)array.n_rows), b = a + 1000 * (uint64_t)i;
        g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&array.schema->aggregates[0], (unsigned)i % 2);
        g_autoptr(XtfGroupTotals) times = xtf_group_totals_new(&array.schema->aggregates[0], 1);
        g_autofree XtfOpenFrame *frames = NULL;
        size_t n_frames;
        assert_answer_or_damage(xtf_array_totals(&array, 0, i % 3 ? &filter : NULL, a, b, totals, &error), &error);
        assert_answer_or_damage(xtf_array_stack(&array, 0, a, &frames, &n_frames, &error), &error);
        bool ranked = xtf_array_group_rank(&array, 0, &filter, b, &number, &error);
        cr_assert(!ranked || number <= b, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " rows", number, b);
        assert_answer_or_damage(ranked, &error);
        assert_answer_or_damage(xtf_array_group_select(&array, 0, &filter, a / 3, &number, &error), &error);
        assert_answer_or_damage(xtf_array_profile(&array, 0, array.first + a * 100, array.first + b * 900, array.first,
                                                  array.last, times, &error),
                                &error);
    }
}

static guint problems_of(const char *path)
{
    GError *error = NULL;
    g_autoptr(GString) problems = g_string_new(NULL);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfCheckReport report;

    cr_assert_good(xtf_trace_check(trace, count_problem, NULL, problems, &report, &error), error);
    return (guint)report.problems;
}

static void write_bytes(const char *path, const char *bytes, gsize length)
{
    GError *error = NULL;
    cr_assert_good(g_file_set_contents(path, bytes, (gssize)length, &error), error);
}

/* Returns the bytes of a companion before its tables: of the directory of its batches. */
static uint32_t bytes_before_tables(const XtfDiskPage *head)
{
    const uint32_t n = xtf_read32(head->count);

    return head->batch > 0 ? xtf_batches_directory_size(xtf_batches_count(n, head->batch)) : 0;
}

/* Changes one bit of a table at a time: in plain tables every bit has a meaning. */
static void check_flipped_bits(bool plain, unsigned regions)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *bytes = NULL;
    g_autoptr(GRand) random = g_rand_new_with_seed(33);
    gsize length;

    write_calls(path, plain, regions);
    cr_assert_eq(problems_of(path), 0);
    g_file_get_contents(path, &bytes, &length, NULL);
    g_autoptr(GArray) places = find_companions(bytes, length);
    for (unsigned i = 0; i < TEST_ROUNDS(60); i++) {
        uint64_t place = g_array_index(places, uint64_t, g_rand_int(random) % places->len);
        g_autofree char *damaged = g_memdup2(bytes, length);
        const XtfDiskPage *head = (const XtfDiskPage *)(const void *)(bytes + place * PAGE);
        uint32_t before = bytes_before_tables(head), payload = xtf_read32(head->length);
        uint32_t at = (uint32_t)sizeof(XtfDiskPage) + before + g_rand_int(random) % (payload - before);
        cr_assert_eq(before > 0, regions == MANY_REGIONS);
        damaged[place * PAGE + at] ^= 1;
        fuzz_correct_checksums((uint8_t *)damaged, length, NULL);
        write_bytes(path, damaged, length);
        read_everything(path);
        guint problems = problems_of(path);
        cr_assert(problems > 0 || !plain, "byte %u of companion %" G_GUINT64_FORMAT, at, place);
    }
    remove_folder(folder);
}

/* FORMAT R67 */
Test(totals_damage, bits_of_plain_tables)
{
    check_flipped_bits(true, FEW_REGIONS);
}

/* FORMAT R67 */
Test(totals_damage, bits_of_plain_batches)
{
    check_flipped_bits(true, MANY_REGIONS);
}

Test(totals_damage, bits_of_packed_batches)
{
    check_flipped_bits(false, MANY_REGIONS);
}

Test(totals_damage, bits_of_packed_tables)
{
    check_flipped_bits(false, FEW_REGIONS);
}

/* Numbers that are far too great, or 0. */
/* FORMAT R66, R67 */
Test(totals_damage, wrong_lengths_and_counts)
{
    const struct {
        uint32_t at, value;
    } cases[] = {
        {offsetof(XtfDiskPage, length), UINT32_MAX},
        {offsetof(XtfDiskPage, length), 0},
        {offsetof(XtfDiskPage, count), 1},
        {offsetof(XtfDiskPage, array), 99},
        {offsetof(XtfDiskPage, kind), XTF_PAGE_INDEX},
        {sizeof(XtfDiskPage) + offsetof(XtfDiskTotals, n_rows), UINT32_MAX},
        {sizeof(XtfDiskPage) + offsetof(XtfDiskTotals, n_rows), 0},
        {sizeof(XtfDiskPage) + offsetof(XtfDiskTotals, length), UINT32_MAX},
        {sizeof(XtfDiskPage) + offsetof(XtfDiskTotals, length), 0},
    };
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *bytes = NULL;
    gsize length;

    for (int plain = 0; plain < 2; plain++) {
        g_clear_pointer(&bytes, g_free);
        write_file(path, plain);
        g_file_get_contents(path, &bytes, &length, NULL);
        g_autoptr(GArray) places = find_companions(bytes, length);
        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
            uint64_t place = g_array_index(places, uint64_t, i % places->len);
            g_autofree char *damaged = g_memdup2(bytes, length);
            XtfLe32 value;
            xtf_write32(&value, cases[i].value);
            memcpy(damaged + place * PAGE + cases[i].at, &value, sizeof value);
            seal_page(damaged, length, place);
            write_bytes(path, damaged, length);
            read_everything(path);
            cr_assert_gt(problems_of(path), 0, "case %zu", i);
        }
    }
    remove_folder(folder);
}

/* Finds the begin and the end of the totals in the right edge of the file's only array. */
static void find_edge_totals(const char *path, const char *bytes, gsize *start, gsize *end)
{
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    const XtfDiskOpen *heads = (const XtfDiskOpen *)(const void *)(bytes + array.edge_offset + sizeof(XtfDiskEdge));

    *start = array.edge_offset + sizeof(XtfDiskEdge) + array.height * sizeof *heads;
    *end = array.edge_offset + array.edge_length;
    for (unsigned level = 1; level < array.height; level++)
        *start += xtf_read32(heads[level].length);
    cr_assert_gt(array.height, 2);
    cr_assert_lt(*start, *end);
}

static void check_flipped_bits_of_edge(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *bytes = NULL;
    g_autoptr(GRand) random = g_rand_new_with_seed(34);
    gsize length, start, end;

    write_file(path, plain);
    g_file_get_contents(path, &bytes, &length, NULL);
    find_edge_totals(path, bytes, &start, &end);
    for (unsigned i = 0; i < TEST_ROUNDS(60); i++) {
        g_autofree char *damaged = g_memdup2(bytes, length);
        gsize at = i < 4 ? start + (gsize)i : start + g_rand_int(random) % (end - start); /* first 4 bytes: length */
        damaged[at] ^= 1;
        fuzz_correct_checksums((uint8_t *)damaged, length, NULL);
        write_bytes(path, damaged, length);
        read_everything(path);
        guint problems = problems_of(path);
        cr_assert(problems > 0 || !plain, "byte %zu of the right edge's totals", at - start);
    }
    remove_folder(folder);
}

Test(totals_damage, bits_of_plain_edges)
{
    check_flipped_bits_of_edge(true);
}

Test(totals_damage, bits_of_packed_edges)
{
    check_flipped_bits_of_edge(false);
}

/* Groups that count more rows than exist. The page does not state the rows of the last child. In the first child one
 * group has 2^40 too many, and another 2^40 too few: their sum is correct modulo 2^64. */
/* FORMAT R68 */
Test(totals_damage, too_great_counts)
{
    enum { TOTALS_ROW = 8 + 1 + 8 + 8 * XTF_FRAMES_CELLS, BEGUN = 8 + 1 + 8 };
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *bytes = NULL;
    gsize length;

    write_file(path, true);
    g_file_get_contents(path, &bytes, &length, NULL);
    g_autoptr(GArray) places = find_companions(bytes, length);
    for (int last = 0; last < 2; last++) {
        uint64_t place = g_array_index(places, uint64_t, 0);
        g_autofree char *damaged = g_memdup2(bytes, length);
        uint64_t first_n = xtf_read64(((const XtfDiskPage *)(const void *)(damaged + place * PAGE))->first_n);
        char *table = damaged + place * PAGE + sizeof(XtfDiskPage), *rows = table + sizeof(XtfDiskTotals);
        uint32_t n_rows = xtf_read32(((const XtfDiskTotals *)(const void *)table)->n_rows);
        XtfLe64 *count = (XtfLe64 *)(void *)(rows + (last ? (n_rows - 1) * TOTALS_ROW : 0) + BEGUN);
        xtf_write64(count, xtf_read64(*count) + (UINT64_C(1) << 40));
        if (!last) {
            XtfLe64 *next_count = (XtfLe64 *)(void *)((char *)count + TOTALS_ROW);
            xtf_write64(next_count, xtf_read64(*next_count) - (UINT64_C(1) << 40));
        }
        seal_page(damaged, length, place);
        write_bytes(path, damaged, length);
        read_everything(path);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        XtfArray array = find_array(trace, 7, 0);
        XtfGroupFilter filter = {.match = match_some_groups};
        g_autoptr(GError) error = NULL;
        uint64_t number;
        uint64_t inside = first_n + 1000; /* so the root's totals are not enough */
        cr_assert_not(xtf_array_group_rank(&array, 0, &filter, inside, &number, &error));
        cr_assert_not_null(strstr(error->message, "count more rows"), "%s", error->message);
    }
    remove_folder(folder);
}

/* An index page that refers to the companion of another page, to another page, or to none. */
Test(totals_damage, wrong_companions)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *bytes = NULL;
    gsize length;

    write_file(path, true);
    g_file_get_contents(path, &bytes, &length, NULL);
    g_autoptr(GArray) places = find_companions(bytes, length);
    uint64_t own = g_array_index(places, uint64_t, 0), second = g_array_index(places, uint64_t, 1);
    const uint64_t wrong_places[] = {0, second, 1, length / PAGE + 7};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong_places); i++) {
        g_autofree char *damaged = g_memdup2(bytes, length);
        uint64_t changed = 0;
        for (uint64_t place = 2; (place + 1) * PAGE <= length; place++) {
            XtfDiskPage *head = (XtfDiskPage *)(void *)(damaged + place * PAGE);
            if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_INDEX ||
                place + xtf_read32(head->companion) != own)
                continue;
            xtf_write32(&head->companion, wrong_places[i] == 0 ? 0 : (uint32_t)(wrong_places[i] - place));
            seal_page(damaged, length, place);
            changed++;
        }
        cr_assert_eq(changed, 1);
        write_bytes(path, damaged, length);
        read_everything(path);
        cr_assert_gt(problems_of(path), 0);
    }
    remove_folder(folder);
}
