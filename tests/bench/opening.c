#include "opening.h"

#include <inttypes.h>

#include "bench.h"

enum { TIMES = 21, MIB = 1 << 20 };

typedef struct {
    double open, count; /* medians in seconds; count: including the opening */
    double processor;   /* median of the seconds of processor, with the count */
    bool cold;
} Opening;

XtfTrace *bench_open(const char *path, uint64_t cache_mib)
{
    g_autoptr(GError) error = NULL;
    XtfTrace *trace = xtf_trace_open(path, &(XtfOpenOptions){.cache_bytes = cache_mib * MIB}, &error);
    bench_check(trace, error, "%s", path);
    return trace;
}

char *bench_cache_name(const XtfTrace *trace, uint64_t cache_mib)
{
    XtfCounters counters;

    xtf_trace_get_counters(trace, &counters);
    return g_strdup_printf(cache_mib > 0 ? "a cache of %" PRIu64 " MiB" : "the default cache, %" PRIu64 " MiB",
                           counters.cache_limit / MIB);
}

/* Counts records in the middle of the array in the middle. */
static void count_once(XtfTrace *trace, const char *path)
{
    g_autoptr(GError) error = NULL;
    uint64_t n_arrays = xtf_trace_n_arrays(trace), size;
    XtfArray array;

    if (n_arrays == 0)
        return;
    bench_check(xtf_trace_get_arrays(trace, n_arrays / 2, 1, &array, &error), error, "%s", path);
    uint64_t span = array.last - array.first;
    bench_check(xtf_array_size_t(&array, array.first + span / 3, array.first + span / 2, &size, &error), error, "%s",
                path);
}

static Opening measure_opening(const char *path, bool cold)
{
    double opened[TIMES], counted[TIMES], processor[TIMES];
    Opening result = {.cold = cold};

    for (int i = 0; i < TIMES; i++) {
        g_autoptr(GError) error = NULL;
        if (cold)
            result.cold &= bench_make_cold(path);
        double before = bench_now(), processor_before = bench_processor_time();
        g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
        bench_check(trace, error, "%s", path);
        opened[i] = bench_now() - before;
        count_once(trace, path);
        counted[i] = bench_now() - before;
        processor[i] = bench_processor_time() - processor_before;
    }
    result.open = bench_median(opened, TIMES);
    result.count = bench_median(counted, TIMES);
    result.processor = bench_median(processor, TIMES);
    return result;
}

void bench_opening(const char *path)
{
    Opening warm = measure_opening(path, false), cold = measure_opening(path, true);
    g_autofree char *warm_open = bench_duration(warm.open), *warm_count = bench_duration(warm.count);
    g_autofree char *cold_open = bench_duration(cold.open), *cold_count = bench_duration(cold.count);
    g_autofree char *warm_processor = bench_duration(warm.processor), *cold_processor = bench_duration(cold.processor);
    g_autofree char *figure = g_strdup_printf("opening %.1f MB in the library", (double)bench_file_size(path) / 1e6);

    bench_row(figure, "at most 20 ms with cold caches", NULL,
              "cold%s %s, with a first count %s (processor %s); warm %s, with a first count %s (processor %s)",
              cold.cold ? "" : " (some pages would not leave memory)", cold_open, cold_count, cold_processor, warm_open,
              warm_count, warm_processor);
}
