/*
 * Measures the compact codec: bytes a row, and rows a second packed and unpacked.
 *
 *     pack [--run N] [--level N] [--records N] [FILE.xtf]
 *
 * The rows are from a trace, by record type, or hard rows. A third of the hard rows are messages with random peers and
 * tags. Sizes and gaps between records are log-normal.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "libxtf/base/block-memory.h"
#include "libxtf/pack/deflate.h"
#include "libxtf/pack/pack.h"
#include "libxtf/pack/sampled-times.h"
#include "libxtf/xtf.h"
#include "src/model/schemas.h"

enum {
    ROUNDS = 3, /* figures are their medians */
    HARD_PEERS = 64,
    HARD_TAGS = 1000,
};

typedef struct {
    uint32_t run; /* number of rows that are packed together */
    unsigned level;
    uint64_t records;
} Arguments;

/* Rows of one schema, array after array, and the ends of the arrays. No run crosses the end of an array. */
typedef struct {
    const XtfSchema *schema;
    GByteArray *bytes;
    GArray *ends; /* uint64_t: number of rows up to the end of each array */
} Rows;

static Rows new_rows(const XtfSchema *schema)
{
    return (Rows){schema, g_byte_array_new(), g_array_new(FALSE, FALSE, sizeof(uint64_t))};
}

static void free_rows(Rows *rows)
{
    g_byte_array_unref(rows->bytes);
    g_array_unref(rows->ends);
}

static void end_array(Rows *rows)
{
    uint64_t n = rows->bytes->len / rows->schema->row_size;
    g_array_append_val(rows->ends, n);
}

typedef struct {
    const uint8_t *rows;
    uint32_t count, length;
    uint8_t *packed;
} Run;

static GArray *cut_runs(const Rows *rows, uint32_t length)
{
    GArray *runs = g_array_new(FALSE, FALSE, sizeof(Run));
    uint64_t n = 0;

    for (guint i = 0; i < rows->ends->len; i++)
        for (uint64_t end = g_array_index(rows->ends, uint64_t, i); n < end;) {
            uint32_t count = (uint32_t)MIN(length, end - n);
            Run run = {.rows = rows->bytes->data + n * rows->schema->row_size, .count = count};
            run.packed = g_malloc(xtf_pack_bound(rows->schema, count));
            g_array_append_val(runs, run);
            n += count;
        }
    return runs;
}

static uint32_t longest_run(const GArray *runs)
{
    uint32_t count = 0;
    for (guint i = 0; i < runs->len; i++)
        count = MAX(count, g_array_index(runs, Run, i).count);
    return count;
}

static void pack_all(const XtfSchema *schema, GArray *runs, unsigned level)
{
    for (guint i = 0; i < runs->len; i++) {
        Run *run = &g_array_index(runs, Run, i);
        run->length = xtf_pack(schema, run->rows, run->count, level, run->packed,
                               (uint32_t)xtf_pack_bound(schema, run->count), NULL);
    }
}

static void unpack_all_times(const XtfSchema *schema, GArray *runs, unsigned level)
{
    const char *fault = NULL;

    for (guint i = 0; i < runs->len; i++) {
        const Run *run = &g_array_index(runs, Run, i);
        uint32_t size;
        XTF_AUTO_BLOCK uint8_t *times =
            xtf_sampled_times_unpack(run->packed, run->length, run->count, 0, &size, &fault);
        bench_check(times, NULL, "%s", fault);
    }
}

static void unpack_all_rows(const XtfSchema *schema, GArray *runs, unsigned level)
{
    const char *fault = NULL;
    size_t row_size = schema->row_size;
    g_autofree uint8_t *rows = g_malloc(longest_run(runs) * row_size);

    for (guint i = 0; i < runs->len; i++) {
        const Run *run = &g_array_index(runs, Run, i);
        bench_check(xtf_unpack_rows(schema, run->packed, run->length, run->count, rows, &fault), NULL, "%s", fault);
        bench_check(memcmp(rows, run->rows, run->count * row_size) == 0, NULL, "the unpacked rows differ");
    }
}

/* Returns millions of rows a second. */
static double rate(void (*work)(const XtfSchema *, GArray *, unsigned), const XtfSchema *schema, GArray *runs,
                   unsigned level, uint64_t rows)
{
    double seconds[ROUNDS];

    for (unsigned i = 0; i < ROUNDS; i++) {
        double before = bench_now();
        work(schema, runs, level);
        seconds[i] = bench_now() - before;
    }
    return (double)rows / bench_median(seconds, ROUNDS) / 1e6;
}

/* Measures the packing of rows, and returns their packed bytes. */
static uint64_t measure_rows(const char *label, const char *target, const Rows *rows, const Arguments *arguments)
{
    const XtfSchema *schema = rows->schema;
    uint64_t n = rows->bytes->len / schema->row_size, bytes = 0;
    g_autoptr(GArray) runs = cut_runs(rows, arguments->run);
    double packing, times, all;

    pack_all(schema, runs, arguments->level); /* touches the memory before the measurement */
    packing = rate(pack_all, schema, runs, arguments->level, n);
    times = rate(unpack_all_times, schema, runs, 0, n);
    all = rate(unpack_all_rows, schema, runs, 0, n);
    for (guint i = 0; i < runs->len; i++) {
        bytes += g_array_index(runs, Run, i).length;
        g_free(g_array_index(runs, Run, i).packed);
    }
    g_autofree char *figure = g_strdup_printf("packing %" PRIu64 " rows of %s by %u, %s level %u", n, label,
                                              arguments->run, xtf_deflate->name, arguments->level);
    bench_row(figure, target, NULL, "%.3f B/row; packed %.0f M/s; unpacked %.0f M/s; times alone %.0f M/s",
              (double)bytes / (double)n, packing, all, times);
    return bytes;
}

static void read_array(Rows *rows, const XtfArray *array, uint64_t max_rows)
{
    GError *error = NULL;
    bool found = false;
    g_auto(XtfCursor) cursor;

    xtf_cursor_init(&cursor, array);
    bool good = xtf_cursor_seek_n(&cursor, 0, &found, &error);
    while (good && found && rows->bytes->len / rows->schema->row_size < max_rows) {
        uint64_t n = xtf_cursor_available(&cursor);
        g_byte_array_append(rows->bytes, xtf_cursor_row(&cursor), (guint)(n * rows->schema->row_size));
        good = xtf_cursor_next(&cursor, (int64_t)n, &found, &error);
    }
    bench_check(good, error, "location %" PRIu64, array->location);
    end_array(rows);
}

static void measure_trace(const char *path, const Arguments *arguments)
{
    GError *error = NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, &error);
    bench_check(trace, error, "%s", path);
    uint64_t n = xtf_trace_n_arrays(trace);
    g_autofree XtfArray *arrays = g_new(XtfArray, n);

    bench_check(xtf_trace_get_arrays(trace, 0, n, arrays, &error), error, "%s", path);
    for (uint32_t id = 0; id < xtf_trace_n_schemas(trace); id++) {
        Rows rows = new_rows(xtf_trace_schema(trace, id));
        for (uint64_t i = 0; i < n; i++)
            if (arrays[i].schema == rows.schema)
                read_array(&rows, &arrays[i], arguments->records);
        if (rows.bytes->len > 0)
            measure_rows(rows.schema->name, NULL, &rows, arguments);
        free_rows(&rows);
    }
}

static double random_normal(uint64_t *random)
{
    double u = (double)(bench_random(random) >> 11) * 0x1p-53, v = (double)(bench_random(random) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u + 0x1p-60)) * cos(2 * G_PI * v);
}

/* Makes calls of functions with a message inside. The time between rows is log-normal. */
static void make_hard_rows(Rows *calls, Rows *sends, uint64_t records)
{
    uint64_t random = 1, time = 0, seq = 0;

    while (seq < records) {
        XtfEntersLeavesRow call = {.region = (uint32_t)bench_below(&random, 40), .outermost = 1, .depth = 1};
        for (call.event = 0; call.event < 2; call.event++, call.enter = 1) {
            call.time = time += (uint64_t)exp(6 + 1.5 * random_normal(&random));
            call.seq = seq++;
            g_byte_array_append(calls->bytes, (const guint8 *)&call, sizeof call);
            if (call.event == 1)
                continue;
            XtfSendsRow send = {.time = time += (uint64_t)exp(6 + 1.5 * random_normal(&random)),
                                .seq = seq++,
                                .region = call.region,
                                .peer = (uint32_t)bench_below(&random, HARD_PEERS),
                                .tag = (uint32_t)bench_below(&random, HARD_TAGS),
                                .bytes = (uint64_t)exp(8 + 2 * random_normal(&random)),
                                .request = XTF_NONE64};
            g_byte_array_append(sends->bytes, (const guint8 *)&send, sizeof send);
        }
    }
    end_array(calls);
    end_array(sends);
}

static void measure_hard_rows(const Arguments *arguments)
{
    Rows calls = new_rows(xtf_model_schema(XTF_MODEL_ENTERS_LEAVES)),
         sends = new_rows(xtf_model_schema(XTF_MODEL_SENDS));
    make_hard_rows(&calls, &sends, arguments->records);
    uint64_t bytes =
        measure_rows("hard calls", NULL, &calls, arguments) + measure_rows("hard messages", NULL, &sends, arguments);
    double n = calls.bytes->len / calls.schema->row_size + sends.bytes->len / sends.schema->row_size;

    bench_row("hard rows together", "5 B/row", NULL, "%.3f B/row", (double)bytes / n);
    free_rows(&calls);
    free_rows(&sends);
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    gboolean rows_only = FALSE;
    int run = 4096, level = XTF_PACK_LEVEL_DEFAULT;
    gint64 records = 3000000;
    const GOptionEntry entries[] = {
        {"run", 0, 0, G_OPTION_ARG_INT, &run, "Rows that are packed together", "N"},
        {"level", 0, 0, G_OPTION_ARG_INT, &level, "Level of deflate", "1-9"},
        {"records", 0, 0, G_OPTION_ARG_INT64, &records, "Rows of each type at most, or hard rows", "N"},
        {"rows", 0, 0, G_OPTION_ARG_NONE, &rows_only, "Leave out the head of the table", NULL},
        {0}};
    g_autoptr(GOptionContext) context = g_option_context_new("[FILE.xtf]");

    g_set_prgname("pack");
    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && argc <= 2 && run > 0 && records > 0, error,
                "bad arguments");
    Arguments arguments = {.run = (uint32_t)run, .level = (unsigned)level, .records = (uint64_t)records};
    if (!rows_only)
        bench_head();
    if (argc == 2)
        measure_trace(argv[1], &arguments);
    else
        measure_hard_rows(&arguments);
    return 0;
}
