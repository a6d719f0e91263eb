#include "made-up.h"

#include <inttypes.h>

#include "bench.h"

static void append_definition(const BenchRun *run, unsigned table, const void *row)
{
    g_autoptr(GError) error = NULL;
    XtfTableWriter *rows = xtf_writer_table(run->writer, run->schemas[table], &error);

    bench_check(rows && xtf_table_writer_append(rows, row, NULL, &error), error, "%s", run->path);
}

static uint32_t add_text(const BenchRun *run, const char *name)
{
    g_autoptr(GError) error = NULL;
    uint32_t id;

    bench_check(xtf_writer_add_string(run->writer, name, &id, &error), error, "%s", run->path);
    return id;
}

void bench_run_begin(BenchRun *run, const char *path, const XtfWriterOptions *options)
{
    g_autoptr(GError) error = NULL;

    *run = (BenchRun){.path = path, .writer = xtf_writer_create(path, options, &error)};
    bench_check(run->writer, error, "%s", path);
    for (unsigned tag = 0; tag < XTF_N_MODEL_SCHEMAS; tag++)
        bench_check(xtf_writer_add_schema(run->writer, xtf_model_schema(tag), &run->schemas[tag], &error), error, "%s",
                    path);
}

static void define_process(const BenchRun *run, uint32_t proc, uint32_t name)
{
    append_definition(
        run, XTF_MODEL_PROCESSES,
        &(XtfProcessRow){
            .proc = proc, .id = proc, .system_tree_node = XTF_NONE32, .creator = XTF_NONE32, .name = name});
    append_definition(run, XTF_MODEL_LOCATIONS,
                      &(XtfLocationRow){.id = proc, .proc = proc, .process = proc, .name = name});
    append_definition(run, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = proc, .proc = proc});
}

void bench_run_define(const BenchRun *run, uint64_t n_processes, const char *const *regions, uint64_t n_regions)
{
    uint32_t empty = add_text(run, "");

    for (uint64_t i = 0; i < n_regions; i++)
        append_definition(run, XTF_MODEL_REGIONS,
                          &(XtfRegionRow){.line = XTF_NONE32,
                                          .end_line = XTF_NONE32,
                                          .canonical = empty,
                                          .description = empty,
                                          .file = empty,
                                          .name = add_text(run, regions[i])});
    for (uint64_t i = 0; i < n_processes; i++) {
        g_autofree char *name = g_strdup_printf("rank %" PRIu64, i);
        define_process(run, (uint32_t)i, add_text(run, name));
    }
    append_definition(run, XTF_MODEL_GROUPS, &(XtfGroupRow){.count = n_processes, .name = add_text(run, "world")});
    append_definition(run, XTF_MODEL_COMMUNICATORS,
                      &(XtfCommunicatorRow){
                          .remote_group = XTF_NONE32, .parent = XTF_NONE32, .name = add_text(run, "MPI_COMM_WORLD")});
}

void bench_run_end(BenchRun *run)
{
    g_autoptr(GError) error = NULL;

    bench_check(xtf_writer_close(run->writer, &error), error, "%s", run->path);
}
