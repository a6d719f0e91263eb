/*
 * Measures `longest` and `calls/records` of a trace, through the tree of a mount without the mount.
 *
 *     longest [--rows] FILE.xtf
 *
 * Windows are at random places, of process 0 or 1. Each is read three times, a tick later each time: the answer is new,
 * but its data may be in the cache of default size. The whole trace is read through a new tree each time.
 */
#include <inttypes.h>
#include <string.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "src/tree/paths/tree.h"

enum { WINDOWS = 60, TIMES = 9, BUFFER = 1 << 20 };

static char buffer[BUFFER];

/* Reads a whole file of the tree. Returns the seconds, and its size in *size. */
static double read_file(XtfTree *tree, const char *path, uint64_t *size)
{
    g_autoptr(GError) error = NULL;
    double begin = bench_now();
    g_autoptr(XtfNode) node = xtf_tree_resolve(tree, path, &error);
    bench_check(node, error, "%s", path);
    size_t length = BUFFER;

    *size = 0;
    while (length == BUFFER) {
        bench_check(xtf_node_read(node, *size, buffer, BUFFER, &length, &error), error, "%s", path);
        *size += length;
    }
    return bench_now() - begin;
}

static double median_of_windows(XtfTree *tree, const char *name, double share, double *worst)
{
    const XtfClock *clock = xtf_trace_clock(xtf_tree_trace(tree));
    uint64_t ticks = clock->last - clock->first, width = (uint64_t)((double)ticks * share) + 1, random = 1, size;
    double times[WINDOWS];

    for (int shift = 0; shift < 3; shift++) {
        random = 1;
        for (int i = 0; i < WINDOWS; i++) {
            uint64_t from = bench_below(&random, ticks - width + 2) + (uint64_t)shift;
            double second = (double)clock->resolution_num / (double)clock->resolution_den;
            g_autofree char *path = g_strdup_printf("/proc/%d/time/%.9f-%.9f/%s", i % 2, (double)from / second,
                                                    (double)(from + width) / second, name);
            times[i] = read_file(tree, path, &size);
        }
    }
    double median = bench_median(times, WINDOWS);
    *worst = times[WINDOWS - 1];
    return median;
}

static void report_windows(XtfTree *tree, const char *name, double share)
{
    double worst, median = median_of_windows(tree, name, share, &worst);
    g_autofree char *figure = g_strdup_printf("%s of a process in a window of %g%%, warm", name, share * 100);
    g_autofree char *text = bench_duration(median), *max = bench_duration(worst);

    bench_row(figure, "1 ms", NULL, "%s, at most %s", text, max);
}

static void report_all(XtfTrace *trace, const char *path, const char *target)
{
    g_autoptr(GError) error = NULL;
    double times[TIMES];
    uint64_t size;

    for (int i = -1; i < TIMES; i++) {
        g_autoptr(XtfTree) tree = xtf_tree_new(trace, &error);
        bench_check(tree, error, "tree");
        read_file(tree, "/proc/0/thread/0/profile", &size); /* loads the definitions */
        double time = read_file(tree, path, &size);
        if (i >= 0)
            times[i] = time;
    }
    g_autofree char *figure = g_strdup_printf("%s of all, warm", path + 1);
    g_autofree char *text = bench_duration(bench_median(times, TIMES));
    bench_row(figure, target, NULL, "%s", text);
}

static void report_lines(XtfTrace *trace, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTree) tree = xtf_tree_new(trace, &error);
    bench_check(tree, error, "tree");
    g_autofree char *line = g_strdup_printf("%.*snum/0-1/records", (int)(strlen(path) - strlen("records")), path);
    uint64_t size, width;

    read_file(tree, line, &width);
    read_file(tree, path, &size);
    double seconds = read_file(tree, path, &size);
    bench_row(path + 1, "millions of lines a second", NULL, "%.1f M lines/s of %" PRIu64 " bytes (%.3f s)",
              (double)size / (double)width / seconds / 1e6, width, seconds);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    const char *file = NULL;
    bool rows = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rows") == 0)
            rows = true;
        else
            file = argv[i];
    }
    if (!file)
        bench_fail(NULL, "usage: longest [--rows] FILE.xtf");
    g_autoptr(XtfTrace) trace = xtf_trace_open(file, NULL, &error);
    bench_check(trace, error, "%s", file);
    g_autoptr(XtfTree) tree = xtf_tree_new(trace, &error);
    bench_check(tree, error, "tree");
    if (!rows)
        bench_head();
    for (double share = 0.0001; share < 0.6; share *= share < 0.1 ? 10 : 5)
        report_windows(tree, "longest", share);
    report_windows(tree, "region/MPI_Recv/longest", 0.5);
    report_all(trace, "/longest", "5 ms");
    report_all(trace, "/region/MPI_Recv/longest", "5 ms");
    report_lines(trace, "/proc/0/calls/records");
    report_lines(trace, "/proc/0/enters_leaves/records");
    report_lines(trace, "/calls/records");
    return 0;
}
