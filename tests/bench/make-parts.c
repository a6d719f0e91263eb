/*
 * Writes parts as a recorder writes them, one for each process: calls, and a send after each tenth call. Each part
 * numbers its regions in a different order. With `whole`, writes all processes to one file.
 *
 *     make-parts PREFIX PARTS RECORDS [whole]      writes PREFIX-0000.xtf ..., or PREFIX-whole.xtf
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/xtf.h"
#include "src/model/schemas.h"

enum { REGIONS = 200 };

static const unsigned used[] = {XTF_MODEL_ENTERS_LEAVES, XTF_MODEL_SENDS,   XTF_MODEL_LOCATIONS,
                                XTF_MODEL_PROCESSES,     XTF_MODEL_REGIONS, XTF_MODEL_COMMUNICATORS,
                                XTF_MODEL_GROUPS,        XTF_MODEL_MEMBERS};

typedef struct {
    XtfWriter *writer;
    uint32_t ids[XTF_N_MODEL_SCHEMAS];
    uint32_t regions[REGIONS]; /* rows */
} File;

static void must(bool condition, GError *error)
{
    if (condition)
        return;
    fprintf(stderr, "make-parts: %s\n", error ? error->message : "failed");
    exit(1);
}

static uint32_t add_text(File *file, const char *string)
{
    GError *error = NULL;
    uint32_t id;
    must(xtf_writer_add_string(file->writer, string, &id, &error), error);
    return id;
}

static void append_definition(File *file, unsigned tag, const void *row)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(file->writer, file->ids[tag], &error);
    must(table && xtf_table_writer_append(table, row, NULL, &error), error);
}

static void open_file(File *file, const char *path, unsigned seed, unsigned n_procs)
{
    const XtfWriterOptions options = {.no_sync = true};
    GError *error = NULL;

    file->writer = xtf_writer_create(path, &options, &error);
    must(file->writer, error);
    for (unsigned i = 0; i < G_N_ELEMENTS(used); i++)
        must(xtf_writer_add_schema(file->writer, xtf_model_schema(used[i]), &file->ids[used[i]], &error), error);
    for (unsigned i = 0; i < REGIONS; i++) {
        unsigned region = (i * 7 + seed * 13) % REGIONS;
        g_autofree char *name = g_strdup_printf("region_%u", region);
        file->regions[region] = i;
        append_definition(file, XTF_MODEL_REGIONS,
                          &(XtfRegionRow){.line = XTF_NONE32, .end_line = XTF_NONE32, .name = add_text(file, name)});
    }
    append_definition(file, XTF_MODEL_GROUPS,
                      &(XtfGroupRow){.first = 0, .count = seed == 0 ? n_procs : 0, .name = add_text(file, "world")});
    for (unsigned i = 0; i < n_procs && seed == 0; i++)
        append_definition(file, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = i, .proc = i});
    append_definition(file, XTF_MODEL_COMMUNICATORS,
                      &(XtfCommunicatorRow){
                          .remote_group = XTF_NONE32, .parent = XTF_NONE32, .name = add_text(file, "MPI_COMM_WORLD")});
}

static void add_process(File *file, unsigned proc, uint32_t row)
{
    g_autofree char *name = g_strdup_printf("rank %u", proc);

    append_definition(
        file, XTF_MODEL_PROCESSES,
        &(XtfProcessRow){
            .proc = proc, .system_tree_node = XTF_NONE32, .creator = XTF_NONE32, .name = add_text(file, name)});
    append_definition(file, XTF_MODEL_LOCATIONS,
                      &(XtfLocationRow){.id = proc, .proc = proc, .process = row, .name = add_text(file, name)});
}

static void add_records(File *file, unsigned proc, unsigned n_procs, unsigned n)
{
    GError *error = NULL;
    XtfArrayWriter *calls = xtf_writer_array(file->writer, proc, file->ids[XTF_MODEL_ENTERS_LEAVES], &error);
    XtfArrayWriter *sends = xtf_writer_array(file->writer, proc, file->ids[XTF_MODEL_SENDS], &error);
    uint64_t time = 1000 + proc * 17, state = proc * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint32_t region = 0;

    for (unsigned i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        time += 50 + (state >> 40) % 200;
        if (i % 2 == 0)
            region = file->regions[(i / 2 % 50) * 4 + (state >> 62)];
        XtfEntersLeavesRow call = {
            .time = time, .seq = i, .region = region, .event = i % 2, .enter = i % 2, .outermost = 1, .depth = 1};
        must(xtf_array_writer_append(calls, &call, &error), error);
        if (i % 10 != 4)
            continue;
        XtfSendsRow send = {.time = time,
                            .seq = ++i,
                            .region = region,
                            .peer = (proc + 1) % n_procs,
                            .tag = i % 3,
                            .bytes = 8 << state % 12,
                            .request = XTF_NONE64};
        must(xtf_array_writer_append(sends, &send, &error), error);
        call.event = 1;
        call.enter = 1;
        call.seq = i + 1;
        must(xtf_array_writer_append(calls, &call, &error), error);
        i++;
    }
    must(xtf_array_writer_close(calls, &error) && xtf_array_writer_close(sends, &error), error);
}

static void close_file(File *file)
{
    GError *error = NULL;
    must(xtf_writer_close(file->writer, &error), error);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: make-parts PREFIX PARTS RECORDS [whole]\n", stderr);
        return 2;
    }
    unsigned n_parts = (unsigned)atoi(argv[2]), n = (unsigned)atoi(argv[3]);
    bool whole = argc > 4;
    File file;

    for (unsigned part = 0; part < n_parts; part++) {
        g_autofree char *path =
            whole ? g_strdup_printf("%s-whole.xtf", argv[1]) : g_strdup_printf("%s-%04u.xtf", argv[1], part);
        if (!whole || part == 0)
            open_file(&file, path, part, n_parts);
        add_process(&file, part, whole ? part : 0);
        add_records(&file, part, n_parts, n);
        if (!whole || part + 1 == n_parts)
            close_file(&file);
    }
    return 0;
}
