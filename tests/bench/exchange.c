/*
 * Generates a trace of a program that exchanges messages, and whose waits are all consistent.
 *
 *     exchange [--ranks R] [--iterations I] [--peers P] [--tags T] [--polls K] [--reduces N] FILE.xtf
 *
 * In each iteration each of R processes (default 16) computes for a random time, and calls MPI_Test K times (default
 * 32). It posts receives from the P processes before it (default 4) with T tags (default 16). It sends the same number
 * of messages to the P processes after it, and waits for all its receives. It takes part in N MPI_Reduces of all
 * (default 0), whose roots rotate. By default I is 1250, which makes 1.28 million messages and 10.3 million records.
 *
 * The time of a send follows from the number of the process and the iteration, so that processes can be written one by
 * one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "bench.h"
#include "made-up.h"
#include "src/import/messages.h"

enum { MAIN, TEST, IRECV, SEND, WAITALL, REDUCE, N_REGIONS };

static const char *const named[N_REGIONS] = {"main", "MPI_Test", "MPI_Irecv", "MPI_Send", "MPI_Waitall", "MPI_Reduce"};

enum {
    STEP = 50,             /* most ticks from record to record */
    LATENCY = 500,         /* ticks that a message takes */
    OPERATION_REDUCE = 12, /* a value of xtf_collective_operations */
};

typedef struct {
    const char *path;
    uint64_t ranks, iterations, peers, tags, polls, reduces;
    uint64_t computes;        /* greatest computing time of an iteration, ticks */
    uint64_t computed;        /* ticks in an iteration after which all messages are received */
    uint64_t iteration_ticks; /* ticks of an iteration */
    BenchRun run;
} Shape;

typedef struct {
    const Shape *shape;
    XtfStream stream;
    uint64_t self, time, random;
} Process;

/* ---- Records. */

/* Advances the process's time by at most STEP, and returns it. */
static uint64_t advance_time(Process *process)
{
    return process->time += STEP / 2 + bench_random(&process->random) % (STEP / 2);
}

static void append_enter(Process *process, uint32_t region)
{
    xtf_stream_enter(&process->stream, advance_time(process), region);
}

static void append_leave(Process *process, uint32_t region)
{
    xtf_stream_leave(&process->stream, advance_time(process), region);
}

/* Returns the time at which a process ends its computation and its polls in an iteration. */
static uint64_t ready_at(const Shape *shape, uint64_t rank, uint64_t iteration)
{
    uint64_t state = rank * 1000003 + iteration;
    return iteration * shape->iteration_ticks + 1000 + bench_random(&state) % shape->computes + 2 * STEP * shape->polls;
}

/* Returns the time at which a process has posted all receives and sent its last message in an iteration. */
static uint64_t sent_at(const Shape *shape, uint64_t rank, uint64_t iteration)
{
    return ready_at(shape, rank, iteration) + 6 * STEP * shape->peers * shape->tags;
}

static uint64_t bytes_of(uint64_t sender, uint64_t tag)
{
    return UINT64_C(8) << (sender + tag) % 16;
}

static uint64_t peer_before(const Process *process, uint64_t i)
{
    return (process->self + process->shape->ranks - 1 - i) % process->shape->ranks;
}

static void post_receives(Process *process)
{
    const Shape *shape = process->shape;

    for (uint64_t i = 0; i < shape->peers * shape->tags; i++) {
        XtfRequestsRow row = {.region = IRECV, .request = i};
        append_enter(process, IRECV);
        xtf_stream_request(&process->stream, XTF_LABEL_MPI_IRECV_REQUEST, advance_time(process), &row);
        append_leave(process, IRECV);
    }
}

static void send_messages(Process *process)
{
    const Shape *shape = process->shape;

    for (uint64_t i = 0; i < shape->peers * shape->tags; i++) {
        uint64_t tag = i % shape->tags, to = (process->self + 1 + i / shape->tags) % shape->ranks;
        XtfSendsRow row = {.region = SEND,
                           .peer = (uint32_t)to,
                           .tag = (uint32_t)tag,
                           .bytes = bytes_of(process->self, tag),
                           .request = XTF_NONE64};
        append_enter(process, SEND);
        xtf_stream_send(&process->stream, advance_time(process), &row);
        append_leave(process, SEND);
    }
}

static void wait_for_receives(Process *process, uint64_t iteration)
{
    const Shape *shape = process->shape;

    append_enter(process, WAITALL);
    for (uint64_t i = 0; i < shape->peers; i++)
        process->time = MAX(process->time, sent_at(shape, peer_before(process, i), iteration) + LATENCY);
    for (uint64_t i = 0; i < shape->peers * shape->tags; i++) {
        uint64_t tag = i % shape->tags, from = peer_before(process, i / shape->tags);
        XtfRecvsRow row = {.region = WAITALL,
                           .peer = (uint32_t)from,
                           .tag = (uint32_t)tag,
                           .bytes = bytes_of(from, tag),
                           .request = i};
        xtf_stream_irecv(&process->stream, process->time, &row);
    }
    append_leave(process, WAITALL);
}

/* Appends an MPI_Reduce. The root waits until all processes have begun it, including earlier roots. */
static void append_reduce(Process *process, uint64_t iteration, uint64_t number)
{
    const Shape *shape = process->shape;
    uint32_t root = (uint32_t)((iteration + number) % shape->ranks);
    XtfCollectivesRow begin = {.region = REDUCE,
                               .operation = 0xff,
                               .root = XTF_NONE32,
                               .bytes = XTF_NONE64,
                               .received = XTF_NONE64,
                               .request = XTF_NONE64,
                               .n_to_n = UINT8_MAX,
                               .comm = XTF_NONE32};
    XtfCollectivesRow end = begin;

    append_enter(process, REDUCE);
    xtf_stream_append(&process->stream, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_BEGIN, advance_time(process),
                      &begin);
    end.operation = OPERATION_REDUCE;
    end.root = root;
    end.bytes = 8;
    end.received = root == process->self ? 8 * shape->ranks : 0;
    end.comm = 0;
    if (root == process->self)
        process->time = iteration * shape->iteration_ticks + shape->computed + 10 * STEP * (number + 1);
    xtf_stream_append(&process->stream, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_END, advance_time(process),
                      &end);
    append_leave(process, REDUCE);
}

static void write_iteration(Process *process, uint64_t iteration)
{
    const Shape *shape = process->shape;

    process->time = ready_at(shape, process->self, iteration) - 2 * STEP * shape->polls;
    for (uint64_t i = 0; i < shape->polls; i++) {
        append_enter(process, TEST);
        append_leave(process, TEST);
    }
    if (shape->peers > 0) {
        post_receives(process);
        send_messages(process);
        wait_for_receives(process, iteration);
    }
    for (uint64_t i = 0; i < shape->reduces; i++)
        append_reduce(process, iteration, i);
}

static void write_process(gpointer data, gpointer user)
{
    const Shape *shape = user;
    Process process = {.shape = shape, .self = GPOINTER_TO_SIZE(data) - 1};
    g_autoptr(GError) error = NULL;

    process.random = process.self;
    xtf_stream_init(&process.stream, shape->run.writer, NULL, shape->run.schemas);
    xtf_stream_begin(&process.stream, process.self);
    append_enter(&process, MAIN);
    for (uint64_t i = 0; i < shape->iterations; i++)
        write_iteration(&process, i);
    append_leave(&process, MAIN);
    bench_check(xtf_stream_end(&process.stream, &error), error, "%s", shape->path);
    xtf_stream_finish(&process.stream);
}

static void generate_trace(Shape *shape)
{
    g_autoptr(GError) error = NULL;
    const XtfWriterOptions options = {.origin = UINT64_MAX, .no_sync = true};

    shape->computes = 100 * STEP + 4 * STEP * shape->peers * shape->tags;
    shape->computed = shape->computes +
                      STEP * (2 * shape->polls + 6 * shape->peers * shape->tags + 4 * shape->reduces) + 2 * LATENCY +
                      1000;
    shape->iteration_ticks = shape->computed + 10 * STEP * (shape->reduces + 2);
    bench_run_begin(&shape->run, shape->path, &options);
    bench_run_define(&shape->run, shape->ranks, named, N_REGIONS);
    GThreadPool *pool = g_thread_pool_new(write_process, shape, (gint)g_get_num_processors(), TRUE, &error);
    bench_check(pool, error, "threads");
    for (uint64_t i = 0; i < shape->ranks; i++)
        g_thread_pool_push(pool, GSIZE_TO_POINTER(i + 1), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    bench_run_end(&shape->run);
}

int main(int argc, char **argv)
{
    gint64 ranks = 16, iterations = 1250, peers = 4, tags = 16, polls = 32, reduces = 0;
    const GOptionEntry entries[] = {
        {"ranks", 'r', 0, G_OPTION_ARG_INT64, &ranks, "Processes (default: 16)", "R"},
        {"iterations", 'i', 0, G_OPTION_ARG_INT64, &iterations, "Iterations of each process (default: 1250)", "I"},
        {"peers", 'p', 0, G_OPTION_ARG_INT64, &peers, "Processes that each sends to (default: 4)", "P"},
        {"tags", 't', 0, G_OPTION_ARG_INT64, &tags, "Messages to each of them (default: 16)", "T"},
        {"polls", 'k', 0, G_OPTION_ARG_INT64, &polls, "Calls of MPI_Test in an iteration (default: 32)", "K"},
        {"reduces", 'n', 0, G_OPTION_ARG_INT64, &reduces, "MPI_Reduces in an iteration (default: 0)", "N"},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("FILE.xtf");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && argc == 2 && ranks > 0 && iterations > 0 &&
                    peers >= 0 && tags >= 0 && polls >= 0 && reduces >= 0,
                error, "bad arguments: see --help");
    Shape shape = {.path = argv[1],
                   .ranks = (uint64_t)ranks,
                   .iterations = (uint64_t)iterations,
                   .peers = (uint64_t)MIN(peers, ranks - 1),
                   .tags = (uint64_t)tags,
                   .polls = (uint64_t)polls,
                   .reduces = (uint64_t)reduces};
    generate_trace(&shape);
    return 0;
}
