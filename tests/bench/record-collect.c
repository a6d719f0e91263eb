/*
 * What packing costs the collector: records as programs of MPI make them, decoded, and written to a file with a commit
 * after each so many of them.
 *
 * usage: record-collect FILE [EVENTS [COMMITS]]
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "src/record/collect/part.h"
#include "src/record/collect/process.h"

enum { BATCH_BYTES = 1 << 20, PER_STEP = 12 };

typedef struct {
    uint8_t *data;
    size_t size;
    uint64_t time, request, random;
} Batch;

static double cpu(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static uint64_t next_random(Batch *batch, uint64_t below)
{
    batch->random = batch->random * 6364136223846793005 + 1442695040888963407;
    return (batch->random >> 33) % below;
}

static void put(Batch *batch, unsigned kind, uint32_t region, uint32_t arg, unsigned n, uint64_t a, uint64_t b,
                uint64_t c)
{
    const uint64_t words[] = {batch->time, kind | (uint64_t)region << 8 | (uint64_t)arg << 32, a, b, c};

    memcpy(batch->data + batch->size, words, 8 * (2 + n));
    batch->size += 8 * (2 + n);
    batch->time += 40 + next_random(batch, 200); /* clocks are never regular */
}

static void call(Batch *batch, uint32_t region)
{
    put(batch, XTF_WIRE_ENTER, region, 0, 0, 0, 0, 0);
}

static void end(Batch *batch, uint32_t region)
{
    put(batch, XTF_WIRE_LEAVE, region, 0, 0, 0, 0, 0);
}

/* Irecv, Isend, Waitall with a neighbour; at times an operation of all: PER_STEP records, about. */
static uint64_t put_step(Batch *batch, uint64_t step)
{
    uint64_t comm_tag = 1 | (uint64_t)(5 + step % 3) << 32, bytes = 8 << next_random(batch, 10);
    uint32_t peer = step % 4;

    call(batch, 20);
    put(batch, XTF_WIRE_IRECV_REQUEST, 0, 0, 1, ++batch->request, 0, 0);
    end(batch, 20);
    call(batch, 21);
    put(batch, XTF_WIRE_ISEND, 0, peer, 3, comm_tag, bytes, ++batch->request);
    end(batch, 21);
    call(batch, 22);
    put(batch, XTF_WIRE_IRECV, 0, peer, 3, comm_tag, bytes, batch->request - 1);
    put(batch, XTF_WIRE_ISEND_COMPLETE, 0, 0, 1, batch->request, 0, 0);
    end(batch, 22);
    if (step % 8 != 0)
        return 10;
    call(batch, 23);
    put(batch, XTF_WIRE_COLLECTIVE_BEGIN, 0, 0, 0, 0, 0, 0);
    put(batch, XTF_WIRE_COLLECTIVE_END, 11, UINT32_MAX, 3, 1, 8, 8);
    end(batch, 23);
    return 14;
}

static void fail(GError *error)
{
    fprintf(stderr, "record-collect: %s\n", error ? error->message : "a ring is malformed");
    exit(1);
}

static void commit(XtfCollector *collector, XtfCollectRing *ring, XtfWriter *writer)
{
    GError *error = NULL;

    xtf_collect_process_update(collector, &ring, 1);
    if (!xtf_collect_tables_write(&collector->tables, &error) || !xtf_writer_commit(writer, &error))
        fail(error);
}

int main(int argc, char **argv)
{
    uint64_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000000,
             commits = argc > 3 ? strtoull(argv[3], NULL, 10) : 18;
    uint64_t n = 0, step = 0, committed = 0;
    XtfCollector collector;
    XtfCollectRing ring;
    XtfCollectPart part;
    GError *error = NULL;
    double packing = 0, committing = 0, ending;
    Batch batch = {.data = g_malloc(BATCH_BYTES + 4096), .time = 1000};

    if (argc < 2)
        return 2;
    g_autofree char *folder = g_path_get_dirname(argv[1]);
    if (!xtf_collect_part_create(&part, folder, XTF_NONE32, 900000, &error))
        fail(error);
    xtf_collector_init(&collector, part.writer, part.schemas, xtf_collect_rows);
    collector.clock =
        (XtfCollectClock){.source = XTF_WIRE_CLOCK_MONOTONIC, .multiplier = UINT64_C(1654504449), .shift = 32};
    collector.rank = 0;
    collector.world_size = 4;
    xtf_collect_ring_init(&ring, &collector, 0);
    put(&batch, XTF_WIRE_OWNER, 0, 1, 1, 0, 0, 0);
    while (n < wanted) {
        while (batch.size < BATCH_BYTES - 2048)
            n += put_step(&batch, step++);
        size_t taken;
        double before = cpu();
        if (!xtf_collect_decode(&ring, batch.data, batch.size, batch.size, &taken))
            fail(ring.stream.error);
        packing += cpu() - before;
        batch.size = 0;
        for (; committed < commits * n / wanted; committed++) {
            before = cpu();
            commit(&collector, &ring, part.writer);
            committing += cpu() - before;
        }
    }
    double before = cpu();
    if (!xtf_collect_ring_end(&ring))
        fail(ring.stream.error);
    commit(&collector, &ring, part.writer);
    if (!xtf_collect_part_close(&part, &error))
        fail(error);
    ending = cpu() - before;

    struct stat status;
    struct rusage usage;
    g_stat(part.path, &status);
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " events: packing %.1f ns an event; %" PRIu64
           " commits of %.2f ms, the end %.2f ms; %.2f bytes an event; %.1f MiB of memory\n",
           n, packing * 1e9 / n, commits, commits > 0 ? committing * 1e3 / commits : 0, ending * 1e3,
           (double)status.st_size / n, usage.ru_maxrss / 1024.0);
    g_rename(part.path, argv[1]);
    xtf_collect_ring_finish(&ring);
    xtf_collector_finish(&collector);
    xtf_collect_part_finish(&part);
    g_free(batch.data);
    return 0;
}
