/*
 * Makes a trace of processes whose clocks are wrong, and a file with the true times:
 *
 *     make-clocks TRACE.xtf TRUTH [--processes P] [--rounds R] [--offsets NS] [--drift PPB] [--wander NS] [--jitter NS]
 *                 [--latency NS] [--step NS] [--alone] [--lost] [--unreceived] [--maps] [--mute]
 *                 [--seed N]
 *
 * Processes form a ring. A round takes about `step` ns. In each round every process posts receives from both
 * neighbours, sends to both, and completes the receives in any order. Every fifth round has a collective operation. A
 * message takes `latency` ns and up to `jitter` ns more.
 *
 * A clock begins up to `offsets` ns off, and drifts by up to `drift` in 10^9. It also wanders by `wander` ns to and
 * fro, a few times in the run. TRUTH gets a line for each record: its location, its seq, and the time on the clock of
 * process 0.
 *
 * --alone: the last process exchanges no messages. --lost: some receives of process 1 are not recorded. --unreceived:
 * no receive is recorded, so only collective operations show the clocks. --maps: the trace has clock maps, which
 * correct times but for the wander and up to 2 us. --mute: there are no messages at all.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/import/messages.h"

enum {
    TAGS = 3,
    EVERY = 5, /* rounds from one collective operation to the next */
};

typedef struct {
    gint processes, rounds, seed;
    gint64 offsets, drift, wander, jitter, latency, step;
    gboolean alone, lost, unreceived, maps, mute;
} Shape;

typedef struct {
    double offset, drift, wander, period, phase;
    double now; /* true time, ns */
    uint64_t request;
} Process;

/* An event of the run. Events of all processes are made first, then written location by location. */
typedef struct {
    double t;
    uint32_t kind, peer, tag, comm, root;
    uint64_t bytes, request;
} Event;

enum { SEND, POST, RECV, BEGIN, END };

typedef struct {
    Shape shape;
    GRand *random;
    Process *processes;
    GArray **events; /* Event, by process */
    FILE *truth;
    XtfWriter *writer;
    uint32_t schemas[XTF_N_MODEL_SCHEMAS];
    XtfStream stream;
} Making;

static void must(bool condition, const GError *error)
{
    if (condition)
        return;
    fprintf(stderr, "make-clocks: %s\n", error ? error->message : "failed");
    exit(1);
}

static double clock_of(const Making *making, uint32_t p, double t)
{
    const Process *process = &making->processes[p];
    return process->offset + t * (1 + process->drift) + process->wander * sin(t / process->period + process->phase);
}

static void add_event(Making *making, uint32_t p, Event event)
{
    event.t = making->processes[p].now;
    g_array_append_val(making->events[p], event);
    making->processes[p].now += 100 + g_rand_int_range(making->random, 0, 50);
}

static double draw_latency(Making *making)
{
    const Shape *shape = &making->shape;
    return (double)shape->latency + (shape->jitter ? g_rand_double_range(making->random, 0, (double)shape->jitter) : 0);
}

static uint32_t n_active(const Making *making)
{
    return (uint32_t)making->shape.processes - (making->shape.alone ? 1 : 0);
}

/* Returns the rank of a process; in communicator 1 the order of ranks is reversed. */
static uint32_t rank_in(const Making *making, uint32_t comm, uint32_t p)
{
    return comm == 0 ? p : (uint32_t)making->shape.processes - 1 - p;
}

static void exchange(Making *making, uint32_t round)
{
    uint32_t n = n_active(making), comm = round / 2 % 2, tag = round % TAGS;
    g_autofree double *arrivals = g_new0(double, 2 * n); /* [2 * p]: from the left, [2 * p + 1]: from the right */
    g_autofree uint64_t *requests = g_new0(uint64_t, n);

    for (uint32_t p = 0; p < n; p++) {
        uint32_t left = (p + n - 1) % n, right = (p + 1) % n;
        requests[p] = making->processes[p].request += 2;
        add_event(making, p, (Event){.kind = POST, .request = requests[p]});
        add_event(making, p, (Event){.kind = POST, .request = requests[p] + 1});
        arrivals[2 * right] = making->processes[p].now + draw_latency(making);
        add_event(
            making, p,
            (Event){.kind = SEND, .peer = rank_in(making, comm, right), .tag = tag, .comm = comm, .bytes = round + 1});
        arrivals[2 * left + 1] = making->processes[p].now + draw_latency(making);
        add_event(
            making, p,
            (Event){
                .kind = SEND, .peer = rank_in(making, comm, left), .tag = tag + 7, .comm = comm, .bytes = 2 * round});
    }
    for (uint32_t p = 0; p < n; p++) {
        uint32_t first = arrivals[2 * p] < arrivals[2 * p + 1] ? 0 : 1;
        for (uint32_t i = 0; i < 2; i++) {
            uint32_t side = i ? 1 - first : first, from = side ? (p + 1) % n : (p + n - 1) % n;
            making->processes[p].now = fmax(making->processes[p].now, arrivals[2 * p + side]);
            if (making->shape.unreceived || (making->shape.lost && p == 1 && side == 0 && round == 20))
                continue;
            add_event(making, p,
                      (Event){.kind = RECV,
                              .peer = rank_in(making, comm, from),
                              .tag = side ? tag + 7 : tag,
                              .comm = comm,
                              .bytes = side ? 2 * round : round + 1,
                              .request = requests[p] + side});
        }
    }
}

/* Returns when a member may end at the earliest. Operation 0 is a barrier, 1 a broadcast, 2 a reduction, 3 a scan. */
static double earliest_end(const double *begins, uint32_t n, uint32_t operation, uint32_t root, uint32_t rank)
{
    double latest = begins[rank];

    for (uint32_t member = 0; member < n; member++)
        if (operation == 0 || (operation == 1 && member == root) || (operation == 2 && rank == root) ||
            (operation == 3 && member < rank))
            latest = fmax(latest, begins[member]);
    return latest;
}

static void add_operation(Making *making, uint32_t round)
{
    static const uint32_t labels[] = {0, 1, 12, 14}; /* BARRIER, BCAST, REDUCE, SCAN */
    uint32_t n = n_active(making), operation = round / EVERY % 4, root = round % n;
    bool rooted = operation == 1 || operation == 2;
    g_autofree double *begins = g_new0(double, n);
    Event event = {.comm = 2, .tag = labels[operation], .root = rooted ? root : XTF_NONE32, .bytes = operation > 0};

    for (uint32_t p = 0; p < n; p++) {
        event.kind = BEGIN;
        making->processes[p].now += g_rand_double_range(making->random, 0, 300);
        begins[p] = making->processes[p].now;
        add_event(making, p, event);
    }
    for (uint32_t p = 0; p < n; p++) {
        event.kind = END;
        making->processes[p].now =
            fmax(making->processes[p].now, earliest_end(begins, n, operation, root, p) + draw_latency(making));
        add_event(making, p, event);
    }
}

static void play_rounds(Making *making)
{
    for (uint32_t round = 0; round < (uint32_t)making->shape.rounds; round++) {
        for (uint32_t p = 0; p < (uint32_t)making->shape.processes; p++)
            making->processes[p].now = fmax(making->processes[p].now, (double)round * (double)making->shape.step) +
                                       g_rand_double_range(making->random, 0, 1000);
        if (!making->shape.mute) {
            exchange(making, round);
            if (round % EVERY == 0)
                add_operation(making, round);
        }
        for (uint32_t p = making->shape.mute ? 0 : n_active(making); p < (uint32_t)making->shape.processes; p++)
            add_event(making, p, (Event){.kind = POST, .request = round});
    }
}

/* ---- Writing. */

static bool write_event(Making *making, uint64_t time, const Event *event)
{
    XtfStream *stream = &making->stream;
    XtfRequestsRow posted = {.region = XTF_NONE32, .request = event->request};
    XtfSendsRow sent = {.region = XTF_NONE32,
                        .peer = event->peer,
                        .comm = event->comm,
                        .tag = event->tag,
                        .bytes = event->bytes,
                        .request = XTF_NONE64};
    XtfRecvsRow got = {.region = XTF_NONE32,
                       .peer = event->peer,
                       .comm = event->comm,
                       .tag = event->tag,
                       .bytes = event->bytes,
                       .request = event->request};
    XtfCollectivesRow together = {.region = XTF_NONE32,
                                  .operation = UINT8_MAX,
                                  .comm = XTF_NONE32,
                                  .root = XTF_NONE32,
                                  .bytes = XTF_NONE64,
                                  .received = XTF_NONE64,
                                  .request = XTF_NONE64,
                                  .n_to_n = UINT8_MAX};

    switch (event->kind) {
    case SEND:
        return xtf_stream_send(stream, time, &sent);
    case POST:
        return xtf_stream_request(stream, XTF_LABEL_MPI_IRECV_REQUEST, time, &posted);
    case RECV:
        return xtf_stream_irecv(stream, time, &got);
    case END:
        together.operation = (uint8_t)event->tag;
        together.comm = event->comm;
        together.root = event->root;
        together.bytes = together.received = event->bytes;
        return xtf_stream_append(stream, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_END, time, &together);
    default:
        return xtf_stream_append(stream, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_BEGIN, time, &together);
    }
}

static void set_map(Making *making, uint32_t p)
{
    const Process *process = &making->processes[p];
    double last = making->processes[p].now;
    XtfClockKnot knots[2] = {
        {.local = (uint64_t)process->offset, .global = (uint64_t)(making->processes[0].offset + 700 * (p % 4))},
        {.local = (uint64_t)(process->offset + last * (1 + process->drift)),
         .global = (uint64_t)(making->processes[0].offset + last + 700 * (p % 4))}};
    const XtfClockMap map = {.n_knots = 2, .knots = knots};
    GError *error = NULL;
    uint32_t number;

    must(xtf_writer_add_clock_map(making->writer, &map, &number, &error) &&
             xtf_writer_set_clock_map(making->writer, 10 + 10 * p, number, &error),
         error);
}

static void write_process(Making *making, uint32_t p)
{
    uint64_t location = 10 + 10 * p;
    GError *error = NULL;

    if (making->shape.maps)
        set_map(making, p);
    xtf_stream_begin(&making->stream, location);
    for (guint i = 0; i < making->events[p]->len; i++) {
        const Event *event = &g_array_index(making->events[p], Event, i);
        fprintf(making->truth, "%" PRIu64 " %u %.0f\n", location, i, clock_of(making, 0, event->t));
        must(write_event(making, (uint64_t)clock_of(making, p, event->t), event), making->stream.error);
    }
    must(xtf_stream_end(&making->stream, &error), error);
}

static void append_row(Making *making, unsigned tag, const void *row)
{
    GError *error = NULL;
    XtfTableWriter *table = xtf_writer_table(making->writer, making->schemas[tag], &error);
    must(table && xtf_table_writer_append(table, row, NULL, &error), error);
}

/* Writes the communicators: 0 is the world, 1 the world in reverse order, 2 the processes that exchange messages. */
static void write_definitions(Making *making)
{
    uint32_t n = (uint32_t)making->shape.processes;

    for (uint32_t p = 0; p < n; p++)
        append_row(making, XTF_MODEL_LOCATIONS, &(XtfLocationRow){.id = 10 + 10 * p, .proc = p, .process = XTF_NONE32});
    for (uint32_t comm = 0; comm < 3; comm++) {
        uint32_t count = comm == 2 ? n_active(making) : n;
        append_row(making, XTF_MODEL_GROUPS, &(XtfGroupRow){.first = comm * n, .count = count, .id = comm});
        append_row(making, XTF_MODEL_COMMUNICATORS,
                   &(XtfCommunicatorRow){.id = comm, .group = comm, .remote_group = XTF_NONE32, .parent = XTF_NONE32});
        for (uint32_t rank = 0; rank < count; rank++)
            append_row(making, XTF_MODEL_MEMBERS,
                       &(XtfMemberRow){.member = rank, .proc = comm == 1 ? n - 1 - rank : rank});
    }
}

static void write_all(Making *making, const char *path)
{
    const XtfWriterOptions options = {.no_sync = true, .origin = UINT64_MAX};
    XtfDefinitions definitions;
    GError *error = NULL;

    making->writer = xtf_writer_create(path, &options, &error);
    must(making->writer, error);
    for (unsigned tag = 0; tag < XTF_N_MODEL_SCHEMAS; tag++)
        must(xtf_writer_add_schema(making->writer, xtf_model_schema(tag), &making->schemas[tag], &error), error);
    xtf_definitions_init(&definitions);
    must(xtf_definitions_resolve(&definitions, making->writer, &error), error);
    xtf_stream_init(&making->stream, making->writer, &definitions, making->schemas);
    for (uint32_t p = 0; p < (uint32_t)making->shape.processes; p++)
        write_process(making, p);
    xtf_stream_finish(&making->stream);
    write_definitions(making);
    xtf_definitions_finish(&definitions);
    must(xtf_writer_close(making->writer, &error), error);
}

static void init_clocks(Making *making)
{
    const Shape *shape = &making->shape;

    for (uint32_t p = 0; p < (uint32_t)shape->processes; p++) {
        Process *process = &making->processes[p];
        process->offset = 1e9 + (shape->offsets ? g_rand_double_range(making->random, 0, (double)shape->offsets) : 0);
        process->drift = g_rand_double_range(making->random, -1, 1) * 1e-9 * (double)shape->drift;
        process->wander = (double)shape->wander;
        process->period = (double)shape->step * shape->rounds / 2 / G_PI / g_rand_double_range(making->random, 2, 5);
        process->phase = g_rand_double_range(making->random, 0, 6);
        making->events[p] = g_array_new(FALSE, FALSE, sizeof(Event));
    }
}

int main(int argc, char **argv)
{
    Making making = {.shape = {.processes = 5, .rounds = 100, .latency = 3000, .step = 1000000, .seed = 1}};
    Shape *shape = &making.shape;
    const GOptionEntry entries[] = {
        {"processes", 0, 0, G_OPTION_ARG_INT, &shape->processes, NULL, NULL},
        {"rounds", 0, 0, G_OPTION_ARG_INT, &shape->rounds, NULL, NULL},
        {"seed", 0, 0, G_OPTION_ARG_INT, &shape->seed, NULL, NULL},
        {"offsets", 0, 0, G_OPTION_ARG_INT64, &shape->offsets, NULL, NULL},
        {"drift", 0, 0, G_OPTION_ARG_INT64, &shape->drift, NULL, NULL},
        {"wander", 0, 0, G_OPTION_ARG_INT64, &shape->wander, NULL, NULL},
        {"jitter", 0, 0, G_OPTION_ARG_INT64, &shape->jitter, NULL, NULL},
        {"latency", 0, 0, G_OPTION_ARG_INT64, &shape->latency, NULL, NULL},
        {"step", 0, 0, G_OPTION_ARG_INT64, &shape->step, NULL, NULL},
        {"alone", 0, 0, G_OPTION_ARG_NONE, &shape->alone, NULL, NULL},
        {"lost", 0, 0, G_OPTION_ARG_NONE, &shape->lost, NULL, NULL},
        {"unreceived", 0, 0, G_OPTION_ARG_NONE, &shape->unreceived, NULL, NULL},
        {"maps", 0, 0, G_OPTION_ARG_NONE, &shape->maps, NULL, NULL},
        {"mute", 0, 0, G_OPTION_ARG_NONE, &shape->mute, NULL, NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("TRACE TRUTH");
    GError *error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    must(g_option_context_parse(context, &argc, &argv, &error) && argc == 3 && shape->processes > 3, error);
    making.random = g_rand_new_with_seed((guint32)shape->seed);
    making.processes = g_new0(Process, shape->processes);
    making.events = g_new0(GArray *, shape->processes);
    making.truth = fopen(argv[2], "w");
    must(making.truth, NULL);
    init_clocks(&making);
    play_rounds(&making);
    write_all(&making, argv[1]);
    must(fclose(making.truth) == 0, NULL);
    for (gint p = 0; p < shape->processes; p++)
        g_array_unref(making.events[p]);
    g_free(making.events);
    g_free(making.processes);
    g_rand_free(making.random);
    return 0;
}
