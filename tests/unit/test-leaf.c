/* Packed leaves: how full their pages are, and the cost of reading them. */
#include "fixture.h"

#include "libxtf/disk/codec.h"
#include "libxtf/disk/format.h"

enum { PAGE = 4096, ROWS = 200000 };

typedef struct {
    uint64_t pages, capped; /* sealed leaves; number of leaves with the most rows allowed */
    double fill;            /* mean fill of the other leaves */
    double least;
} Fill;

/* Measures the pages of a file without the library. */
static Fill measure_fill(const char *path)
{
    g_autofree char *content = NULL;
    gsize size;
    Fill fill = {.least = 1};
    double sum = 0;

    cr_assert(g_file_get_contents(path, &content, &size, NULL));
    for (gsize at = XTF_RESERVED_BYTES; at + PAGE <= size; at += PAGE) {
        const XtfDiskPage *head = (const XtfDiskPage *)(content + at);
        if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_LEAF)
            continue;
        cr_assert_eq(head->codec, XTF_CODEC_COMPACT);
        double share = xtf_read32(head->length) / (double)(PAGE - sizeof *head);
        fill.pages++;
        if (xtf_read32(head->count) == XTF_LEAF_ROWS_PER_BYTE * PAGE) {
            fill.capped++;
            continue;
        }
        sum += share;
        fill.least = MIN(fill.least, share);
    }
    fill.fill = sum / (double)(fill.pages - fill.capped);
    return fill;
}

static void assert_same_rows(const char *path, const GArray *rows)
{
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    g_auto(XtfCursor) cursor;
    bool found;

    assert_sound(trace);
    cr_assert_eq(array.n_rows, rows->len);
    xtf_cursor_init(&cursor, &array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (guint n = 0; n < rows->len; n += (guint)xtf_cursor_available(&cursor)) {
        if (n > 0)
            cr_assert_good(xtf_cursor_next(&cursor, (int64_t)(n - cursor.n), &found, &error), error);
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &g_array_index(rows, TestRow, n),
                            xtf_cursor_available(&cursor) * sizeof(TestRow)),
                     0);
    }
}

/* Adds rows as of a program's loop: steps of a few lengths, and few different values. */
static void add_loop(GArray *rows, GRand *random, uint64_t *time, guint count)
{
    for (guint i = 0; i < count; i++) {
        *time += 100 + (uint64_t)g_rand_int_range(random, 0, 1 + (i % 8) * 16);
        TestRow row = {.time = *time, .seq = rows->len, .value = (int32_t)(i % 8), .event = i & 1};
        g_array_append_val(rows, row);
    }
}

/* Adds rows with steps of all magnitudes, and random values. */
static void add_noise(GArray *rows, GRand *random, uint64_t *time, guint count)
{
    for (guint i = 0; i < count; i++) {
        *time += g_rand_int(random) >> g_rand_int_range(random, 12, 32);
        TestRow row = {.time = *time, .seq = rows->len, .value = (int32_t)g_rand_int(random), .event = i & 1};
        g_array_append_val(rows, row);
    }
}

static GArray *rows_of_kind(GRand *random, int kind)
{
    GArray *rows = g_array_new(FALSE, TRUE, sizeof(TestRow));
    uint64_t time = 1000;

    for (guint done = 0; done < ROWS; done += ROWS / 8) {
        if (kind == 0 || (kind == 2 && done / (ROWS / 8) % 2 == 0))
            add_loop(rows, random, &time, ROWS / 8);
        else
            add_noise(rows, random, &time, ROWS / 8);
    }
    return rows;
}

Test(leaf, pages_are_full)
{
    static const char *const kinds[] = {"a loop", "noise", "both in turn"};
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(8);

    for (int kind = 0; kind < (int)G_N_ELEMENTS(kinds); kind++) {
        g_autoptr(GArray) rows = rows_of_kind(random, kind);
        write_rows(path, PAGE, false, rows);
        Fill fill = measure_fill(path);
        cr_assert_gt(fill.pages, 30, "%s: %" G_GUINT64_FORMAT " pages", kinds[kind], fill.pages);
        cr_assert_eq(fill.capped, 0);
        cr_assert_geq(fill.fill, 0.90, "%s: filled to %.3f", kinds[kind], fill.fill);
        cr_assert_geq(fill.least, 0.50, "%s: one filled to %.3f only", kinds[kind], fill.least);
        assert_same_rows(path, rows);
    }
    remove_folder(folder);
}

/* FORMAT W48, R42 */
Test(leaf, the_rows_of_a_leaf_are_bounded)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(TestRow));

    for (uint64_t i = 0; i < 5 * XTF_LEAF_ROWS_PER_BYTE * PAGE; i++) {
        TestRow row = {.time = 10 * i, .seq = i};
        g_array_append_val(rows, row);
    }
    write_rows(path, PAGE, false, rows);
    Fill fill = measure_fill(path);
    cr_assert_eq(fill.pages, 4); /* the fifth is open, as no row follows it */
    cr_assert_eq(fill.capped, 4);
    assert_same_rows(path, rows);
    remove_folder(folder);
}

Test(leaf, counting_decodes_no_more_than_times)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(9);
    g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(TestRow));
    GError *error = NULL;
    uint64_t time = 0, n, loads;
    XtfCounters counters;

    add_loop(rows, random, &time, ROWS);
    write_rows(path, PAGE, false, rows);
    uint64_t leaves = measure_fill(path).pages + 1;
    g_autoptr(XtfTrace) trace = open_trace(path, 64 << 20);
    XtfArray array = find_array(trace, 7, 0);
    for (guint i = 1; i < rows->len; i += 100) {
        cr_assert_good(xtf_array_rank(&array, g_array_index(rows, TestRow, i).time, &n, &error), error);
        cr_assert_eq(n, i);
    }
    xtf_trace_get_counters(trace, &counters);
    cr_assert_leq(counters.cache_bytes, ROWS * sizeof(uint64_t) + 3 * (leaves + 10) * PAGE / 2);
    loads = counters.cache_loads;
    cr_assert_leq(loads, 2 * leaves + 10); /* each leaf's page, and its times */
    for (guint i = 0; i < rows->len; i += 100)
        cr_assert_good(xtf_array_time(&array, i, &n, &error), error);
    xtf_trace_get_counters(trace, &counters);
    cr_assert_eq(counters.cache_loads, loads); /* all times are cached */
    remove_folder(folder);
}

Test(leaf, an_array_keeps_its_codec)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(10);
    g_autoptr(GArray) rows = random_rows(random, 5000, 10);
    const bool plain[] = {true, false, true};
    GError *error = NULL;

    /* Each writer begins a new array, and continues the arrays of the previous writers. */
    for (guint number = 0; number < G_N_ELEMENTS(plain); number++) {
        XtfWriterOptions options = {
            .page_size = PAGE, .codec = plain[number] ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
        XtfWriter *writer =
            number == 0 ? xtf_writer_create(path, &options, &error) : xtf_writer_open(path, &options, &error);
        cr_assert_good(writer, error);
        uint32_t schema = add_schema(writer, "calls");
        for (guint location = 0; location <= number; location++) {
            guint from = (number - location) * 1000;
            append_rows(writer, location, schema, rows, from, from + 1000);
        }
        cr_assert_good(xtf_writer_close(writer, &error), error);
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        assert_sound(trace);
        for (guint location = 0; location <= number; location++) {
            XtfArray array = find_array(trace, location, schema);
            TestRow row;
            cr_assert_eq(array.codec, plain[location] ? XTF_CODEC_PLAIN : XTF_CODEC_COMPACT);
            cr_assert_eq(array.n_rows, (number - location + 1) * 1000);
            for (uint64_t n = 0; n < array.n_rows; n++) {
                cr_assert_good(xtf_array_row(&array, n, (uint8_t *)&row, &error), error);
                cr_assert_eq(memcmp(&row, &g_array_index(rows, TestRow, n), sizeof row), 0);
            }
        }
    }
    remove_folder(folder);
}
