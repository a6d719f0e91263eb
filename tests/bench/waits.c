/*
 * Waits by kind and region in a window of time: what `waits/profile` of a location adds up.
 *
 *     waits [--waits N] [--cache MIB] [--dir DIR] [--rows]
 *
 * One location waits N times (default 400 000), of 4 kinds in 9 regions by chance. A window lies anywhere, so a wait
 * lies across each of its edges, mostly. The page cache is the default one unless --cache says otherwise, and all
 * windows were asked twice before: the time is that of an answer from what is in memory.
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

static void generate(const Shape *shape, const char *path)
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

/* ---- Asking. */

typedef struct {
    XtfTrace *trace;
    XtfTraceContext context;
    XtfKeeper lists;
    XtfArray array;
    XtfSelection *waits;
    XtfKindTotals asked; /* its aggregate */
    XtfLastingTotals lasting;
} Bench;

typedef struct {
    uint64_t from, to;
} Window;

static bool is_never_reserved(const XtfSchema *schema)
{
    return false;
}

static void load(Bench *bench, const char *path, uint64_t cache_mib)
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
    bench_check(xtf_kind_totals_list(&bench->asked, &bench->lists, &bench->context, bench->waits, &xtf_kinds_of_waits,
                                     &error) &&
                    xtf_lasting_totals_init(&bench->lasting, &bench->context, bench->waits, &bench->asked.ref, 2,
                                            "amount", &error),
                error, "%s", path);
    bench_check(bench->asked.n == REGIONS * G_N_ELEMENTS(kinds), NULL, "%u groups", bench->asked.n);
}

static void unload(Bench *bench)
{
    xtf_lasting_totals_finish(&bench->lasting);
    xtf_kind_totals_finish(&bench->asked);
    xtf_keeper_finish(&bench->lists);
    xtf_selection_unref(bench->waits);
    xtf_trace_context_finish(&bench->context);
    xtf_trace_unref(bench->trace);
}

/* What a window costs a location. */
static void ask_sums(Bench *bench, const Window *window)
{
    g_autoptr(GError) error = NULL;

    xtf_group_totals_clear(bench->lasting.totals.groups);
    bench_check(xtf_lasting_totals_add(&bench->lasting, &bench->array, 0, window->from, window->to, &error), error,
                "sums");
}

/* All that the lines need. */
static void ask_lines(Bench *bench, const Window *window)
{
    g_autoptr(XtfSelection) selection = xtf_selection_in_window(bench->waits, window->from, window->to);
    g_autoptr(GError) error = NULL;
    XtfKindTotals totals;

    bench_check(xtf_kind_totals_load(&totals, &bench->lists, &bench->context, selection, &xtf_kinds_of_waits, &error),
                error, "lines");
    xtf_kind_totals_finish(&totals);
}

typedef void (*Ask)(Bench *bench, const Window *window);

static double median_time(Bench *bench, Ask ask, const Window *windows)
{
    g_autofree double *times = g_new(double, WINDOWS *REPEATS);
    size_t n = 0;

    for (unsigned i = 0; i < 2 * WINDOWS; i++)
        ask(bench, &windows[i / 2]);
    for (unsigned repeat = 0; repeat < REPEATS; repeat++)
        for (unsigned i = 0; i < WINDOWS; i++) {
            double begin = bench_now();
            ask(bench, &windows[i]);
            times[n++] = bench_now() - begin;
        }
    return bench_median(times, n);
}

static void report(Bench *bench, double share, uint64_t cache_mib)
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
    g_autofree char *of_sums = bench_duration(median_time(bench, ask_sums, windows));
    g_autofree char *of_lines = bench_duration(median_time(bench, ask_lines, windows));
    bench_row(sums, "10 us", NULL, "%s", of_sums);
    bench_row(lines, NULL, NULL, "%s", of_lines);
}

static void work(const char *folder, void *data)
{
    const double shares[] = {0.0001, 0.01, 0.5};
    const Shape *shape = data;
    g_autofree char *path = g_build_filename(folder, "waits.xtf", NULL);
    Bench bench = {0};

    generate(shape, path);
    load(&bench, path, (uint64_t)shape->cache);
    for (size_t i = 0; i < G_N_ELEMENTS(shares); i++)
        report(&bench, shares[i], (uint64_t)shape->cache);
    unload(&bench);
}

int main(int argc, char **argv)
{
    Shape shape = {.waits = 400000};
    gboolean rows_only = FALSE;
    g_autofree char *dir = NULL;
    const GOptionEntry entries[] = {
        {"waits", 'n', 0, G_OPTION_ARG_INT64, &shape.waits, "Waits of the location (default: 400 000)", "N"},
        {"cache", 0, 0, G_OPTION_ARG_INT64, &shape.cache, "Of the pages (default: the library's default)", "MIB"},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &dir, "Where to put the file", "DIR"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "No head above the table", NULL},
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
