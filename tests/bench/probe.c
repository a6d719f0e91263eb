/*
 * Measures searches, counts and profiles in a trace of any size, in the library.
 *
 *     probe [--cold N] [--cache MIB] [--rows] FILE.xtf
 *
 * Searches, counts and profiles are of single locations, in windows at random places that are 0.01%, 1% or 50% of the
 * trace wide. The cache has its default size, or that of --cache. Random: each window is measured once; the figure is
 * the mean processor time. Warm: the window was read before. Cold: the file was dropped from the system's cache, and is
 * opened again. The bench holds only the cache in memory, so that it can measure any file.
 */
#include <inttypes.h>

#include "bench.h"
#include "libxtf/aggregates.h"
#include "libxtf/xtf.h"
#include "opening.h"

enum { SEARCHES = 20000, WINDOWS = 2000, REPEATS = 5 };

typedef struct {
    const char *path;
    XtfTrace *trace;
    const XtfSchema *calls;
    unsigned index;
    GArray *arrays; /* XtfArray, of calls */
    uint64_t random;
    uint64_t cache_mib; /* 0: the default */
} Probe;

typedef struct {
    const XtfArray *array;
    uint64_t from, to;
} Window;

typedef void (*Query)(Probe *probe, const Window *window);

static void load_arrays(Probe *probe)
{
    enum { MAX_ARRAYS = 10000 };
    g_autoptr(GError) error = NULL;

    probe->calls = xtf_trace_find_schema(probe->trace, "enters_leaves");
    bench_check(probe->calls, NULL, "%s: the trace has no calls", probe->path);
    while (probe->index < probe->calls->n_aggregates &&
           probe->calls->aggregates[probe->index].kind != XTF_AGGREGATE_FRAMES)
        probe->index++;
    bench_check(probe->index < probe->calls->n_aggregates, NULL, "%s: calls have no totals of frames", probe->path);
    probe->arrays = g_array_new(FALSE, FALSE, sizeof(XtfArray));
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(probe->trace) && probe->arrays->len < MAX_ARRAYS; rank++) {
        XtfArray array;
        bench_check(xtf_trace_get_arrays(probe->trace, rank, 1, &array, &error), error, "%s", probe->path);
        if (array.schema == probe->calls)
            g_array_append_val(probe->arrays, array);
    }
}

static const XtfArray *random_array(Probe *probe)
{
    return &g_array_index(probe->arrays, XtfArray, bench_below(&probe->random, probe->arrays->len));
}

static void report_search(Probe *probe)
{
    const XtfArray *largest = &g_array_index(probe->arrays, XtfArray, 0);
    g_autoptr(GError) error = NULL;
    uint64_t visits = 0, comparisons = 0, most_visits = 0, most_comparisons = 0;

    for (guint i = 1; i < probe->arrays->len; i++)
        if (g_array_index(probe->arrays, XtfArray, i).n_rows > largest->n_rows)
            largest = &g_array_index(probe->arrays, XtfArray, i);
    double before = bench_processor_time();
    for (int i = 0; i < SEARCHES; i++) {
        uint64_t t = largest->first + bench_below(&probe->random, largest->last - largest->first + 1), n;
        XtfCounters old, new;
        xtf_trace_get_counters(probe->trace, &old);
        bench_check(xtf_array_rank(largest, t, &n, &error), error, "%s", probe->path);
        xtf_trace_get_counters(probe->trace, &new);
        visits += new.page_visits - old.page_visits;
        comparisons += new.key_comparisons - old.key_comparisons;
        most_visits = MAX(most_visits, new.page_visits - old.page_visits);
        most_comparisons = MAX(most_comparisons, new.key_comparisons - old.key_comparisons);
    }
    g_autofree char *time = bench_duration((bench_processor_time() - before) / SEARCHES);
    bench_row("search for a time among the calls of one location", NULL, NULL,
              "%" PRIu64 " records, height %u: %.3f pages (at most %" PRIu64 "), %.3f comparisons (at most %" PRIu64
              "), %s",
              largest->n_rows, xtf_array_height(largest), (double)visits / SEARCHES, most_visits,
              (double)comparisons / SEARCHES, most_comparisons, time);
}

static void query_count(Probe *probe, const Window *window)
{
    g_autoptr(GError) error = NULL;
    uint64_t size;
    bench_check(xtf_array_size_t(window->array, window->from, window->to, &size, &error), error, "%s", probe->path);
}

static void query_profile(Probe *probe, const Window *window)
{
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&probe->calls->aggregates[probe->index], 1);
    g_autoptr(GError) error = NULL;
    bench_check(xtf_array_profile(window->array, probe->index, window->from, window->to, window->array->first,
                                  window->array->last, totals, &error),
                error, "%s", probe->path);
}

static Window choose_window(Probe *probe, double share)
{
    const XtfClock *clock = xtf_trace_clock(probe->trace);
    uint64_t span = clock->last + 1 - clock->first, width = MAX(1, (uint64_t)((double)span * share));
    uint64_t from = clock->first + bench_below(&probe->random, span - width + 1);
    return (Window){random_array(probe), from, from + width};
}

static double random_time(Probe *probe, double share, Query query)
{
    double before = bench_processor_time();
    for (int i = 0; i < WINDOWS; i++) {
        Window window = choose_window(probe, share);
        query(probe, &window);
    }
    return (bench_processor_time() - before) / WINDOWS;
}

static double warm_time(Probe *probe, double share, Query query)
{
    double times[WINDOWS / 10 * REPEATS];
    size_t n = 0;

    for (int i = 0; i < WINDOWS / 10; i++) {
        Window window = choose_window(probe, share);
        query(probe, &window);
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double before = bench_now();
            query(probe, &window);
            times[n++] = bench_now() - before;
        }
    }
    return bench_median(times, n);
}

static double cold_time(Probe *probe, double share, Query query, int n_times)
{
    g_autofree double *times = g_new(double, n_times);

    for (int i = 0; i < n_times; i++) {
        Window window = choose_window(probe, share);
        XtfArray array = *window.array;
        bench_check(bench_make_cold(probe->path), NULL, "%s: its pages stay in memory", probe->path);
        double before = bench_now();
        g_autoptr(XtfTrace) trace = bench_open(probe->path, probe->cache_mib);
        array.trace = trace;
        window.array = &array;
        query(probe, &window);
        times[i] = bench_now() - before;
    }
    return bench_median(times, (size_t)n_times);
}

static void report_query(Probe *probe, const char *label, Query query, int n_cold)
{
    static const double shares[] = {0.0001, 0.01, 0.5};
    g_autofree char *cache = bench_cache_name(probe->trace, probe->cache_mib);

    for (size_t i = 0; i < G_N_ELEMENTS(shares); i++) {
        g_autofree char *figure =
            g_strdup_printf("%s, a window of %g%% of one location, %s", label, shares[i] * 100, cache);
        random_time(probe, shares[i], query); /* fills the cache as random windows do */
        g_autofree char *random = bench_duration(random_time(probe, shares[i], query));
        g_autofree char *warm = bench_duration(warm_time(probe, shares[i], query));
        g_autofree char *cold = bench_duration(cold_time(probe, shares[i], query, n_cold));
        bench_row(figure, NULL, NULL, "warm %s, random %s, cold with opening %s", warm, random, cold);
    }
}

int main(int argc, char **argv)
{
    gboolean rows_only = FALSE;
    gint cold = 9;
    gint64 cache = 0;
    const GOptionEntry entries[] = {
        {"cold", 0, 0, G_OPTION_ARG_INT, &cold, "Cold windows; the figure is their median (default: 9)", "N"},
        {"cache", 0, 0, G_OPTION_ARG_INT64, &cache, "Page cache (default: the library's default)", "MIB"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("FILE.xtf");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && argc == 2 && cold > 0 && cache >= 0, error,
                "bad arguments");
    Probe probe = {.path = argv[1], .trace = bench_open(argv[1], (uint64_t)cache), .cache_mib = (uint64_t)cache};
    load_arrays(&probe);
    if (!rows_only)
        bench_head();
    report_search(&probe);
    report_query(&probe, "count", query_count, cold);
    report_query(&probe, "profile", query_profile, cold);
    g_array_unref(probe.arrays);
    xtf_trace_unref(probe.trace);
    return 0;
}
