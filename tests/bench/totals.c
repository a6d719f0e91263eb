/*
 * Measures sums over a window of time in the library, compared with a scan of its rows: calls and time by region.
 *
 *     totals [--records N] [--no-scan] [--new] [--cache MIB] [--dir DIR] [--rows] [FILE.xtf]
 *
 * Without FILE it generates a trace of N records (default 5 million) in 8 locations. A window is at a random place of
 * the trace, and has one location's calls. Calls by region are compared with the result of the scan. The folder peers/
 * measures the same in other programs.
 *
 * The page cache has its default size, or that of --cache. Warm: all windows were read twice before; the library keeps
 * digests of leaves that are read again. Random: windows at random places, each for the first time, also with a cache
 * of 64 MiB.
 *
 * --new measures profiles of new windows alone, in processor time of the thread: the first 1000 windows after opening,
 * and the next 5000. It also prints how many blocks each query loaded, and the bytes of a cached block.
 */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"
#include "synthetic.h"

enum { WINDOWS = 400, RANDOM_WINDOWS = 5000, FIRST_WINDOWS = 1000, REPEATS = 5, REGIONS_MAX = 65536 };

static const double BUDGET = 1.5; /* seconds for the windows of one width, for XTF or the scan */

typedef struct {
    const XtfArray *array;
    uint64_t from, to;
} Window;

typedef struct {
    const char *path, *folder;
    XtfTrace *trace;
    GArray *arrays; /* of XtfArray: calls */
    unsigned index;
    uint64_t cache_mib; /* 0: the default */
} Bench;

/* A query of a window. It compares its answer with `expected` if that is not NULL. */
typedef void (*Query)(const Bench *bench, const Window *window, const XtfGroupTotals *expected);

static XtfGroupTotals *new_totals(const Bench *bench)
{
    return xtf_group_totals_new(&g_array_index(bench->arrays, XtfArray, 0).schema->aggregates[bench->index], 1);
}

static void add_totals(const Bench *bench, const Window *window, XtfGroupTotals *totals)
{
    g_autoptr(GError) error = NULL;
    uint64_t n1, n2;

    bench_check(xtf_array_rank(window->array, window->from, &n1, &error) &&
                    xtf_array_rank(window->array, window->to, &n2, &error) &&
                    xtf_array_totals(window->array, bench->index, NULL, n1, n2, totals, &error),
                error, "sum");
}

static void query_sum(const Bench *bench, const Window *window, const XtfGroupTotals *expected)
{
    g_autoptr(XtfGroupTotals) totals = new_totals(bench);
    (void)expected;
    add_totals(bench, window, totals);
}

static void query_profile(const Bench *bench, const Window *window, const XtfGroupTotals *expected)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfGroupTotals) totals = new_totals(bench);
    const XtfClock *clock = xtf_trace_clock(bench->trace);
    (void)expected;

    bench_check(xtf_array_profile(window->array, bench->index, window->from, window->to, clock->first, clock->last,
                                  totals, &error),
                error, "profile");
}

/* Compares a column of counts by region with the totals. */
static void compare_counts(const uint64_t *counts, const XtfGroupTotals *expected, const char *name)
{
    for (uint64_t region = 0; expected && region < REGIONS_MAX; region++) {
        const uint64_t *cells = xtf_group_totals_find(expected, &region);
        uint64_t found = cells ? cells[XTF_FRAMES_BEGUN] + cells[XTF_FRAMES_ENDED] : 0;
        bench_check(counts[region] == found, NULL, "%s finds %" PRIu64 " records of region %" PRIu64 ", XTF %" PRIu64,
                    name, counts[region], region, found);
    }
}

static void query_scan(const Bench *bench, const Window *window, const XtfGroupTotals *expected)
{
    g_autoptr(GError) error = NULL;
    static uint64_t counts[REGIONS_MAX];
    g_auto(XtfCursor) cursor;
    bool found;
    const XtfSchema *schema = window->array->schema;
    const XtfField *region = &schema->fields[schema->aggregates[bench->index].keys[0]];

    memset(counts, 0, sizeof counts);
    xtf_cursor_init(&cursor, window->array);
    bench_check(xtf_cursor_seek_t(&cursor, window->from, &found, &error), error, "scan");
    while (found && xtf_cursor_time(&cursor) < window->to) {
        uint64_t left = xtf_cursor_available(&cursor), i = 0;
        for (const uint8_t *row = xtf_cursor_row(&cursor); i < left; i++, row += schema->row_size) {
            if (xtf_field_get(&schema->fields[0], row) >= window->to)
                break;
            counts[xtf_field_get(region, row) % REGIONS_MAX]++;
        }
        bench_check(xtf_cursor_next(&cursor, (int64_t)i, &found, &error), error, "scan");
    }
    compare_counts(counts, expected, "the scan");
}

/* Chooses n windows of a share of the trace's time, at random places. */
static void choose_windows(const Bench *bench, double share, uint64_t *random, Window *windows, size_t n)
{
    const XtfClock *clock = xtf_trace_clock(bench->trace);
    uint64_t span = clock->last + 1 - clock->first, width = MAX(1, (uint64_t)((double)span * share));

    for (size_t i = 0; i < n; i++) {
        uint64_t from = clock->first + bench_below(random, span - width + 1);
        guint array = (guint)bench_below(random, bench->arrays->len);
        windows[i] = (Window){&g_array_index(bench->arrays, XtfArray, array), from, from + width};
    }
}

/* Runs a query twice, and checks its answer if `check` is set. */
static void warm_window(const Bench *bench, Query query, const Window *window, bool check)
{
    g_autoptr(XtfGroupTotals) expected = check ? new_totals(bench) : NULL;

    if (check)
        add_totals(bench, window, expected);
    query(bench, window, expected);
    query(bench, window, expected);
}

/* Returns the median time of a query, over windows that were read before. The budget bounds the number of windows. */
static double warm_time(const Bench *bench, Query query, const Window *windows, bool check)
{
    g_autofree double *times = g_new(double, WINDOWS *REPEATS);
    size_t n = 0, n_windows = 0;

    for (double begin = bench_now(); n_windows < WINDOWS && (n_windows < 3 || bench_now() - begin < BUDGET);
         n_windows++)
        warm_window(bench, query, &windows[n_windows], check);
    double begin = bench_now();
    for (int repeat = 0; repeat < REPEATS && (repeat == 0 || bench_now() - begin < BUDGET); repeat++) {
        for (size_t i = 0; i < n_windows; i++) {
            double before = bench_now();
            query(bench, &windows[i], NULL);
            times[n++] = bench_now() - before;
        }
    }
    return bench_median(times, n);
}

static void add_peer(const Bench *bench, GString *peers, const char *name, Query query, const Window *windows)
{
    g_autofree char *time = bench_duration(warm_time(bench, query, windows, true));
    g_string_append_printf(peers, "%s%s %s", peers->len > 0 ? ", " : "", name, time);
}

static void report_warm(const Bench *bench, double share, bool no_scan)
{
    g_autofree Window *windows = g_new(Window, WINDOWS);
    g_autofree char *cache = bench_cache_name(bench->trace, bench->cache_mib);
    g_autofree char *figure = g_strdup_printf("calls by region in a window of %g%%, warm, %s", share * 100, cache);
    g_autofree char *profile = g_strdup_printf("time by region in a window of %g%%, warm, %s", share * 100, cache);
    g_autoptr(GString) peers = g_string_new(NULL);
    uint64_t random = 1;

    choose_windows(bench, share, &random, windows, WINDOWS);
    g_autofree char *sum_text = bench_duration(warm_time(bench, query_sum, windows, false));
    g_autofree char *exact = bench_duration(warm_time(bench, query_profile, windows, false));
    if (!no_scan)
        add_peer(bench, peers, "a scan of the rows", query_scan, windows);
    bench_row(figure, "10 us", peers->len > 0 ? peers->str : NULL, "%s", sum_text);
    bench_row(profile, "10 us", NULL, "%s", exact);
}

static void report_random(const Bench *bench)
{
    g_autofree Window *windows = g_new(Window, RANDOM_WINDOWS);
    g_autofree double *times = g_new(double, RANDOM_WINDOWS);
    XtfCounters before, after;
    uint64_t random = 2;

    choose_windows(bench, 0.01, &random, windows, RANDOM_WINDOWS);
    xtf_trace_get_counters(bench->trace, &before);
    for (size_t i = 0; i < RANDOM_WINDOWS; i++) {
        double begin = bench_now();
        query_profile(bench, &windows[i], NULL);
        times[i] = bench_now() - begin;
    }
    xtf_trace_get_counters(bench->trace, &after);
    double hits = (double)(after.cache_hits - before.cache_hits),
           misses = (double)(after.cache_misses - before.cache_misses);
    g_autofree char *median = bench_duration(bench_median(times, RANDOM_WINDOWS));
    g_autofree char *tail = bench_duration(bench_quantile(times, RANDOM_WINDOWS, 0.99));
    g_autofree char *cache = bench_cache_name(bench->trace, bench->cache_mib);
    g_autofree char *figure = g_strdup_printf("time by region in random windows of 1%%, %s", cache);
    bench_row(figure, "100 us", NULL, "%s, 99%% %s (%.0f%% hits)", median, tail, 100 * hits / (hits + misses));
}

/* Measures profiles of windows that were not read before, and prints a row. */
static void report_new_windows(const Bench *bench, const char *which, double share, const Window *windows, size_t n)
{
    g_autofree double *times = g_new(double, n);
    g_autofree char *cache = bench_cache_name(bench->trace, bench->cache_mib);
    XtfCounters before, after;

    xtf_trace_get_counters(bench->trace, &before);
    for (size_t i = 0; i < n; i++) {
        double begin = bench_thread_time();
        query_profile(bench, &windows[i], NULL);
        times[i] = bench_thread_time() - begin;
    }
    xtf_trace_get_counters(bench->trace, &after);
    double loads = (double)(after.cache_loads - before.cache_loads);
    double grown = (double)(after.cache_bytes - before.cache_bytes);
    bool full = after.cache_evictions > before.cache_evictions;
    g_autofree char *block =
        full ? g_strdup("the cache is full") : g_strdup_printf("%.1f kB a block", loads > 0 ? grown / loads / 1e3 : 0);
    g_autofree char *median = bench_duration(bench_median(times, n));
    g_autofree char *tail = bench_duration(bench_quantile(times, n, 0.99));
    g_autofree char *figure =
        g_strdup_printf("profile of %s %zu new windows of %g%%, processor, %s", which, n, share * 100, cache);
    bench_row(figure, NULL, NULL, "%s, 99%% %s; %.1f loads, %s", median, tail, loads / (double)n, block);
}

/* Opens the trace, and finds the arrays that have totals of frames. */
static void load_trace(Bench *bench, uint64_t cache_mib)
{
    g_autoptr(GError) error = NULL;

    bench->cache_mib = cache_mib;
    bench->trace = bench_open(bench->path, cache_mib);
    uint64_t n = xtf_trace_n_arrays(bench->trace);
    g_autofree XtfArray *all = g_new(XtfArray, n);
    bench_check(xtf_trace_get_arrays(bench->trace, 0, n, all, &error), error, "%s", bench->path);
    bench->arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    for (uint64_t i = 0; i < n; i++)
        for (unsigned index = 0; index < all[i].schema->n_aggregates; index++)
            if (all[i].schema->aggregates[index].kind == XTF_AGGREGATE_FRAMES) {
                bench->index = index;
                g_array_append_val(bench->arrays, all[i]);
            }
    bench_check(bench->arrays->len > 0, NULL, "%s: the trace has no totals of frames", bench->path);
}

static void unload_trace(Bench *bench)
{
    g_array_unref(bench->arrays);
    xtf_trace_unref(bench->trace);
}

/* Reports profiles of new windows of a share of the time, from an empty cache on. */
static void report_new(Bench *bench, double share, uint64_t cache_mib)
{
    g_autofree Window *windows = g_new(Window, FIRST_WINDOWS + RANDOM_WINDOWS);
    uint64_t random = 2;

    load_trace(bench, cache_mib);
    choose_windows(bench, share, &random, windows, FIRST_WINDOWS + RANDOM_WINDOWS);
    report_new_windows(bench, "the first", share, windows, FIRST_WINDOWS);
    report_new_windows(bench, "the next", share, windows + FIRST_WINDOWS, RANDOM_WINDOWS);
    unload_trace(bench);
}

typedef struct {
    char *path;
    uint64_t records, cache_mib;
    bool no_scan, only_new;
} Arguments;

static void work(const char *folder, void *data)
{
    const double shares[] = {0.0001, 0.01, 0.5};
    const Arguments *arguments = data;
    g_autofree char *generated = g_build_filename(folder, "synthetic.xtf", NULL);
    Bench bench = {.path = arguments->path ? arguments->path : generated, .folder = folder};

    if (!arguments->path)
        bench_write_synthetic(generated, arguments->records, 0);
    for (size_t i = 0; arguments->only_new && i < G_N_ELEMENTS(shares); i++) {
        report_new(&bench, shares[i], arguments->cache_mib);
        if (arguments->cache_mib == 0)
            report_new(&bench, shares[i], 64);
    }
    if (arguments->only_new)
        return;
    load_trace(&bench, arguments->cache_mib);
    for (size_t i = 0; i < G_N_ELEMENTS(shares); i++)
        report_warm(&bench, shares[i], arguments->no_scan);
    report_random(&bench);
    unload_trace(&bench);
    if (arguments->cache_mib > 0)
        return;
    load_trace(&bench, 64);
    report_random(&bench);
    unload_trace(&bench);
}

int main(int argc, char **argv)
{
    gint64 records = 5000000, cache = 0;
    gboolean rows_only = FALSE, no_scan = FALSE, only_new = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"records", 'n', 0, G_OPTION_ARG_INT64, &records, "Records to generate without FILE (default: 5 million)", "N"},
        {"no-scan", 0, 0, G_OPTION_ARG_NONE, &no_scan, "Only the totals", NULL},
        {"new", 0, 0, G_OPTION_ARG_NONE, &only_new, "Only profiles of new windows", NULL},
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
    Arguments arguments = {.path = argc == 2 ? argv[1] : NULL,
                           .records = (uint64_t)records,
                           .cache_mib = (uint64_t)cache,
                           .no_scan = no_scan,
                           .only_new = only_new};
    if (!rows_only)
        bench_head();
    return bench_in_folder(dir, work, &arguments);
}
