/*
 * Measures the example of the XTF paper: pages of 4 KiB, records of 64 bytes, index entries of 24.
 *
 *     papers-example [--records N] [--dir DIR] [--rows]
 *
 * The paper has 1 677 721 600 records, S = 170 entries a page, Z = 64 records a leaf, and 5 pages a search. XTF's pages
 * begin with a head of 64 bytes, so S = 168 and Z = 63, which gives the same height at this size.
 *
 * The full size is computed. A real file has N records (default 100 million, 6.5 GB). It has 4 levels as expected: 5
 * levels begin at 298 722 817 records, 19.4 GB. The library counts the cost of searches. It is compared with the cost
 * of a binary search in pages with these numbers of entries.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"

enum { PAGE = 4096, ROW = 64, ENTRY = 24, HEAD = 64, LEVELS_MAX = 16, SEARCHES = 200000 };

static const uint64_t PAPERS_RECORDS = 1677721600;

typedef struct {
    uint64_t records;
    uint64_t leaf_rows, entries; /* of a full page: Z and S */
    unsigned height;
    uint64_t pages[LEVELS_MAX]; /* by level, leaves first */
} Geometry;

static Geometry compute_geometry(uint64_t records, uint64_t leaf_rows, uint64_t entries)
{
    Geometry g = {.records = records, .leaf_rows = leaf_rows, .entries = entries, .height = 1};

    g.pages[0] = (records + leaf_rows - 1) / leaf_rows;
    for (; g.pages[g.height - 1] > 1; g.height++)
        g.pages[g.height] = (g.pages[g.height - 1] + entries - 1) / entries;
    return g;
}

/* Returns the comparisons of a binary search for the first of `count` keys not less than a key, when that is key
 * `result`. */
static unsigned search_cost(uint64_t count, uint64_t result)
{
    unsigned cost = 0;

    for (uint64_t low = 0, high = count; low < high; cost++) {
        uint64_t middle = low + (high - low) / 2;
        if (middle < result)
            low = middle + 1;
        else
            high = middle;
    }
    return cost;
}

/* Returns the comparisons of the search for the time of row n, when times are distinct. The search descends to the
 * leaf of row n - 1, the last one earlier. On every level it finds the entry of that row's child among all entries
 * but the first. */
static unsigned descent_cost(const Geometry *g, uint64_t n)
{
    uint64_t row = n > 0 ? n - 1 : 0, page = row / g->leaf_rows, rows_before = page * g->leaf_rows;
    unsigned cost = search_cost(MIN(g->leaf_rows, g->records - rows_before), n - rows_before);

    for (unsigned level = 1; level < g->height; level++) {
        uint64_t slot = page % g->entries, first = page - slot;
        page /= g->entries;
        cost += search_cost(MIN(g->entries, g->pages[level - 1] - first) - 1, slot);
    }
    return cost;
}

/* Returns the greatest cost: of full pages, on the path where each search is longest. */
static unsigned worst_cost(const Geometry *g)
{
    unsigned worst = 0, cost;

    for (uint64_t result = 0; result <= g->leaf_rows; result++)
        worst = MAX(worst, search_cost(g->leaf_rows, result));
    for (unsigned level = 1; level < g->height; level++) {
        uint64_t count = level + 1 < g->height ? g->entries : g->pages[level - 1];
        unsigned max = 0;
        for (uint64_t slot = 0; slot < count; slot++)
            max = (cost = search_cost(count - 1, slot)) > max ? cost : max;
        worst += max;
    }
    return worst;
}

/* Returns the mean cost over every `step`-th row. */
static double mean_cost(const Geometry *g, uint64_t step)
{
    uint64_t sum = 0, count = 0;

    for (uint64_t n = 0; n < g->records; n += step, count++)
        sum += descent_cost(g, n);
    return (double)sum / (double)count;
}

static void report_geometry(const char *label, const Geometry *g)
{
    g_autoptr(GString) pages = g_string_new(NULL);
    uint64_t index = 0;

    for (unsigned level = g->height; level-- > 0;) {
        g_string_append_printf(pages, "%s%" PRIu64, pages->len > 0 ? ", " : "", g->pages[level]);
        index += level > 0 ? g->pages[level] : 0;
    }
    g_autofree char *figure = g_strdup_printf("%s: %" PRIu64 " records, S = %" PRIu64 ", Z = %" PRIu64, label,
                                              g->records, g->entries, g->leaf_rows);
    bench_row(figure, "5 pages; 31.2 comparisons on average, 33 at worst", NULL,
              "%u pages a search; %s pages by level, %.2f%% index; %.1f comparisons on average, %u at worst", g->height,
              pages->str, 100.0 * (double)index / (double)g->pages[0], mean_cost(g, 10007), worst_cost(g));
}

/* Returns the time of row n. Times are distinct, at varying distances. */
static uint64_t time_of(uint64_t n)
{
    return 16 * n + (n * UINT64_C(0x9e3779b97f4a7c15) >> 60);
}

static const XtfFieldSpec fields[] = {
    {.name = "time", .type = XTF_TYPE_U64, .role = "time", .unit = "ticks"},
    {.name = "seq", .type = XTF_TYPE_U64},
    {.name = "a", .type = XTF_TYPE_U64},
    {.name = "b", .type = XTF_TYPE_U64},
    {.name = "c", .type = XTF_TYPE_U64},
    {.name = "d", .type = XTF_TYPE_U64},
    {.name = "e", .type = XTF_TYPE_U64},
    {.name = "f", .type = XTF_TYPE_U64},
    {0},
};

static void write_trace(const char *path, uint64_t records)
{
    const XtfWriterOptions options = {.page_size = PAGE, .codec = "plain", .no_sync = true};
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfSchema) schema = xtf_schema_new("rows", XTF_SCHEMA_RECORD, fields, &error);
    XtfWriter *writer = schema ? xtf_writer_create(path, &options, &error) : NULL;
    XtfArrayWriter *array = NULL;
    uint32_t id;

    if (writer && xtf_writer_add_schema(writer, schema, &id, &error))
        array = xtf_writer_array(writer, 0, id, &error);
    bench_check(array, error, "%s", path);
    double before = bench_now();
    for (uint64_t n = 0; n < records; n++) {
        uint64_t row[ROW / 8] = {GUINT64_TO_LE(time_of(n)), n, n, n, n, n, n, n};
        bench_check(xtf_array_writer_append(array, row, &error), error, "%s", path);
    }
    bench_check(xtf_writer_close(writer, &error), error, "%s", path);
    double seconds = bench_now() - before, bytes = (double)bench_file_size(path);
    bench_row("the same records written, no fsync", NULL, NULL,
              "%.1f M records/s, %.2f GB/s; %.4f bytes a byte of records", (double)records / seconds / 1e6,
              bytes / seconds / 1e9, bytes / ((double)records * ROW));
}

typedef struct {
    double visits, comparisons, seconds; /* means */
    uint64_t most_visits, most_comparisons;
} Cost;

/* Searches for the times of random rows. *expected is the computed mean of the comparisons. */
static Cost measure_search(const XtfArray *array, const Geometry *g, double *expected)
{
    g_autoptr(GError) error = NULL;
    XtfCounters before, after;
    Cost cost = {0};
    uint64_t random = 1, rank, computed = 0;

    for (unsigned i = 0; i < SEARCHES; i++) {
        uint64_t n = bench_below(&random, g->records);
        xtf_trace_get_counters(array->trace, &before);
        double begin = bench_now();
        bench_check(xtf_array_rank(array, time_of(n), &rank, &error), error, "rank");
        cost.seconds += bench_now() - begin;
        xtf_trace_get_counters(array->trace, &after);
        bench_check(rank == n, NULL, "row %" PRIu64 " was found as row %" PRIu64, n, rank);
        uint64_t visits = after.page_visits - before.page_visits;
        uint64_t comparisons = after.key_comparisons - before.key_comparisons;
        bool no_descent = comparisons == 0; /* the first time, or one after the last: the search needs no descent */
        computed += no_descent ? 0 : descent_cost(g, n);
        cost.visits += (double)visits;
        cost.comparisons += (double)comparisons;
        cost.most_visits = MAX(cost.most_visits, visits);
        cost.most_comparisons = MAX(cost.most_comparisons, comparisons);
    }
    cost.visits /= SEARCHES;
    cost.comparisons /= SEARCHES;
    cost.seconds /= SEARCHES;
    *expected = (double)computed / SEARCHES;
    return cost;
}

static void report_search(const char *path, const Geometry *g)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    XtfArray array;
    double expected;

    bench_check(trace && xtf_trace_get_arrays(trace, 0, 1, &array, &error), error, "%s", path);
    bench_check(xtf_array_height(&array) == g->height, NULL, "%u levels, but %u by arithmetic",
                xtf_array_height(&array), g->height);
    Cost cost = measure_search(&array, g, &expected);
    g_autofree char *figure =
        g_strdup_printf("a real file of %" PRIu64 " records: a search for a random row's time", g->records);
    g_autofree char *target = g_strdup_printf("computed: %u pages; these searches %.3f comparisons, at worst %u",
                                              g->height, expected, worst_cost(g));
    g_autofree char *time = bench_duration(cost.seconds), *cache = bench_cache_name(trace, 0);
    bench_row(figure, target, NULL,
              "%.3f pages on average, %" PRIu64 " at most; %.3f comparisons on average, %" PRIu64
              " at most; %s with %s",
              cost.visits, cost.most_visits, cost.comparisons, cost.most_comparisons, time, cache);
    bench_check(fabs(cost.comparisons - expected) < 1e-9 && cost.most_visits == g->height, NULL,
                "the cost of the searches differs from the computed cost");
}

static void work(const char *folder, void *data)
{
    const uint64_t *records = data;
    Geometry real = compute_geometry(*records, (PAGE - HEAD) / ROW, (PAGE - HEAD) / ENTRY);
    g_autofree char *path = g_build_filename(folder, "paper.xtf", NULL);
    uint64_t needed = *records * 66, available = bench_free_space(folder);

    bench_check(available > needed + needed / 10, NULL, "%s: %" PRIu64 " MB are needed, %" PRIu64 " MB are free",
                folder, needed >> 20, available >> 20);
    write_trace(path, *records);
    report_search(path, &real);
}

int main(int argc, char **argv)
{
    gint64 records = 100000000;
    gboolean rows_only = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"records", 'n', 0, G_OPTION_ARG_INT64, &records, "Records of the real file (default: 100 million)", "N"},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &dir, "Folder for the file", "DIR"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && records > 0, error, "bad arguments");
    Geometry paper = compute_geometry(PAPERS_RECORDS, PAGE / ROW, PAGE / ENTRY);
    Geometry xtf = compute_geometry(PAPERS_RECORDS, (PAGE - HEAD) / ROW, (PAGE - HEAD) / ENTRY);
    uint64_t n = (uint64_t)records;

    if (!rows_only)
        bench_head();
    report_geometry("by arithmetic, the paper", &paper);
    report_geometry("by arithmetic, ours", &xtf);
    return bench_in_folder(dir, work, &n);
}
