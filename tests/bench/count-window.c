/*
 * Measures counting records in a window of time in the library, compared with sorted arrays of times in memory. The
 * folder peers/ measures the same in other programs.
 *
 *     count-window [--records N] [--cache MIB] [--dir DIR] [--rows] [FILE.xtf]
 *
 * Without FILE it generates a trace of N records (default 5 million) in 8 locations. Windows are at random places of
 * the trace. A count is of one location's records, of the type with the most records there. All counts of XTF are
 * compared with counts in the arrays.
 *
 * The page cache has its default size, or that of --cache; the arrays use the machine's memory. Warm: all windows were
 * counted before. Random: each window is counted for the first time, with the default cache and with one of 64 MiB. The
 * figure is the mean processor time. Cold: the file was dropped from the system's cache, and is opened again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"
#include "synthetic.h"

enum {
    WINDOWS = 400,
    RANDOM_WINDOWS = 20000,
    COLD_WINDOWS = 15,
    REPEATS = 5,
};

static const double BUDGET = 1.5; /* seconds for the warm windows of one width, for XTF or the arrays */

typedef struct {
    uint32_t array; /* index */
    uint64_t from, to;
} Window;

typedef struct {
    const char *path;
    uint64_t cache_mib;
    XtfTrace *trace;
    GArray *arrays;   /* of XtfArray: arrays of records, in the file's order */
    uint64_t **times; /* times of their rows */
    GArray *busiest;  /* of uint32_t: for each location its array with the most records */
    uint64_t records;
} Bench;

static uint64_t xtf_count(const XtfArray *array, const Window *window)
{
    g_autoptr(GError) error = NULL;
    uint64_t size;

    bench_check(xtf_array_size_t(array, window->from, window->to, &size, &error), error, "count");
    return size;
}

/* Chooses n windows of a share of the trace's time, at random places. */
static void choose_windows(const Bench *bench, double share, uint64_t *random, Window *windows, size_t n)
{
    const XtfClock *clock = xtf_trace_clock(bench->trace);
    uint64_t span = clock->last + 1 - clock->first, width = MAX(1, (uint64_t)((double)span * share));

    for (size_t i = 0; i < n; i++) {
        uint64_t from = clock->first + bench_below(random, span - width + 1);
        uint32_t array = g_array_index(bench->busiest, uint32_t, bench_below(random, bench->busiest->len));
        windows[i] = (Window){array, from, from + width};
    }
}

static const XtfArray *array_of(const Bench *bench, const Window *window)
{
    return &g_array_index(bench->arrays, XtfArray, window->array);
}

static uint64_t lower_bound(const uint64_t *values, uint64_t n, uint64_t key)
{
    uint64_t low = 0, high = n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (values[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t memory_count(const Bench *bench, const Window *window)
{
    const uint64_t *times = bench->times[window->array];
    uint64_t n = array_of(bench, window)->n_rows;

    return lower_bound(times, n, window->to) - lower_bound(times, n, window->from);
}

static uint64_t count_by(const Bench *bench, bool by_xtf, const Window *window)
{
    return by_xtf ? xtf_count(array_of(bench, window), window) : memory_count(bench, window);
}

/* Returns the median time of a count, over windows that were counted before. The budget bounds the number of windows.
 */
static double warm_time(const Bench *bench, bool by_xtf, const Window *windows)
{
    g_autofree double *times = g_new(double, WINDOWS *REPEATS);
    size_t n = 0, n_windows = 0;

    for (double begin = bench_now(); n_windows < WINDOWS && (n_windows < 3 || bench_now() - begin < BUDGET);
         n_windows++) {
        uint64_t found = count_by(bench, by_xtf, &windows[n_windows]), right = memory_count(bench, &windows[n_windows]);
        bench_check(found == right, NULL, "XTF counts %" PRIu64 " where there are %" PRIu64, found, right);
    }
    double begin = bench_now();
    for (int repeat = 0; repeat < REPEATS && (repeat == 0 || bench_now() - begin < BUDGET); repeat++) {
        for (size_t i = 0; i < n_windows; i++) {
            double before = bench_now();
            count_by(bench, by_xtf, &windows[i]);
            times[n++] = bench_now() - before;
        }
    }
    return bench_median(times, n);
}

static char *peer_cell(double seconds)
{
    g_autofree char *time = bench_duration(seconds);
    return g_strconcat("sorted array in memory ", time, NULL);
}

static void report_warm(Bench *bench, double share)
{
    g_autofree Window *windows = g_new(Window, WINDOWS);
    g_autofree char *cache = bench_cache_name(bench->trace, bench->cache_mib);
    g_autofree char *figure = g_strdup_printf("count in a window of %g%%, warm, %s", share * 100, cache);
    XtfCounters before, after;
    uint64_t random = 1;

    choose_windows(bench, share, &random, windows, WINDOWS);
    for (size_t i = 0; i < WINDOWS; i++)
        count_by(bench, true, &windows[i]);
    xtf_trace_get_counters(bench->trace, &before);
    g_autofree char *time = bench_duration(warm_time(bench, true, windows));
    xtf_trace_get_counters(bench->trace, &after);
    g_autofree char *peer = peer_cell(warm_time(bench, false, windows));
    double counts = WINDOWS * (REPEATS + 1);
    bench_row(figure, "at most 1 us, flat in width", peer,
              "%s; %.2f page visits, %.1f comparisons a count; %" PRIu64 " loads", time,
              (double)(after.page_visits - before.page_visits) / counts,
              (double)(after.key_comparisons - before.key_comparisons) / counts,
              after.cache_loads - before.cache_loads);
}

/* Returns the mean time of windows that were not counted before, one after the other. */
static double random_time(const Bench *bench, bool by_xtf, const Window *windows)
{
    size_t n = 0;
    double begin = bench_processor_time();

    while (n < RANDOM_WINDOWS && (n % 16 != 0 || bench_processor_time() - begin < 2 * BUDGET))
        count_by(bench, by_xtf, &windows[n++]);
    return (bench_processor_time() - begin) / (double)n;
}

static void reopen_trace(Bench *bench, uint64_t cache_mib)
{
    XtfTrace *before = bench->trace; /* the old trace owns the schemas that the search uses */
    g_autoptr(GError) error = NULL;

    bench->trace = bench_open(bench->path, cache_mib);
    for (guint i = 0; i < bench->arrays->len; i++) {
        XtfArray *array = &g_array_index(bench->arrays, XtfArray, i);
        bool found;
        bench_check(xtf_trace_find_array(bench->trace, array->location, array->schema->id, array, &found, &error) &&
                        found,
                    error, "%s", bench->path);
    }
    xtf_trace_unref(before);
}

static void report_random(Bench *bench, uint64_t cache_mib)
{
    g_autofree Window *windows = g_new(Window, RANDOM_WINDOWS);
    XtfCounters before, after;
    uint64_t random = 2;

    reopen_trace(bench, cache_mib);
    g_autofree char *cache = bench_cache_name(bench->trace, cache_mib);
    g_autofree char *figure = g_strdup_printf("count in random windows of 1%%, %s, mean", cache);
    choose_windows(bench, 0.01, &random, windows, RANDOM_WINDOWS);
    /* Fills the cache with the data of other random windows, in the same number. */
    random_time(bench, true, windows);
    choose_windows(bench, 0.01, &random, windows, RANDOM_WINDOWS);
    xtf_trace_get_counters(bench->trace, &before);
    double seconds = random_time(bench, true, windows);
    xtf_trace_get_counters(bench->trace, &after);
    g_autofree char *peer = peer_cell(random_time(bench, false, windows));
    g_autofree char *time = bench_duration(seconds);
    double hits = (double)(after.cache_hits - before.cache_hits),
           misses = (double)(after.cache_misses - before.cache_misses);
    bench_row(figure, "at most 25 us", peer, "%s; hit rate %.1f%%", time, 100 * hits / (hits + misses));
}

/* Returns the time to open XTF and count, with cold caches; *count_only is the time of the count. */
static double cold_time(const Bench *bench, const Window *window, double *count_only)
{
    bool cold = bench_make_cold(bench->path);
    g_autoptr(GError) error = NULL;
    double before = bench_now();
    g_autoptr(XtfTrace) trace = bench_open(bench->path, bench->cache_mib);
    XtfArray array;
    bool found;

    bench_check(cold, NULL, "%s: its pages stay in memory", bench->path);
    double opened = bench_now();
    bench_check(xtf_trace_find_array(trace, array_of(bench, window)->location, array_of(bench, window)->schema->id,
                                     &array, &found, &error) &&
                    found,
                error, "%s", bench->path);
    xtf_count(&array, window);
    *count_only = bench_now() - opened;
    return bench_now() - before;
}

static void report_cold(const Bench *bench)
{
    Window windows[COLD_WINDOWS];
    double whole[COLD_WINDOWS], count_only[COLD_WINDOWS];
    uint64_t random = 3;

    choose_windows(bench, 0.01, &random, windows, COLD_WINDOWS);
    for (int i = 0; i < COLD_WINDOWS; i++)
        whole[i] = cold_time(bench, &windows[i], &count_only[i]);
    g_autofree char *with_open = bench_duration(bench_median(whole, COLD_WINDOWS));
    g_autofree char *count_text = bench_duration(bench_median(count_only, COLD_WINDOWS));
    bench_row("count in a window of 1%, nothing in memory, with opening", "the count at most 0.5 ms", NULL,
              "%s; the count alone %s", with_open, count_text);
}

/* Counts all records of a process: in every array of the location. Returns the number of arrays. */
static unsigned count_process(const Bench *bench, const Window *window)
{
    uint64_t location = array_of(bench, window)->location;
    unsigned n_arrays = 0;

    for (guint i = 0; i < bench->arrays->len; i++) {
        const XtfArray *array = &g_array_index(bench->arrays, XtfArray, i);
        if (array->location != location)
            continue;
        xtf_count(array, window);
        n_arrays++;
    }
    return n_arrays;
}

static void report_process(const Bench *bench)
{
    g_autofree double *times = g_new(double, WINDOWS *REPEATS);
    g_autofree Window *windows = g_new(Window, WINDOWS);
    uint64_t random = 4, n_arrays = 0;
    size_t n = 0;

    choose_windows(bench, 0.1, &random, windows, WINDOWS);
    for (size_t i = 0; i < WINDOWS; i++)
        n_arrays += count_process(bench, &windows[i]);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (size_t i = 0; i < WINDOWS; i++) {
            double before = bench_now();
            count_process(bench, &windows[i]);
            times[n++] = bench_now() - before;
        }
    }
    g_autofree char *time = bench_duration(bench_median(times, n));
    bench_row("count of all records of a process in a window of 10%, warm", NULL, NULL, "%s for %.1f arrays", time,
              (double)n_arrays / WINDOWS);
}

static uint64_t *read_times(const XtfArray *array)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfCursor) cursor;
    uint64_t *times = g_new(uint64_t, array->n_rows), n = 0;
    bool found;

    xtf_cursor_init(&cursor, array);
    bench_check(xtf_cursor_seek_n(&cursor, 0, &found, &error), error, "read");
    while (found) {
        times[n++] = xtf_cursor_time(&cursor);
        bench_check(xtf_cursor_next(&cursor, 1, &found, &error), error, "read");
    }
    bench_check(n == array->n_rows, NULL, "%" PRIu64 " rows were read instead of %" PRIu64, n, array->n_rows);
    return times;
}

static void load_arrays(Bench *bench)
{
    g_autoptr(GError) error = NULL;
    uint64_t n = xtf_trace_n_arrays(bench->trace);
    g_autofree XtfArray *all = g_new(XtfArray, n);

    bench_check(xtf_trace_get_arrays(bench->trace, 0, n, all, &error), error, "%s", bench->path);
    bench->arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    bench->busiest = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    bench->times = g_new0(uint64_t *, n);
    for (uint64_t i = 0; i < n; i++) {
        if (all[i].schema->kind != XTF_SCHEMA_RECORD)
            continue;
        uint32_t *last =
            bench->busiest->len > 0 ? &g_array_index(bench->busiest, uint32_t, bench->busiest->len - 1) : NULL;
        uint32_t own = bench->arrays->len;
        bench->times[own] = read_times(&all[i]);
        bench->records += all[i].n_rows;
        g_array_append_val(bench->arrays, all[i]);
        const XtfArray *before = last ? &g_array_index(bench->arrays, XtfArray, *last) : NULL;
        if (!before || before->location != all[i].location)
            g_array_append_val(bench->busiest, own);
        else if (before->n_rows < all[i].n_rows)
            *last = own;
    }
    bench_check(bench->arrays->len > 0, NULL, "%s: the trace has no records", bench->path);
}

typedef struct {
    char *path;
    uint64_t records, cache_mib;
} Arguments;

static void work(const char *folder, void *data)
{
    const double shares[] = {0.0001, 0.01, 0.1, 0.5};
    const Arguments *arguments = data;
    g_autofree char *generated = g_build_filename(folder, "synthetic.xtf", NULL);
    Bench bench = {
        .path = arguments->path ? arguments->path : generated,
        .cache_mib = arguments->cache_mib,
    };

    if (!arguments->path)
        bench_write_synthetic(generated, arguments->records, 0);
    bench.trace = bench_open(bench.path, bench.cache_mib);
    load_arrays(&bench);
    bench_row("the records", NULL, NULL, "%.2f M records in %u arrays, %.2f B a record", (double)bench.records / 1e6,
              bench.arrays->len, (double)bench_file_size(bench.path) / (double)bench.records);
    for (size_t i = 0; i < G_N_ELEMENTS(shares); i++)
        report_warm(&bench, shares[i]);
    report_process(&bench);
    report_random(&bench, bench.cache_mib);
    if (bench.cache_mib == 0)
        report_random(&bench, 64);
    report_cold(&bench);
    xtf_trace_unref(bench.trace);
}

int main(int argc, char **argv)
{
    gint64 records = 5000000, cache = 0;
    gboolean rows_only = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"records", 'n', 0, G_OPTION_ARG_INT64, &records, "Records to generate without FILE (default: 5 million)", "N"},
        {"cache", 0, 0, G_OPTION_ARG_INT64, &cache, "Page cache (default: the library's default)", "MIB"},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &dir, "Folder for the files", "DIR"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("[FILE.xtf]");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && records > 0 && cache >= 0 && argc <= 2, error,
                "bad arguments");
    Arguments arguments = {
        .path = argc == 2 ? argv[1] : NULL, .records = (uint64_t)records, .cache_mib = (uint64_t)cache};
    if (!rows_only)
        bench_head();
    return bench_in_folder(dir, work, &arguments);
}
