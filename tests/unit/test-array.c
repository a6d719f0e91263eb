/* Arrays: every primitive, against rows in memory. */
#include "fixture.h"
#include "tests/rounds.h"

typedef struct {
    uint32_t page_size, rows, ties;
} Shape;

/* Arrays of less than a page up to four levels; no rows, some rows, or all rows with the time of the row before. */
static const Shape shapes[] = {
    {4096, 1, 0},      {4096, 2, 100},    {4096, 191, 30},      {4096, 192, 30},
    {4096, 193, 30},   {4096, 10000, 0},  {4096, 10000, 50},    {4096, 10000, 100},
    {4096, 10000, 99}, {16384, 3000, 30}, {1 << 20, 100000, 5}, {4096, 40000, 90},
};

static void check_ranks(const XtfArray *array, const GArray *rows, GRand *random)
{
    GError *error = NULL;
    uint64_t last = g_array_index(rows, TestRow, rows->len - 1).time;

    for (unsigned i = 0; i < TEST_ROUNDS(300); i++) {
        uint64_t a = g_rand_double(random) * (double)(last + 2), b = g_rand_double(random) * (double)(last + 2);
        if (i % 3 == 0) /* the time of a row */
            a = g_array_index(rows, TestRow, g_rand_int(random) % rows->len).time;
        uint64_t rank, size;
        cr_assert_good(xtf_array_rank(array, a, &rank, &error), error);
        cr_assert_eq(rank, naive_rank(rows, a));
        cr_assert_good(xtf_array_size_t(array, a, b, &size, &error), error);
        cr_assert_eq(size, a < b ? naive_rank(rows, b) - naive_rank(rows, a) : 0);
    }
}

static void check_rows(const XtfArray *array, const GArray *rows, GRand *random)
{
    GError *error = NULL;

    for (unsigned i = 0; i < TEST_ROUNDS(300); i++) {
        uint64_t n = g_rand_int(random) % rows->len, t;
        const TestRow *expected = &g_array_index(rows, TestRow, n);
        TestRow row;
        cr_assert_good(xtf_array_row(array, n, (uint8_t *)&row, &error), error);
        cr_assert_eq(memcmp(&row, expected, sizeof row), 0);
        cr_assert_good(xtf_array_time(array, n, &t, &error), error);
        cr_assert_eq(t, expected->time);
    }
}

static void check_cursor(const XtfArray *array, const GArray *rows, GRand *random)
{
    GError *error = NULL;
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (uint64_t n = 0; n < rows->len; n++) {
        cr_assert(found);
        cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &g_array_index(rows, TestRow, n), sizeof(TestRow)), 0);
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
    cr_assert_not(found);
    cr_assert_good(xtf_cursor_seek_n(&cursor, rows->len - 1, &found, &error), error);
    for (uint64_t n = rows->len; n-- > 0;) {
        cr_assert(found);
        cr_assert_eq(cursor.n, n);
        cr_assert_eq(xtf_cursor_time(&cursor), g_array_index(rows, TestRow, n).time);
        cr_assert_good(xtf_cursor_next(&cursor, -1, &found, &error), error);
    }
    cr_assert_not(found);
    for (unsigned i = 0; i < TEST_ROUNDS(200); i++) { /* jumps, also beyond the ends, and searches */
        uint64_t n = g_rand_int(random) % rows->len;
        int64_t step = g_rand_int_range(random, -(gint32)rows->len, (gint32)rows->len + 1);
        cr_assert_good(xtf_cursor_seek_n(&cursor, n, &found, &error), error);
        cr_assert_good(xtf_cursor_next(&cursor, step, &found, &error), error);
        bool exists = (int64_t)n + step >= 0 && (int64_t)n + step < (int64_t)rows->len;
        cr_assert_eq(found, exists);
        if (exists)
            cr_assert_eq(memcmp(xtf_cursor_row(&cursor), &g_array_index(rows, TestRow, n + step), sizeof(TestRow)), 0);
        uint64_t t = g_array_index(rows, TestRow, n).time + (uint64_t)(i % 2);
        uint64_t rank = naive_rank(rows, t);
        cr_assert_good(xtf_cursor_seek_t(&cursor, t, &found, &error), error);
        cr_assert_eq(found, rank < rows->len);
        if (found)
            cr_assert_eq(cursor.n, rank);
    }
}

static void check_primitives(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);

    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        g_autoptr(GArray) rows = random_rows(random, shapes[i].rows, shapes[i].ties);
        write_rows(path, shapes[i].page_size, plain, rows);
        for (size_t cache = 1; cache <= 64 << 20; cache *= 64) { /* the cache holds from no block to all blocks */
            g_autoptr(XtfTrace) trace = open_trace(path, cache);
            XtfArray array = find_array(trace, 7, 0);
            cr_assert_eq(array.n_rows, rows->len);
            check_ranks(&array, rows, random);
            check_rows(&array, rows, random);
            check_cursor(&array, rows, random);
        }
        g_autoptr(XtfTrace) trace = open_trace(path, 0);
        cr_assert_eq(assert_sound(trace).rows, rows->len);
    }
    remove_folder(folder);
}

Test(array, primitives_agree_with_memory)
{
    check_primitives(true);
}

Test(array, primitives_agree_with_memory_for_packed_rows)
{
    check_primitives(false);
}

Test(array, a_search_visits_one_page_a_level)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(2);
    g_autoptr(GArray) rows = random_rows(random, 60000, 20);
    GError *error = NULL;

    write_rows(path, 4096, true, rows);
    g_autoptr(XtfTrace) trace = open_trace(path, 0);
    XtfArray array = find_array(trace, 7, 0);
    /* 60000 rows, 192 a leaf: 313 leaves; 168 entries an index page: 2 pages, then 1 */
    cr_assert_eq(xtf_array_height(&array), 3);
    for (int i = 0; i < 100; i++) {
        XtfCounters before, after;
        uint64_t rank, t = g_array_index(rows, TestRow, 1 + g_rand_int(random) % (rows->len - 1)).time;
        xtf_trace_get_counters(trace, &before);
        cr_assert_good(xtf_array_rank(&array, t, &rank, &error), error);
        xtf_trace_get_counters(trace, &after);
        cr_assert_leq(after.page_visits - before.page_visits, 3);
        cr_assert_leq(after.key_comparisons - before.key_comparisons, 1 + 8 + 8); /* searches in 2, 168 and 192 keys */
    }
    remove_folder(folder);
}

Test(array, the_pages_of_the_papers_example)
{
    /* The pages of the paper have no header: S = 4096 / 24 = 170 entries, Z = 4096 / 64 = 64 rows. XTF's pages have a
     * header of 64 bytes: S = 168, Z = 63. */
    const struct {
        uint64_t s, z, pages[5], index_pages;
    } geometries[] = {
        {170, 64, {1, 6, 908, 154203, 26214400}, 155118},
        {168, 63, {1, 6, 944, 158515, 26630502}, 159466},
    };
    for (size_t g = 0; g < G_N_ELEMENTS(geometries); g++) {
        uint64_t pages = (1677721600 + geometries[g].z - 1) / geometries[g].z, index_pages = 0;
        for (int level = 4; level >= 0; level--) {
            cr_assert_eq(pages, geometries[g].pages[level]);
            index_pages += level < 4 ? pages : 0;
            pages = (pages + geometries[g].s - 1) / geometries[g].s;
        }
        cr_assert_eq(index_pages, geometries[g].index_pages);
    }
}

static void check_sources(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    g_autoptr(GArray) rows = random_rows(random, 5000, 20);
    GError *error = NULL;
    char *content;
    gsize length;

    write_rows(path, 4096, plain, rows);
    cr_assert(g_file_get_contents(path, &content, &length, NULL));
    g_autoptr(GBytes) bytes = g_bytes_new_take(content, length);
    XtfSource *sources[] = {
        xtf_source_open_pread(path, &error),
        xtf_source_open_mmap(path, &error),
        xtf_source_new_bytes(bytes),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(sources); i++) {
        g_autoptr(XtfTrace) trace = xtf_trace_open_source(sources[i], NULL, &error);
        cr_assert_good(trace, error);
        XtfArray array = find_array(trace, 7, 0);
        check_rows(&array, rows, random);
    }
    remove_folder(folder);
}

Test(array, all_sources_give_the_same_rows)
{
    check_sources(true);
    check_sources(false);
}

typedef struct {
    XtfTrace *trace;
    const GArray *rows;
    guint32 seed;
} Reader;

static gpointer read_at_random(gpointer data)
{
    Reader *reader = data;
    g_autoptr(GRand) random = g_rand_new_with_seed(reader->seed);
    XtfArray array = find_array(reader->trace, 7, 0);

    check_ranks(&array, reader->rows, random);
    check_rows(&array, reader->rows, random);
    check_cursor(&array, reader->rows, random);
    return NULL;
}

static void check_threads(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GRand) random = g_rand_new_with_seed(4);
    g_autoptr(GArray) rows = random_rows(random, 20000, 20);
    Reader readers[8];
    GThread *threads[8];

    write_rows(path, 4096, plain, rows);
    g_autoptr(XtfTrace) trace = open_trace(path, 64 << 10);
    for (int i = 0; i < 8; i++) {
        readers[i] = (Reader){.trace = trace, .rows = rows, .seed = (guint32)i};
        threads[i] = g_thread_new("reader", read_at_random, &readers[i]);
    }
    for (int i = 0; i < 8; i++)
        g_thread_join(threads[i]);
    XtfCounters counters;
    xtf_trace_get_counters(trace, &counters);
    cr_assert_eq(counters.cache_pinned_bytes, 0);
    cr_assert_leq(counters.cache_bytes, counters.cache_limit);
    cr_assert_gt(counters.cache_evictions, 0);
    remove_folder(folder);
}

Test(array, many_threads_share_a_small_cache)
{
    check_threads(true);
    check_threads(false);
}
