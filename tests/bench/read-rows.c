/*
 * Measures reading all records: every row of every record array, by cursors, in the library, on one core.
 *
 *     read-rows [--rows] FILE.xtf
 *
 * The figure is the median processor time of a few rounds. The file is in the system's cache. The page cache has its
 * default size, of which the rows fill little.
 */
#include <inttypes.h>

#include "bench.h"
#include "libxtf/xtf.h"

enum { ROUNDS = 3 };

/* Reads all rows of an array, and adds up a byte of each. Returns the number of rows. */
static uint64_t read_array(const XtfArray *array, uint64_t *sum)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfCursor) cursor;
    uint32_t row_size = array->schema->row_size;
    uint64_t n_rows = 0;
    bool found;

    xtf_cursor_init(&cursor, array);
    bench_check(xtf_cursor_seek_n(&cursor, 0, &found, &error), error, "seek");
    while (found) {
        uint64_t n = xtf_cursor_available(&cursor);
        const uint8_t *rows = xtf_cursor_row(&cursor);
        for (uint64_t i = 0; i < n; i++, rows += row_size)
            *sum += rows[row_size - 1];
        n_rows += n;
        bench_check(xtf_cursor_next(&cursor, (int64_t)n, &found, &error), error, "next");
    }
    return n_rows;
}

static uint64_t read_trace(const char *path, uint64_t *sum)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    uint64_t n_rows = 0;

    bench_check(trace, error, "%s", path);
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        bench_check(xtf_trace_get_arrays(trace, rank, 1, &array, &error), error, "%s", path);
        if (array.schema->kind == XTF_SCHEMA_RECORD)
            n_rows += read_array(&array, sum);
    }
    return n_rows;
}

int main(int argc, char **argv)
{
    gboolean rows_only = FALSE;
    const GOptionEntry entries[] = {
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("FILE.xtf");
    g_autoptr(GError) error = NULL;
    double times[ROUNDS];
    uint64_t n_rows = 0, sum = 0;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error), error, "bad arguments");
    bench_check(argc == 2, NULL, "usage: read-rows [--rows] FILE.xtf");
    for (int i = 0; i < ROUNDS; i++) {
        double before = bench_processor_time();
        n_rows = read_trace(argv[1], &sum);
        times[i] = bench_processor_time() - before;
    }
    if (!rows_only)
        bench_head();
    double seconds = bench_median(times, ROUNDS);
    bench_row("all records, by cursors", "at least 40 M records/s", NULL, "%.1f M records/s; %" PRIu64 " of them",
              (double)n_rows / seconds / 1e6, n_rows);
    return sum == 1 ? 1 : 0; /* uses the sum, so that the compiler keeps the reads */
}
