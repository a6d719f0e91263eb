/*
 * Measures finding all members of single collective operations: for each member a select in its `collectives`, and its
 * two records.
 *
 *     members [--processes P] [--operations N] [--asked A] [--cache MIB] [--warm] [--keep FILE]
 *
 * Each of P processes (default 1000) takes part in N operations (default 2000) of one communicator, barriers and
 * reductions by turns. A random operations (default 50) are asked for; with --warm all of them were asked for once
 * before. The members of an operation send its number of bytes, so that the answer can be checked.
 */
#include <inttypes.h>
#include <unistd.h>

#include "bench.h"
#include "libxtf/xtf.h"
#include "opening.h"
#include "src/model/labels.h"
#include "src/model/schemas.h"
#include "src/tables/collectives/collective.h"

enum {
    LINE_MAX_BYTES = 256,
};

typedef struct {
    gint64 processes, operations, asked, cache;
    gboolean warm;
    char *keep;
} Shape;

/* ---- The trace. */

typedef struct {
    XtfWriter *writer;
    uint32_t schemas[XTF_N_MODEL_SCHEMAS];
} TraceWriter;

static void append_definition(const TraceWriter *out, unsigned table, const void *row)
{
    XtfTableWriter *rows = xtf_writer_table(out->writer, out->schemas[table], NULL);
    bench_check(rows && xtf_table_writer_append(rows, row, NULL, NULL), NULL, "a definition");
}

static void write_operation(XtfArrayWriter *array, uint64_t number, uint64_t *random)
{
    XtfCollectivesRow row = {.time = 1000000 * number + bench_below(random, 100000),
                             .seq = 2 * number,
                             .region = XTF_NONE32,
                             .event = XTF_LABEL_MPI_COLLECTIVE_BEGIN,
                             .operation = UINT8_MAX,
                             .comm = XTF_NONE32,
                             .root = XTF_NONE32,
                             .bytes = XTF_NONE64,
                             .received = XTF_NONE64,
                             .request = XTF_NONE64,
                             .n_to_n = UINT8_MAX};

    bench_check(xtf_array_writer_append(array, &row, NULL), NULL, "a record");
    row.time = 1000000 * number + 200000 + bench_below(random, 100000);
    row.seq++;
    row.event = XTF_LABEL_MPI_COLLECTIVE_END;
    row.operation = number % 2 ? 11 : 0; /* ALLREDUCE, BARRIER */
    row.comm = 0;
    row.bytes = row.received = number;
    bench_check(xtf_array_writer_append(array, &row, NULL), NULL, "a record");
}

static void generate_trace(const Shape *shape, const char *path)
{
    const XtfWriterOptions options = {.no_sync = true};
    g_autoptr(GError) error = NULL;
    TraceWriter out = {.writer = xtf_writer_create(path, &options, &error)};

    bench_check(out.writer, error, "%s", path);
    for (unsigned tag = 0; tag < XTF_N_MODEL_SCHEMAS; tag++)
        bench_check(xtf_writer_add_schema(out.writer, xtf_model_schema(tag), &out.schemas[tag], &error), error, "%s",
                    path);
    append_definition(&out, XTF_MODEL_GROUPS, &(XtfGroupRow){.count = (uint64_t)shape->processes});
    append_definition(&out, XTF_MODEL_COMMUNICATORS,
                      &(XtfCommunicatorRow){.remote_group = XTF_NONE32, .parent = XTF_NONE32});
    for (uint32_t i = 0; i < (uint64_t)shape->processes; i++) {
        append_definition(&out, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = i, .proc = i});
        append_definition(&out, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = i, .proc = i});
    }
    for (uint64_t i = 0; i < (uint64_t)shape->processes; i++) {
        XtfArrayWriter *array = xtf_writer_array(out.writer, i, out.schemas[XTF_MODEL_COLLECTIVES], &error);
        uint64_t random = i;
        bench_check(array, error, "%s", path);
        for (uint64_t number = 0; number < (uint64_t)shape->operations; number++)
            write_operation(array, number, &random);
        bench_check(xtf_array_writer_close(array, &error), error, "%s", path);
    }
    bench_check(xtf_writer_close(out.writer, &error), error, "%s", path);
}

/* ---- Measuring. */

static bool is_never_reserved(const XtfSchema *schema)
{
    return false;
}

/* Reads the whole file `members` of an operation, and checks the bytes of its last member. */
static void check_operation(XtfCollectives *collectives, uint64_t process, uint64_t number, char *buffer, size_t room)
{
    g_autoptr(GError) error = NULL;
    XtfCollectiveId id;
    uint64_t size;
    bool found;

    bench_check(xtf_collectives_identify(collectives, (uint32_t)process, 2 * number + 1, &id, &found, &error) && found,
                error, "operation %" PRIu64, number);
    bench_check(xtf_members_size(collectives, &id, &size, &error) && size < room, error, "size");
    bench_check(xtf_members_read(collectives, &id, false, 0, buffer, size, &error), error, "members");
    buffer[size] = '\0';
    char **cells = g_regex_split_simple(" +", strrchr(g_strchomp(buffer), '\n'), 0, 0);
    bench_check(g_ascii_strtoull(cells[7], NULL, 10) == number && g_str_equal(cells[9], "certain"), NULL,
                "operation %" PRIu64 " has a wrong member: %s", number, strrchr(buffer, '\n'));
    g_strfreev(cells);
}

static double time_operations(XtfCollectives *collectives, const Shape *shape, char *buffer, size_t room)
{
    g_autofree double *times = g_new(double, (gsize)shape->asked);
    uint64_t random = 1;

    for (gint64 i = 0; i < shape->asked; i++) {
        uint64_t process = bench_below(&random, (uint64_t)shape->processes);
        uint64_t number = bench_below(&random, (uint64_t)shape->operations);
        double begin = bench_processor_time();
        check_operation(collectives, process, number, buffer, room);
        times[i] = (bench_processor_time() - begin) / (double)shape->processes;
    }
    return bench_median(times, (size_t)shape->asked);
}

static void measure_operations(const Shape *shape, const char *path)
{
    g_autoptr(XtfTrace) trace = bench_open(path, (uint64_t)shape->cache);
    g_autofree char *cache = bench_cache_name(trace, (uint64_t)shape->cache);
    size_t room = (size_t)(shape->processes + 2) * LINE_MAX_BYTES;
    g_autofree char *buffer = g_malloc(room);
    XtfTraceContext context;
    GError *error = NULL;
    XtfCollectives collectives;
    double median;

    bench_check(xtf_trace_context_init(&context, trace, false, is_never_reserved, &error), error, "properties");
    xtf_collectives_init(&collectives, &context);
    median = time_operations(&collectives, shape, buffer, room);
    if (shape->warm) { /* clears the stored results of operations, but not the page cache */
        xtf_collectives_finish(&collectives);
        xtf_collectives_init(&collectives, &context);
        median = time_operations(&collectives, shape, buffer, room);
    }
    xtf_collectives_finish(&collectives);
    xtf_trace_context_finish(&context);
    g_autofree char *duration = bench_duration(median);
    g_autofree char *figure =
        g_strdup_printf("a member of a collective operation%s, %s", shape->warm ? ", warm" : "", cache);
    bench_row(figure, "5 us", NULL, "%s of processor time, median", duration);
}

static void work(const char *folder, void *data)
{
    const Shape *shape = data;
    g_autofree char *path = shape->keep ? g_strdup(shape->keep) : g_build_filename(folder, "members.xtf", NULL);

    if (!shape->keep || access(path, R_OK) != 0)
        generate_trace(shape, path);
    measure_operations(shape, path);
}

int main(int argc, char **argv)
{
    Shape shape = {.processes = 1000, .operations = 2000, .asked = 50, .cache = 0};
    const GOptionEntry entries[] = {
        {"processes", 'p', 0, G_OPTION_ARG_INT64, &shape.processes, "Default: 1000", "P"},
        {"operations", 'n', 0, G_OPTION_ARG_INT64, &shape.operations, "Operations of each process (default: 2000)",
         "N"},
        {"asked", 0, 0, G_OPTION_ARG_INT64, &shape.asked, "Operations to find (default: 50)", "A"},
        {"cache", 0, 0, G_OPTION_ARG_INT64, &shape.cache, "Cache of the reader (default: the library's default)",
         "MIB"},
        {"warm", 0, 0, G_OPTION_ARG_NONE, &shape.warm, "Find each once before", NULL},
        {"keep", 0, 0, G_OPTION_ARG_FILENAME, &shape.keep, "The file; generated if it does not exist", "FILE"},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && argc == 1 && shape.processes > 0 &&
                    shape.processes <= 1000000 && shape.operations > 0 && shape.asked > 0 && shape.cache >= 0,
                error, "bad arguments: see --help");
    return bench_in_folder(NULL, work, &shape);
}
