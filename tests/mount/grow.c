/*
 * grow FILE MILLISECONDS COMMITS [KEPT [PROCS [VOLUME [KEPT_VOLUMES]]]]: writes a trace with a commit every
 * MILLISECONDS, and closes it. If KEPT is not 0, the writer overwrites pages that only commits older than the last KEPT
 * ones reference. PROCS has a bit for each process of the file, which then is a part of the trace. If VOLUME is not 0,
 * each commit whose number it divides begins a volume. Its rows are plain, so that each volume has full pages.
 *
 * Everything is a function of its number, so that a reader can compute the contents (growing.py has the same
 * functions). Record n of process p is at time 10000 * (n + 1) + 7 * p, and its bytes are a hash of both. Process p
 * begins with record 400 * (p - 3), the first four with record 0. At a commit some processes are ahead of the
 * others, and all are complete up to the slowest one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/model/schemas.h"

enum { PROCS = 12, STEP = 10 };

static uint64_t begin_of(uint64_t proc)
{
    return proc < 4 ? 0 : 400 * (proc - 3);
}

static uint64_t time_of(uint64_t proc, uint64_t n)
{
    return 10000 * (n + 1) + 7 * proc;
}

static uint64_t bytes_of(uint64_t proc, uint64_t n)
{
    return (n * 31 + proc) * UINT64_C(2654435761) % 1000000007;
}

typedef struct {
    XtfWriter *writer;
    uint32_t sends, regions, locations;
    XtfArrayWriter *arrays[PROCS];
    uint64_t written[PROCS];
} Growth;

static void exit_on_error(bool succeeded, const GError *error)
{
    if (succeeded)
        return;
    fprintf(stderr, "grow: %s\n", error ? error->message : "failed");
    exit(1);
}

static void write_definition(Growth *growth, uint32_t table, const void *row)
{
    GError *error = NULL;
    XtfTableWriter *rows = xtf_writer_table(growth->writer, table, &error);
    exit_on_error(rows && xtf_table_writer_append(rows, row, NULL, &error), error);
}

static void add_region(Growth *growth, unsigned number)
{
    GError *error = NULL;
    g_autofree char *tail = g_strnfill(number % 60, 'x');
    g_autofree char *name = g_strdup_printf("region-%u-%s", number, tail);
    uint32_t string;

    exit_on_error(xtf_writer_add_string(growth->writer, name, &string, &error), error);
    write_definition(growth, growth->regions, &(XtfRegionRow){.line = XTF_NONE32, .name = string});
}

/* Appends the records of a process below record n. */
static void append_records(Growth *growth, uint64_t proc, uint64_t n)
{
    GError *error = NULL;

    if (n <= begin_of(proc))
        return;
    if (!growth->arrays[proc]) {
        write_definition(growth, growth->locations, &(XtfLocationRow){.id = proc, .proc = (uint32_t)proc});
        growth->arrays[proc] = xtf_writer_array(growth->writer, proc, growth->sends, &error);
        exit_on_error(growth->arrays[proc], error);
        growth->written[proc] = begin_of(proc);
    }
    for (; growth->written[proc] < n; growth->written[proc]++) {
        uint64_t i = growth->written[proc];
        const XtfSendsRow row = {.time = time_of(proc, i),
                                 .seq = i - begin_of(proc),
                                 .region = (uint32_t)(i / STEP),
                                 .peer = 0,
                                 .comm = XTF_NONE32,
                                 .bytes = bytes_of(proc, i),
                                 .request = XTF_NONE64};
        exit_on_error(xtf_array_writer_append(growth->arrays[proc], &row, &error), error);
    }
}

static void begin_volume(Growth *growth, const char *path)
{
    GError *error = NULL;
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    exit_on_error(descriptor >= 0 && xtf_writer_begin_volume(growth->writer, descriptor, name, &error), error);
    close(descriptor);
}

/* Ends a commit's records: closes the trace, begins a volume, or commits. */
static void end_commit(Growth *growth, const char *path, bool last, bool volume)
{
    GError *error = NULL;

    if (last)
        exit_on_error(xtf_writer_close(growth->writer, &error), error);
    else if (volume)
        begin_volume(growth, path);
    else
        exit_on_error(xtf_writer_commit(growth->writer, &error), error);
}

int main(int argc, char **argv)
{
    const uint32_t kept = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    const unsigned procs = argc > 5 ? (unsigned)atoi(argv[5]) : (1u << PROCS) - 1;
    const unsigned volume = argc > 6 ? (unsigned)atoi(argv[6]) : 0;
    const XtfWriterOptions options = {.no_sync = true,
                                      .keep_commits = kept,
                                      .keep_seconds = kept ? -1 : 0,
                                      .codec = volume ? "plain" : NULL,
                                      .keep_volumes = argc > 7 ? (uint32_t)atoi(argv[7]) : 0};
    Growth growth = {0};
    GError *error = NULL;

    if (argc < 4)
        return 2;
    unsigned n_commits = (unsigned)atoi(argv[3]);
    growth.writer = xtf_writer_create(argv[1], &options, &error);
    exit_on_error(growth.writer, error);
    exit_on_error(
        xtf_writer_add_schema(growth.writer, xtf_model_schema(XTF_MODEL_SENDS), &growth.sends, &error) &&
            xtf_writer_add_schema(growth.writer, xtf_model_schema(XTF_MODEL_REGIONS), &growth.regions, &error) &&
            xtf_writer_add_schema(growth.writer, xtf_model_schema(XTF_MODEL_LOCATIONS), &growth.locations, &error),
        error);
    for (unsigned i = 1; i <= n_commits; i++) {
        uint64_t complete = STEP * i;
        if (i == 1)
            add_region(&growth, 0);
        add_region(&growth, i); /* the region of the records that are ahead */
        for (uint64_t proc = 0; proc < PROCS; proc++)
            if (procs & 1u << proc)
                append_records(&growth, proc, complete + proc % 3 * 3);
        exit_on_error(xtf_writer_set_complete(growth.writer, time_of(0, complete), &error), error);
        end_commit(&growth, argv[1], i == n_commits, volume && i % volume == 0);
        if (i < n_commits)
            g_usleep((gulong)atoi(argv[2]) * 1000);
    }
    return 0;
}
