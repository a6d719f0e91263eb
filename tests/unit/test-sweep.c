/* Sweeps: they return the same rows as the trace's cache, of arrays in any order, small or large, intact or damaged. */
#include "fixture.h"

#include "libxtf/sweep.h"

enum { LOCATIONS = 600, LARGE = 7, LARGE_ROWS = 60000, CACHE_BYTES = 1 << 20 };

/* Returns few rows for most locations, and many for some. */
static GArray *rows_of(GRand *random, uint64_t location)
{
    uint32_t n = location % 100 == LARGE ? LARGE_ROWS : (uint32_t)g_rand_int_range(random, 1, 60);

    return random_rows(random, n, 20);
}

static GPtrArray *write_locations(const char *path, bool plain)
{
    const XtfWriterOptions options = {.codec = plain ? "plain" : NULL, .no_sync = true, .origin = UINT64_MAX};
    g_autoptr(GRand) random = g_rand_new_with_seed(5);
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);

    cr_assert_good(writer, error);
    uint32_t schema = add_schema(writer, "calls");
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        GArray *rows = rows_of(random, i);
        append_rows(writer, i, schema, rows, 0, rows->len);
        g_ptr_array_add(all, rows);
    }
    cr_assert_good(xtf_writer_close(writer, &error), error);
    return all;
}

/* Compares all rows by a cursor, and ranks, with rows in memory. */
static void assert_location(XtfSweep *sweep, XtfTrace *trace, uint64_t location, const GArray *rows)
{
    XtfArray array = find_array(trace, location, 0);
    g_auto(XtfCursor) cursor;
    GError *error = NULL;
    bool found;
    guint n = 0;

    xtf_sweep_take(sweep, &array);
    for (guint i = 0; i < rows->len; i += 1 + rows->len / 5) {
        uint64_t t = g_array_index(rows, TestRow, i).time, rank;
        cr_assert_good(xtf_array_rank(&array, t, &rank, &error), error);
        cr_assert_eq(rank, naive_rank(rows, t));
    }
    xtf_cursor_init(&cursor, &array);
    cr_assert_good(xtf_cursor_seek_n(&cursor, 0, &found, &error), error);
    for (; found; n++) {
        cr_assert_arr_eq(xtf_cursor_row(&cursor), &g_array_index(rows, TestRow, n), sizeof(TestRow));
        cr_assert_good(xtf_cursor_next(&cursor, 1, &found, &error), error);
    }
    cr_assert_eq(n, rows->len);
}

static uint64_t cache_loads(const XtfTrace *trace)
{
    XtfCounters counters;

    xtf_trace_get_counters(trace, &counters);
    return counters.cache_loads;
}

static void check_sweep(bool plain)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GPtrArray) all = write_locations(path, plain);
    g_autoptr(XtfTrace) trace = open_trace(path, CACHE_BYTES);
    g_autoptr(XtfSweep) sweep = xtf_sweep_new(trace);

    for (uint64_t i = 0; i < LOCATIONS; i++)
        assert_location(sweep, trace, i, all->pdata[i]);
    for (uint64_t i = 0; i < LOCATIONS; i += 17) /* in another order */
        assert_location(sweep, trace, LOCATIONS - 1 - i, all->pdata[LOCATIONS - 1 - i]);
    remove_folder(folder);
}

Test(sweep, arrays_are_read_in_any_order)
{
    check_sweep(false);
    check_sweep(true);
}

Test(sweep, the_cache_of_the_trace_is_not_used)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL);
    g_autoptr(GPtrArray) all = write_locations(path, false);
    g_autoptr(XtfTrace) trace = open_trace(path, CACHE_BYTES);
    g_autoptr(XtfSweep) sweep = xtf_sweep_new(trace);
    XtfArray array = find_array(trace, LARGE, 0);
    GError *error = NULL;
    uint64_t rank, expected = naive_rank(all->pdata[LARGE], array.last);

    uint64_t before = cache_loads(trace);
    xtf_sweep_take(sweep, &array);
    cr_assert_good(xtf_array_rank(&array, array.last, &rank, &error), error);
    cr_assert_eq(rank, expected);
    cr_assert_eq(cache_loads(trace), before);
    xtf_sweep_take(NULL, &array);
    cr_assert_good(xtf_array_rank(&array, array.last, &rank, &error), error);
    cr_assert_eq(rank, expected);
    cr_assert_gt(cache_loads(trace), before);
    remove_folder(folder);
}

/* A byte of every fourth edge is flipped. Only these arrays are damaged, not the arrays that are read together with
 * them. */
/* FORMAT R2 */
Test(sweep, damage_affects_only_its_array)
{
    char *folder = make_folder();
    g_autofree char *path = g_build_filename(folder, "a.xtf", NULL), *bytes = NULL;
    g_autoptr(GPtrArray) all = write_locations(path, false);
    GError *error = NULL;
    gsize length;

    cr_assert_good(g_file_get_contents(path, &bytes, &length, &error), error);
    XtfTrace *sound = open_trace(path, CACHE_BYTES);
    for (uint64_t i = 0; i < LOCATIONS; i += 4)
        bytes[find_array(sound, i, 0).edge_offset] ^= 1;
    xtf_trace_unref(sound);
    cr_assert_good(g_file_set_contents(path, bytes, (gssize)length, &error), error);

    g_autoptr(XtfTrace) trace = open_trace(path, CACHE_BYTES);
    g_autoptr(XtfSweep) sweep = xtf_sweep_new(trace);
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        XtfArray array = find_array(trace, i, 0);
        uint64_t rank;
        xtf_sweep_take(sweep, &array);
        if (i % 4 != 0) {
            assert_location(sweep, trace, i, all->pdata[i]);
        } else if (array.n_rows > 1 && array.last > array.first) {
            cr_assert_not(xtf_array_rank(&array, array.last, &rank, &error));
            cr_assert(g_error_matches(error, XTF_ERROR, XTF_ERROR_DAMAGED), "%s", error->message);
            g_clear_error(&error);
        }
    }
    remove_folder(folder);
}
