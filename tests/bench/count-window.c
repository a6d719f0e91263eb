/*
 * Counting records in a window of time, in the library, beside bare sorted arrays of times in memory. (peers/ asks
 * others the same.)
 *
 *     count-window [--records N] [--cache MIB] [--dir DIR] [--rows] [FILE.xtf]
 *
 * Without FILE it makes one of N records (default 5 million) in 8 locations. A window lies anywhere in the trace and
 * counts the records of one type of one location, the type with the most records there. All counts of all contestants
 * are compared with one another.
 *
 * The page cache is the default one unless --cache says otherwise; the arrays have the machine's memory. Warm: the
 * windows were all counted before. Random: windows anywhere, each for the first time, with the default cache and with
 * one of 64 MiB; the mean of the processor's time. Cold: the file was dropped from the system's cache and is opened
 * anew.
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

static const double BUDGET = 1.5; /* seconds for a contestant's warm windows of one width */

typedef struct {
    uint32_t array; /* index */
    uint64_t from, to;
} Window;

typedef struct {
    const char *path;
    uint64_t cache_mib;
    XtfTrace *trace;
    GArray *arrays;   /* of XtfArray: of records, in the file's order */
    uint64_t **times; /* of their rows */
    GArray *busiest;  /* of uint32_t: a location's array with the most records */
    uint64_t records;
} Bench;

static uint64_t ours_count(const XtfArray *array, const Window *window)
{
    g_autoptr(GError) error = NULL;
    uint64_t size;

    bench_check(xtf_array_size_t(array, window->from, window->to, &size, &error), error, "count");
    return size;
}

/* Windows of a share of the trace's time, anywhere. */
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

static uint64_t count(const Bench *bench, bool ours, const Window *window)
{
    return ours ? ours_count(array_of(bench, window), window) : memory_count(bench, window);
}

/* The median time of a count, over windows that were counted before: all of them, or as many as fit the budget. */
static double warm_time(const Bench *bench, bool ours, const Window *windows)
{
    g_autofree double *times = g_new(double, WINDOWS *REPEATS);
    size_t n = 0, n_windows = 0;

    for (double begin = bench_now(); n_windows < WINDOWS && (n_windows < 3 || bench_now() - begin < BUDGET);
         n_windows++) {
        uint64_t found = count(bench, ours, &windows[n_windows]), right = memory_count(bench, &windows[n_windows]);
        bench_check(found == right, NULL, "XTF counts %" PRIu64 " where there are %" PRIu64, found, right);
    }
    double begin = bench_now();
    for (int repeat = 0; repeat < REPEATS && (repeat == 0 || bench_now() - begin < BUDGET); repeat++) {
        for (size_t i = 0; i < n_windows; i++) {
            double before = bench_now();
            count(bench, ours, &windows[i]);
            times[n++] = bench_now() - before;
        }
    }
    return bench_median(times, n);
}

static char *in_memory(double seconds)
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
        count(bench, true, &windows[i]);
    xtf_trace_get_counters(bench->trace, &before);
    g_autofree char *time = bench_duration(warm_time(bench, true, windows));
    xtf_trace_get_counters(bench->trace, &after);
    g_autofree char *peer = in_memory(warm_time(bench, false, windows));
    double counts = WINDOWS * (REPEATS + 1);
    bench_row(figure, "at most 1 us, flat in width", peer,
              "%s; %.2f page visits, %.1f comparisons a count; %" PRIu64 " loads", time,
              (double)(after.page_visits - before.page_visits) / counts,
              (double)(after.key_comparisons - before.key_comparisons) / counts,
              after.cache_loads - before.cache_loads);
}

/* The mean over windows that nobody has counted before, one after the other. */
static double random_time(const Bench *bench, bool ours, const Window *windows)
{
    size_t n = 0;
    double begin = bench_processor_time();

    while (n < RANDOM_WINDOWS && (n % 16 != 0 || bench_processor_time() - begin < 2 * BUDGET))
        count(bench, ours, &windows[n++]);
    return (bench_processor_time() - begin) / (double)n;
}

static void open_anew(Bench *bench, uint64_t cache_mib)
{
    XtfTrace *before = bench->trace; /* owns the schemas that are looked for */
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

    open_anew(bench, cache_mib);
    g_autofree char *cache = bench_cache_name(bench->trace, cache_mib);
    g_autofree char *figure = g_strdup_printf("count in random windows of 1%%, %s, mean", cache);
    choose_windows(bench, 0.01, &random, windows, RANDOM_WINDOWS);
    /* As many again fill the cache with what random windows leave in it. */
    random_time(bench, true, windows);
    choose_windows(bench, 0.01, &random, windows, RANDOM_WINDOWS);
    xtf_trace_get_counters(bench->trace, &before);
    double seconds = random_time(bench, true, windows);
    xtf_trace_get_counters(bench->trace, &after);
    g_autofree char *peer = in_memory(random_time(bench, false, windows));
    g_autofree char *time = bench_duration(seconds);
    double hits = (double)(after.cache_hits - before.cache_hits),
           misses = (double)(after.cache_misses - before.cache_misses);
    bench_row(figure, "at most 25 us", peer, "%s; hit rate %.1f%%", time, 100 * hits / (hits + misses));
}

/* XTF opened anew and one count, or only the count. */
static double ours_cold(const Bench *bench, const Window *window, double *count_alone)
{
    bool cold = bench_make_cold(bench->path);
    g_autoptr(GError) error = NULL;
    double before = bench_now();
    g_autoptr(XtfTrace) trace = bench_open(bench->path, bench->cache_mib);
    XtfArray array;
    bool found;

    bench_check(cold, NULL, "%s: its pages would not leave memory", bench->path);
    double opened = bench_now();
    bench_check(xtf_trace_find_array(trace, array_of(bench, window)->location, array_of(bench, window)->schema->id,
                                     &array, &found, &error) &&
                    found,
                error, "%s", bench->path);
    ours_count(&array, window);
    *count_alone = bench_now() - opened;
    return bench_now() - before;
}

static void report_cold(const Bench *bench)
{
    Window windows[COLD_WINDOWS];
    double whole[COLD_WINDOWS], alone[COLD_WINDOWS];
    uint64_t random = 3;

    choose_windows(bench, 0.01, &random, windows, COLD_WINDOWS);
    for (int i = 0; i < COLD_WINDOWS; i++)
        whole[i] = ours_cold(bench, &windows[i], &alone[i]);
    g_autofree char *with_open = bench_duration(bench_median(whole, COLD_WINDOWS));
    g_autofree char *count = bench_duration(bench_median(alone, COLD_WINDOWS));
    bench_row("count in a window of 1%, nothing in memory, with opening", "the count at most 0.5 ms", NULL,
              "%s; the count alone %s", with_open, count);
}

/* All records of a process: every array of the location. */
static unsigned count_process(const Bench *bench, const Window *window)
{
    uint64_t location = array_of(bench, window)->location;
    unsigned n_arrays = 0;

    for (guint i = 0; i < bench->arrays->len; i++) {
        const XtfArray *array = &g_array_index(bench->arrays, XtfArray, i);
        if (array->location != location)
            continue;
        ours_count(array, window);
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
    bench_check(n == array->n_rows, NULL, "%" PRIu64 " rows were read of %" PRIu64, n, array->n_rows);
    return times;
}

static void load(Bench *bench)
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
    bench_check(bench->arrays->len > 0, NULL, "%s: it has no records", bench->path);
}

typedef struct {
    char *path;
    uint64_t records, cache_mib;
} Arguments;

static void work(const char *folder, void *data)
{
    const double shares[] = {0.0001, 0.01, 0.1, 0.5};
    const Arguments *arguments = data;
    g_autofree char *made = g_build_filename(folder, "synthetic.xtf", NULL);
    Bench bench = {
        .path = arguments->path ? arguments->path : made,
        .cache_mib = arguments->cache_mib,
    };

    if (!arguments->path)
        bench_write_synthetic(made, arguments->records, 0);
    bench.trace = bench_open(bench.path, bench.cache_mib);
    load(&bench);
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
        {"records", 'n', 0, G_OPTION_ARG_INT64, &records, "Records to make up without FILE (default: 5 million)", "N"},
        {"cache", 0, 0, G_OPTION_ARG_INT64, &cache, "Of the pages (default: the library's default)", "MIB"},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &dir, "Where to put files", "DIR"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "No head above the table", NULL},
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
