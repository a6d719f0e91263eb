/*
 * Measures waits by kind and region in a window of time: the totals of `waits/profile` of a location.
 *
 *     waits [--waits N] [--cache MIB] [--dir DIR] [--rows]
 *
 * One location waits N times (default 400 000), with random ones of 4 kinds and 9 regions. A window is at a random
 * place, so that usually a wait crosses each of its edges. The page cache has its default size, or that of --cache. All
 * windows were read twice before: the figure is the time of an answer from memory.
 */
#include <inttypes.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"
#include "src/model/labels.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"
#include "src/tables/totals/waits/kind-totals.h"
#include "src/tables/totals/waits/lasting-totals.h"

enum { WINDOWS = 400, REPEATS = 20, REGIONS = 9, LONGEST = 1000 };

static const uint8_t kinds[] = {XTF_LABEL_late_sender, XTF_LABEL_late_receiver, XTF_LABEL_wait_nxn,
                                XTF_LABEL_wait_barrier};

typedef struct {
    gint64 waits, cache;
} Shape;

/* ---- The trace. */

static XtfWaitsRow random_wait(uint64_t number, uint64_t *random)
{
    uint64_t amount = 1 + bench_below(random, LONGEST);

    return (XtfWaitsRow){
        .time = (number + 1) * 2 * LONGEST + bench_below(random, LONGEST),
        .seq = number,
        .region = (uint32_t)bench_below(random, REGIONS),
        .event = kinds[bench_below(random, G_N_ELEMENTS(kinds))],
        .amount = amount,
        .indirect = bench_below(random, amount + 1),
        .propagating = bench_below(random, amount + 1),
        .part_kind = UINT8_MAX,
        .culprit = (uint32_t)bench_below(random, 64),
        .context = XTF_NONE32,
        .comm = XTF_NONE32,
        .tag = XTF_NONE32,
        .bytes = XTF_NONE64,
        .match = number,
        .cause = XTF_NONE64,
        .met = XTF_NONE64,
        .culprit_met = XTF_NONE64,
    };
}

static void generate_trace(const Shape *shape, const char *path)
{
    const XtfWriterOptions options = {.no_sync = true};
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &options, &error);
    const XtfLocationRow location = {.id = 0};
    uint32_t locations, records, waits;
    uint64_t random = 1;

    bench_check(writer && xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_LOCATIONS), &locations, &error) &&
                    xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_ENTERS_LEAVES), &records, &error) &&
                    xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_WAITS), &waits, &error),
                error, "%s", path);
    bench_check(xtf_table_writer_append(xtf_writer_table(writer, locations, NULL), &location, NULL, &error), error,
                "%s", path);
    XtfArrayWriter *array = xtf_writer_array(writer, 0, records, &error);
    for (uint64_t i = 0; i < 2; i++) {
        const XtfEntersLeavesRow row = {
            .time = i * (uint64_t)(shape->waits + 2) * 2 * LONGEST, .seq = i, .event = i != 0, .enter = i};
        bench_check(array && xtf_array_writer_append(array, &row, &error), error, "%s", path);
    }
    array = xtf_writer_array(writer, 0, waits, &error);
    for (uint64_t i = 0; i < (uint64_t)shape->waits; i++) {
        const XtfWaitsRow row = random_wait(i, &random);
        bench_check(array && xtf_array_writer_append(array, &row, &error), error, "%s", path);
    }
    bench_check(xtf_writer_close(writer, &error), error, "%s", path);
}

/* ---- Measuring. */

typedef struct {
    XtfTrace *trace;
    XtfTraceContext context;
    XtfKeeper lists;
    XtfArray array;
    XtfSelection *waits;
    XtfKindTotals kinds_of_location; /* the aggregate of the kinds */
    XtfLastingTotals lasting;
} Bench;

typedef struct {
    uint64_t from, to;
} Window;

static bool is_never_reserved(const XtfSchema *schema)
{
    return false;
}

static void load_trace(Bench *bench, const char *path, uint64_t cache_mib)
{
    g_autoptr(GError) error = NULL;
    bool found;

    bench->trace = bench_open(path, cache_mib);
    bench_check(xtf_trace_context_init(&bench->context, bench->trace, false, is_never_reserved, &error), error, "%s",
                path);
    xtf_group_lists_init(&bench->lists);
    const XtfSchema *schema = xtf_trace_find_schema(bench->trace, "waits");
    bench_check(xtf_trace_find_array(bench->trace, 0, schema->id, &bench->array, &found, &error) && found, error, "%s",
                path);
    g_autoptr(XtfSelection) all = xtf_selection_new(&bench->context);
    bench->waits = xtf_selection_in_type(all, schema->id);
    bench_check(xtf_kind_totals_list(&bench->kinds_of_location, &bench->lists, &bench->context, bench->waits,
                                     &xtf_kinds_of_waits, &error) &&
                    xtf_lasting_totals_init(&bench->lasting, &bench->context, bench->waits,
                                            &bench->kinds_of_location.ref, 2, "amount", &error),
                error, "%s", path);
    bench_check(bench->kinds_of_location.n == REGIONS * G_N_ELEMENTS(kinds), NULL, "%u groups",
                bench->kinds_of_location.n);
}

static void unload_trace(Bench *bench)
{
    xtf_lasting_totals_finish(&bench->lasting);
    xtf_kind_totals_finish(&bench->kinds_of_location);
    xtf_keeper_finish(&bench->lists);
    xtf_selection_unref(bench->waits);
    xtf_trace_context_finish(&bench->context);
    xtf_trace_unref(bench->trace);
}

/* Computes the sums of a window of the location. */
static void query_sums(Bench *bench, const Window *window)
{
    g_autoptr(GError) error = NULL;

    xtf_group_totals_clear(bench->lasting.totals.groups);
    bench_check(xtf_lasting_totals_add(&bench->lasting, &bench->array, 0, window->from, window->to, &error), error,
                "sums");
}

/* Computes all data of the table's lines. */
static void query_lines(Bench *bench, const Window *window)
{
    g_autoptr(XtfSelection) selection = xtf_selection_in_window(bench->waits, window->from, window->to);
    g_autoptr(GError) error = NULL;
    XtfKindTotals totals;

    bench_check(xtf_kind_totals_load(&totals, &bench->lists, &bench->context, selection, &xtf_kinds_of_waits, &error),
                error, "lines");
    xtf_kind_totals_finish(&totals);
}

typedef void (*Query)(Bench *bench, const Window *window);

static double median_time(Bench *bench, Query query, const Window *windows)
{
    g_autofree double *times = g_new(double, WINDOWS *REPEATS);
    size_t n = 0;

    for (unsigned i = 0; i < 2 * WINDOWS; i++)
        query(bench, &windows[i / 2]);
    for (unsigned repeat = 0; repeat < REPEATS; repeat++)
        for (unsigned i = 0; i < WINDOWS; i++) {
            double begin = bench_now();
            query(bench, &windows[i]);
            times[n++] = bench_now() - begin;
        }
    return bench_median(times, n);
}

static void report_share(Bench *bench, double share, uint64_t cache_mib)
{
    const XtfClock *clock = xtf_trace_clock(bench->trace);
    uint64_t span = clock->last + 1 - clock->first, width = (uint64_t)((double)span * share), random = 2;
    g_autofree Window *windows = g_new(Window, WINDOWS);

    for (unsigned i = 0; i < WINDOWS; i++) {
        windows[i].from = clock->first + bench_below(&random, span - width);
        windows[i].to = windows[i].from + width;
    }
    g_autofree char *cache = bench_cache_name(bench->trace, cache_mib);
    g_autofree char *sums =
        g_strdup_printf("waits by kind and region in a window of %g%%, warm, %s", share * 100, cache);
    g_autofree char *lines = g_strdup_printf("the same, and the lines of `waits/profile`");
    g_autofree char *sums_text = bench_duration(median_time(bench, query_sums, windows));
    g_autofree char *lines_text = bench_duration(median_time(bench, query_lines, windows));
    bench_row(sums, "10 us", NULL, "%s", sums_text);
    bench_row(lines, NULL, NULL, "%s", lines_text);
}

static void work(const char *folder, void *data)
{
    const double shares[] = {0.0001, 0.01, 0.5};
    const Shape *shape = data;
    g_autofree char *path = g_build_filename(folder, "waits.xtf", NULL);
    Bench bench = {0};

    generate_trace(shape, path);
    load_trace(&bench, path, (uint64_t)shape->cache);
    for (size_t i = 0; i < G_N_ELEMENTS(shares); i++)
        report_share(&bench, shares[i], (uint64_t)shape->cache);
    unload_trace(&bench);
}

int main(int argc, char **argv)
{
    Shape shape = {.waits = 400000};
    gboolean rows_only = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"waits", 'n', 0, G_OPTION_ARG_INT64, &shape.waits, "Waits of the location (default: 400 000)", "N"},
        {"cache", 0, 0, G_OPTION_ARG_INT64, &shape.cache, "Page cache (default: the library's default)", "MIB"},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &dir, "Folder for the file", "DIR"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Do not print the head of the table", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && shape.waits > 1000 && shape.cache >= 0, error,
                "bad arguments");
    if (!rows_only)
        bench_head();
    return bench_in_folder(dir, work, &shape);
}
