/*
 * Sums over a window of time, in the library, beside a scan of its rows: calls and time by region.
 *
 *     totals [--records N] [--no-scan] [--cache MIB] [--dir DIR] [--rows] [FILE.xtf]
 *
 * Without FILE it makes one of N records (default 5 million) in 8 locations. A window lies anywhere in the trace, and
 * is of one location's calls. Calls by region are compared with what the scan finds. (peers/ asks others the same.)
 *
 * The page cache is the default one unless --cache says otherwise. Warm: the windows were all asked twice before; what
 * is asked for again is remembered in chunks. Random: windows anywhere, each for the first time, also with a cache of
 * 64 MiB.
 */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"
#include "synthetic.h"

enum { WINDOWS = 400, RANDOM_WINDOWS = 5000, REPEATS = 5, REGIONS_MAX = 65536 };

static const double BUDGET = 1.5; /* seconds for a contestant's windows of one width */

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

/* What a contestant is asked: something of a window, which it checks if it is given totals to compare with. */
typedef void (*Ask)(const Bench *bench, const Window *window, const XtfGroupTotals *right);

static XtfGroupTotals *new_totals(const Bench *bench)
{
    return xtf_group_totals_new(&g_array_index(bench->arrays, XtfArray, 0).schema->aggregates[bench->index], 1);
}

static void sum(const Bench *bench, const Window *window, XtfGroupTotals *totals)
{
    g_autoptr(GError) error = NULL;
    uint64_t n1, n2;

    bench_check(xtf_array_rank(window->array, window->from, &n1, &error) &&
                    xtf_array_rank(window->array, window->to, &n2, &error) &&
                    xtf_array_totals(window->array, bench->index, NULL, n1, n2, totals, &error),
                error, "sum");
}

static void ask_sum(const Bench *bench, const Window *window, const XtfGroupTotals *right)
{
    g_autoptr(XtfGroupTotals) totals = new_totals(bench);
    (void)right;
    sum(bench, window, totals);
}

static void ask_profile(const Bench *bench, const Window *window, const XtfGroupTotals *right)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfGroupTotals) totals = new_totals(bench);
    const XtfClock *clock = xtf_trace_clock(bench->trace);
    (void)right;

    bench_check(xtf_array_profile(window->array, bench->index, window->from, window->to, clock->first, clock->last,
                                  totals, &error),
                error, "profile");
}

/* Regions as a column of counts, against the totals. */
static void compare(const uint64_t *counts, const XtfGroupTotals *right, const char *who)
{
    for (uint64_t region = 0; right && region < REGIONS_MAX; region++) {
        const uint64_t *cells = xtf_group_totals_find(right, &region);
        uint64_t found = cells ? cells[XTF_FRAMES_BEGUN] + cells[XTF_FRAMES_ENDED] : 0;
        bench_check(counts[region] == found, NULL, "%s finds %" PRIu64 " records of region %" PRIu64 ", XTF %" PRIu64,
                    who, counts[region], region, found);
    }
}

static void ask_scan(const Bench *bench, const Window *window, const XtfGroupTotals *right)
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
    compare(counts, right, "the scan");
}

/* Windows of a share of the trace's time, anywhere. */
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

/* Asks twice, and checks the answer if `check` says so. */
static void warm_up(const Bench *bench, Ask ask, const Window *window, bool check)
{
    g_autoptr(XtfGroupTotals) right = check ? new_totals(bench) : NULL;

    if (check)
        sum(bench, window, right);
    ask(bench, window, right);
    ask(bench, window, right);
}

/* The median time of an answer, over windows that were asked before: all of them, or as many as fit the budget. */
static double warm_time(const Bench *bench, Ask ask, const Window *windows, bool check)
{
    g_autofree double *times = g_new(double, WINDOWS *REPEATS);
    size_t n = 0, n_windows = 0;

    for (double begin = bench_now(); n_windows < WINDOWS && (n_windows < 3 || bench_now() - begin < BUDGET);
         n_windows++)
        warm_up(bench, ask, &windows[n_windows], check);
    double begin = bench_now();
    for (int repeat = 0; repeat < REPEATS && (repeat == 0 || bench_now() - begin < BUDGET); repeat++) {
        for (size_t i = 0; i < n_windows; i++) {
            double before = bench_now();
            ask(bench, &windows[i], NULL);
            times[n++] = bench_now() - before;
        }
    }
    return bench_median(times, n);
}

static void add_peer(const Bench *bench, GString *peers, const char *name, Ask ask, const Window *windows)
{
    g_autofree char *time = bench_duration(warm_time(bench, ask, windows, true));
    g_string_append_printf(peers, "%s%s %s", peers->len > 0 ? ", " : "", name, time);
}

static void report_warm(const Bench *bench, double share, bool alone)
{
    g_autofree Window *windows = g_new(Window, WINDOWS);
    g_autofree char *cache = bench_cache_name(bench->trace, bench->cache_mib);
    g_autofree char *figure = g_strdup_printf("calls by region in a window of %g%%, warm, %s", share * 100, cache);
    g_autofree char *profile = g_strdup_printf("time by region in a window of %g%%, warm, %s", share * 100, cache);
    g_autoptr(GString) peers = g_string_new(NULL);
    uint64_t random = 1;

    choose_windows(bench, share, &random, windows, WINDOWS);
    g_autofree char *ours = bench_duration(warm_time(bench, ask_sum, windows, false));
    g_autofree char *exact = bench_duration(warm_time(bench, ask_profile, windows, false));
    if (!alone)
        add_peer(bench, peers, "a scan of the rows", ask_scan, windows);
    bench_row(figure, "10 us", peers->len > 0 ? peers->str : NULL, "%s", ours);
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
        ask_profile(bench, &windows[i], NULL);
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

/* Opens the trace, and finds the arrays that have totals of frames. */
static void load(Bench *bench, uint64_t cache_mib)
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
    bench_check(bench->arrays->len > 0, NULL, "%s: it has no totals of frames", bench->path);
}

static void unload(Bench *bench)
{
    g_array_unref(bench->arrays);
    xtf_trace_unref(bench->trace);
}

typedef struct {
    char *path;
    uint64_t records, cache_mib;
    bool alone;
} Arguments;

static void work(const char *folder, void *data)
{
    const double shares[] = {0.0001, 0.01, 0.5};
    const Arguments *arguments = data;
    g_autofree char *made = g_build_filename(folder, "synthetic.xtf", NULL);
    Bench bench = {.path = arguments->path ? arguments->path : made, .folder = folder};

    if (!arguments->path)
        bench_write_synthetic(made, arguments->records, 0);
    load(&bench, arguments->cache_mib);
    for (size_t i = 0; i < G_N_ELEMENTS(shares); i++)
        report_warm(&bench, shares[i], arguments->alone);
    report_random(&bench);
    unload(&bench);
    if (arguments->cache_mib > 0)
        return;
    load(&bench, 64);
    report_random(&bench);
    unload(&bench);
}

int main(int argc, char **argv)
{
    gint64 records = 5000000, cache = 0;
    gboolean rows_only = FALSE, alone = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"records", 'n', 0, G_OPTION_ARG_INT64, &records, "Records to make up without FILE (default: 5 million)", "N"},
        {"no-scan", 0, 0, G_OPTION_ARG_NONE, &alone, "Only the totals", NULL},
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
        .path = argc == 2 ? argv[1] : NULL, .records = (uint64_t)records, .cache_mib = (uint64_t)cache, .alone = alone};
    if (!rows_only)
        bench_head();
    return bench_in_folder(dir, work, &arguments);
}
