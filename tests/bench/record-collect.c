/*
 * Measures packing in the collector: decodes records as MPI programs make them, and writes them to a file with COMMITS
 * commits. The records are generated, or from a process whose memory record-keep stored. Figures are the least of
 * several rounds.
 *
 * usage: record-collect FILE [EVENTS|MEMORY [COMMITS [SITES]]]
 *
 * SITES 0 leaves call sites out, so the same records show what sites cost.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/record/collect/memory.h"
#include "src/record/collect/part.h"
#include "src/record/collect/rows/process.h"

enum { EVENTS = 2000000, COMMITS = 18, ROUNDS = 5, PORTION = 256 << 10, EVENT_BYTES = 40 };

/* Records of one ring. */
typedef struct {
    uint8_t *data;
    size_t size;
    uint64_t time, request, random;
} Batch;

/* The records to pack. */
typedef struct {
    Batch *batches;
    uint32_t n;
    size_t size; /* bytes of all batches */
    bool has_sites;
    XtfCollectClock clock;
} Source;

typedef struct {
    uint64_t events;
    double packing, committing, ending; /* seconds of processor time */
    off_t bytes;
} Figures;

static double processor_time(void)
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

static void put_record(Batch *batch, unsigned kind, uint32_t region, uint32_t arg, unsigned n, uint64_t a, uint64_t b,
                       uint64_t c)
{
    const uint64_t words[] = {batch->time, kind | (uint64_t)region << 8 | (uint64_t)arg << 32, a, b, c};

    memcpy(batch->data + batch->size, words, 8 * (2 + n));
    batch->size += 8 * (2 + n);
    batch->time += 40 + next_random(batch, 200); /* irregular steps, like real clocks */
}

static void put_enter(Batch *batch, uint32_t region)
{
    put_record(batch, XTF_WIRE_ENTER, region, 0, 0, 0, 0, 0);
}

static void put_leave(Batch *batch, uint32_t region)
{
    put_record(batch, XTF_WIRE_LEAVE, region, 0, 0, 0, 0, 0);
}

/* Puts Irecv, Isend and Waitall with a neighbour, and in each eighth step a collective operation. Returns the number
 * of records. */
static uint64_t put_step(Batch *batch, uint64_t step)
{
    uint64_t comm_tag = 1 | (uint64_t)(5 + step % 3) << 32, bytes = 8 << next_random(batch, 10);
    uint32_t peer = step % 4;

    put_enter(batch, 20);
    put_record(batch, XTF_WIRE_IRECV_REQUEST, 0, peer, 2, ++batch->request, comm_tag, 0);
    put_leave(batch, 20);
    put_enter(batch, 21);
    put_record(batch, XTF_WIRE_ISEND, 0, peer, 3, comm_tag, bytes, ++batch->request);
    put_leave(batch, 21);
    put_enter(batch, 22);
    put_record(batch, XTF_WIRE_IRECV, 0, peer, 3, comm_tag, bytes, batch->request - 1);
    put_record(batch, XTF_WIRE_ISEND_COMPLETE, 0, 0, 1, batch->request, 0, 0);
    put_leave(batch, 22);
    if (step % 8 != 0)
        return 10;
    put_enter(batch, 23);
    put_record(batch, XTF_WIRE_COLLECTIVE_BEGIN, 0, 0, 0, 0, 0, 0);
    put_record(batch, XTF_WIRE_COLLECTIVE_END, 11, UINT32_MAX, 3, 1, 8, 8);
    put_leave(batch, 23);
    return 14;
}

static void exit_with_error(GError *error)
{
    fprintf(stderr, "record-collect: %s\n", error ? error->message : "a ring is malformed");
    exit(1);
}

/* Returns a clock with the rate of a time stamp counter. */
static XtfCollectClock make_clock(uint32_t source)
{
    return (XtfCollectClock){.source = source, .multiplier = UINT64_C(1654504449), .shift = 32};
}

static Source generate_records(uint64_t events)
{
    Batch *batch = g_new0(Batch, 1);
    uint64_t n = 0, step = 0;

    batch->data = g_malloc((events + 64) * EVENT_BYTES);
    batch->time = 1000;
    put_record(batch, XTF_WIRE_OWNER, 0, 1, 1, 0, 0, 0);
    while (n < events)
        n += put_step(batch, step++);
    return (Source){
        .batches = batch,
        .n = 1,
        .size = batch->size,
        .clock = make_clock(XTF_WIRE_CLOCK_MONOTONIC),
    };
}

/* Maps the memory of a process, which stays mapped. */
static Source read_memory(const char *path)
{
    XtfCollectMemory memory;
    GError *error = NULL;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    Source source = {0};

    if (!xtf_collect_memory_init(&memory, fd, &error))
        exit_with_error(error);
    source.clock = make_clock(memory.process->clock);
    source.n = atomic_load(&memory.process->claimed);
    source.batches = g_new0(Batch, source.n);
    for (uint32_t i = 0; i < source.n; i++) {
        uint64_t tail;
        if (!xtf_collect_memory_published(&memory, i, &tail, &source.batches[i].size) || tail != 0)
            exit_with_error(NULL);
        if (!(source.batches[i].data = xtf_collect_memory_ring(&memory, i, &error)))
            exit_with_error(error);
        source.size += source.batches[i].size;
    }
    return source;
}

static void commit_tables(XtfCollector *collector, XtfCollectRing *const *rings, uint32_t n, XtfWriter *writer)
{
    GError *error = NULL;

    xtf_collect_process_update(collector, rings, n);
    if (!xtf_collect_tables_write(&collector->tables, &error) || !xtf_writer_commit(writer, &error))
        exit_with_error(error);
}

/* Packs a ring's records; *done counts the bytes of all rings. */
static void pack_ring(const Source *source, uint32_t i, XtfCollectRing *const *rings, uint64_t commits, size_t *done,
                      Figures *figures)
{
    const Batch *batch = &source->batches[i];
    XtfCollector *collector = rings[i]->collector;
    size_t portion = MIN(PORTION, source->size / (commits + 1) + 1);

    for (size_t at = 0, taken; at < batch->size; at += taken) {
        size_t left = batch->size - at;
        uint64_t committed = commits * *done / source->size;
        double before = processor_time();
        if (!xtf_collect_decode(rings[i], batch->data + at, left, MIN(left, portion), &taken))
            exit_with_error(rings[i]->stream.error);
        figures->packing += processor_time() - before;
        *done += taken;
        before = processor_time();
        for (; committed < commits * *done / source->size; committed++)
            commit_tables(collector, rings, source->n, collector->tables.writer);
        figures->committing += processor_time() - before;
    }
}

static Figures pack_source(const Source *source, uint64_t commits, const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree XtfCollectRing **rings = g_new(XtfCollectRing *, source->n);
    Figures figures = {0};
    XtfCollector collector;
    XtfCollectPart part;
    GError *error = NULL;
    struct stat status;
    size_t done = 0;

    int directory = xtf_collect_folder_open(folder, &error);
    if (directory < 0 ||
        !xtf_collect_part_create(&part, directory, folder, XTF_NONE32, 900000, source->has_sites, &error))
        exit_with_error(error);
    xtf_collector_init(&collector, part.writer, xtf_collect_rows);
    collector.clock = source->clock;
    collector.site_frames = source->has_sites;
    collector.world_size = 4;
    for (uint32_t i = 0; i < source->n; i++)
        xtf_collect_ring_init(rings[i] = g_new(XtfCollectRing, 1), &collector, i);
    for (uint32_t i = 0; i < source->n; i++)
        pack_ring(source, i, rings, commits, &done, &figures);
    double before = processor_time();
    for (uint32_t i = 0; i < source->n; i++) {
        figures.events += rings[i]->events;
        if (!xtf_collect_ring_end(rings[i]))
            exit_with_error(rings[i]->stream.error);
    }
    xtf_collect_process_update(&collector, rings, source->n);
    if (!xtf_collect_tables_write(&collector.tables, &error) || !xtf_collect_part_close(&part, &error))
        exit_with_error(error);
    figures.ending = processor_time() - before;
    g_stat(part.path, &status);
    figures.bytes = status.st_size;
    g_rename(part.path, path);
    for (uint32_t i = 0; i < source->n; i++) {
        xtf_collect_ring_finish(rings[i]);
        g_free(rings[i]);
    }
    xtf_collector_finish(&collector);
    xtf_collect_part_finish(&part);
    close(directory);
    return figures;
}

int main(int argc, char **argv)
{
    uint64_t events = EVENTS, commits = argc > 3 ? strtoull(argv[3], NULL, 10) : COMMITS;

    if (argc < 2)
        return 2;
    bool generated = argc == 2 || g_ascii_string_to_unsigned(argv[2], 10, 1, UINT32_MAX, &events, NULL);
    Source source = generated ? generate_records(events) : read_memory(argv[2]);
    source.has_sites = argc <= 4 || !g_str_equal(argv[4], "0");
    Figures least = pack_source(&source, commits, argv[1]);
    for (int i = 1; i < ROUNDS; i++) {
        Figures next = pack_source(&source, commits, argv[1]);
        least.packing = MIN(least.packing, next.packing);
        least.committing = MIN(least.committing, next.committing);
        least.ending = MIN(least.ending, next.ending);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%" PRIu64 " events of %.1f bytes: packing %.1f ns an event; %" PRIu64
           " commits of %.2f ms, the end %.2f ms; %.2f bytes an event\n",
           least.events, (double)source.size / least.events, least.packing * 1e9 / least.events, commits,
           commits > 0 ? least.committing * 1e3 / commits : 0, least.ending * 1e3, (double)least.bytes / least.events);
    return 0;
}
