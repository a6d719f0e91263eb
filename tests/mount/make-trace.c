/*
 * Writes a trace whose records follow from a formula, so that a test can compute the answers to queries without xtf.
 * tests/mount/model.py has the same formula.
 *
 *     make-trace FILE PROCS THREADS RECORDS [PAGE_SIZE [plain]]
 *
 * Record k of (proc, thread), counted over all types, has the time 1000 * (k / 2) + 500 * (proc % 3) ns. So pairs of
 * records of a location have equal times, and so do locations. Kinds repeat every eight records: enter, send, leave;
 * enter, receive, leave; enter, leave. A process sends to the next one, and the k-th message received is the k-th
 * sent.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libxtf/writer.h"
#include "src/model/schemas.h"

static const char *const regions[] = {"main", "MPI_Send", "MPI_Recv", "compute"};

static void die(GError *error)
{
    fprintf(stderr, "make-trace: %s\n", error->message);
    exit(1);
}

static uint32_t string_id(XtfWriter *writer, const char *string)
{
    GError *error = NULL;
    uint32_t id;

    if (!xtf_writer_add_string(writer, string, &id, &error))
        die(error);
    return id;
}

static uint32_t schema_id(XtfWriter *writer, unsigned tag)
{
    GError *error = NULL;
    uint32_t id;

    if (!xtf_writer_add_schema(writer, xtf_model_schema(tag), &id, &error))
        die(error);
    return id;
}

static void add_row(XtfWriter *writer, unsigned tag, const void *row)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(writer, schema_id(writer, tag), &error);

    if (!table || !xtf_table_writer_append(table, row, NULL, &error))
        die(error);
}

static void write_definitions(XtfWriter *writer, unsigned procs, unsigned threads)
{
    char name[64];

    for (unsigned i = 0; i < G_N_ELEMENTS(regions); i++)
        add_row(writer, XTF_MODEL_REGIONS, &(XtfRegionRow){.line = XTF_NONE32, .name = string_id(writer, regions[i])});
    add_row(writer, XTF_MODEL_GROUPS, &(XtfGroupRow){.first = 0, .count = procs});
    add_row(writer, XTF_MODEL_COMMUNICATORS,
            &(XtfCommunicatorRow){.name = string_id(writer, "MPI_COMM_WORLD"), .group = 0, .remote_group = XTF_NONE32});
    for (unsigned p = 0; p < procs; p++) {
        snprintf(name, sizeof name, "rank %u", p);
        add_row(writer, XTF_MODEL_PROCESSES, &(XtfProcessRow){.proc = p, .id = p, .name = string_id(writer, name)});
        add_row(writer, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = p, .proc = p});
        for (unsigned t = 0; t < threads; t++)
            add_row(writer, XTF_MODEL_LOCATIONS,
                    &(XtfLocationRow){.id = (uint64_t)p * threads + t, .proc = p, .thread = t, .process = p});
    }
}

typedef struct {
    XtfArrayWriter *calls, *sends, *recvs, *postings;
    uint64_t n_recvs;
} Arrays;

static void append_record(XtfArrayWriter *array, const void *row)
{
    GError *error = NULL;

    if (!xtf_array_writer_append(array, row, &error))
        die(error);
}

/* Writes the receive of the message that was sent three records before. Its posting is this record. */
static void write_receive(Arrays *arrays, unsigned procs, unsigned p, uint64_t k, uint64_t time)
{
    const XtfRecvsRow row = {.time = time,
                             .seq = k,
                             .region = 2,
                             .peer = (p + procs - 1) % procs,
                             .tag = (k - 3) % 5,
                             .bytes = 1 + (k - 3) % 1000,
                             .request = XTF_NONE64};

    append_record(arrays->recvs, &row);
    append_record(arrays->postings, &(XtfPostingsRow){.time = time,
                                                      .seq = k,
                                                      .peer = row.peer,
                                                      .tag = row.tag,
                                                      .bytes = row.bytes,
                                                      .message = arrays->n_recvs++});
}

static void write_record(Arrays *arrays, unsigned procs, unsigned p, uint64_t k)
{
    static const uint32_t region_of[] = {1, 1, 1, 2, 2, 2, 3, 3};
    uint64_t time = 1000 * (k / 2) + 500 * (p % 3);
    uint32_t region = region_of[k % 8];
    bool enter = k % 8 == 0 || k % 8 == 3 || k % 8 == 6;

    if (k % 8 == 1)
        append_record(arrays->sends, &(XtfSendsRow){.time = time,
                                                    .seq = k,
                                                    .region = region,
                                                    .peer = (p + 1) % procs,
                                                    .tag = k % 5,
                                                    .bytes = 1 + k % 1000,
                                                    .request = XTF_NONE64});
    else if (k % 8 == 4)
        write_receive(arrays, procs, p, k, time);
    else
        append_record(arrays->calls, &(XtfEntersLeavesRow){.time = time,
                                                           .seq = k,
                                                           .region = region,
                                                           .event = !enter,
                                                           .enter = !enter,
                                                           .outermost = 1,
                                                           .depth = 1});
}

static XtfArrayWriter *array(XtfWriter *writer, uint64_t location, unsigned tag)
{
    GError *error = NULL;
    XtfArrayWriter *made = xtf_writer_array(writer, location, schema_id(writer, tag), &error);

    if (!made)
        die(error);
    return made;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("Usage: make-trace FILE PROCS THREADS RECORDS [PAGE_SIZE [plain]]\n", stderr);
        return 2;
    }
    unsigned procs = (unsigned)atoi(argv[2]), threads = (unsigned)atoi(argv[3]);
    uint64_t records = strtoull(argv[4], NULL, 10);
    const XtfWriterOptions options = {
        .page_size = argc > 5 ? (uint32_t)atoi(argv[5]) : 0, .codec = argc > 6 ? "plain" : NULL, .no_sync = true};
    GError *error = NULL;
    XtfWriter *writer = xtf_writer_create(argv[1], &options, &error);

    if (!writer)
        die(error);
    write_definitions(writer, procs, threads);
    for (unsigned p = 0; p < procs; p++) {
        for (unsigned t = 0; t < threads; t++) {
            uint64_t location = (uint64_t)p * threads + t;
            Arrays arrays = {array(writer, location, XTF_MODEL_ENTERS_LEAVES), array(writer, location, XTF_MODEL_SENDS),
                             array(writer, location, XTF_MODEL_RECVS), array(writer, location, XTF_MODEL_POSTINGS), 0};
            for (uint64_t k = 0; k < records; k++)
                write_record(&arrays, procs, p, k);
        }
    }
    if (!xtf_writer_close(writer, &error))
        die(error);
    return 0;
}
