/*
 * Generates a trace of any size, of a realistic shape.
 *
 *     generate [--records N | --iterations I] [--locations L] [--jobs J] [--hard] [--plain] [--page-size BYTES]
 * [--level K] FILE.xtf
 *
 * N records (default 10 million) are spread evenly over L processes (default 8) of one thread each. Each process is a
 * solver. Its main function has iterations of nested kernels, an exchange of messages with its neighbours on a ring,
 * and a collective operation. Durations are log-normal, with a median of 400 ns. The trace ends after N records, so
 * that the outer frames are never left, and some messages are not received. With --iterations each process runs I whole
 * iterations, so that every message is received.
 *
 * --hard generates records that pack badly and have many groups. A third of them are messages to random processes, with
 * one of 2000 tags and log-normal sizes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "made-up.h"
#include "src/import/messages.h"

enum {
    MAIN,
    ITERATE,
    EXCHANGE,
    MPI_SEND,
    MPI_RECV,
    MPI_ALLREDUCE,
    KERNELS,
    N_KERNELS = 40,
    N_REGIONS = KERNELS + N_KERNELS
};
enum { GAPS = 4096, TAGS = 2000 };
enum { ALLREDUCE = 11 }; /* a value of xtf_collective_operations */

static const char *const named[KERNELS] = {"main", "iterate", "exchange", "MPI_Send", "MPI_Recv", "MPI_Allreduce"};

typedef struct {
    char *path;
    uint64_t records, iterations, locations; /* 0 iterations: the records end the run */
    unsigned jobs;
    bool hard;
    XtfWriterOptions options;
    BenchRun run;
    uint64_t gaps[GAPS]; /* quantiles of the durations, in ticks */
} Shape;

typedef struct {
    const Shape *shape;
    XtfStream stream;
    uint64_t self, left; /* number of the process; number of records still to write */
    uint64_t random, time;
} Process;

static void define_all(const Shape *shape)
{
    g_autoptr(GPtrArray) regions = g_ptr_array_new_with_free_func(g_free);

    for (uint64_t i = 0; i < N_REGIONS; i++)
        g_ptr_array_add(regions, i < KERNELS ? g_strdup(named[i]) : g_strdup_printf("kernel_%" PRIu64, i));
    bench_run_define(&shape->run, shape->locations, (const char *const *)regions->pdata, N_REGIONS);
}

/* ---- Records. Each function does nothing after the last record. */

static uint64_t advance_time(Process *process)
{
    return process->time += process->shape->gaps[bench_random(&process->random) % GAPS];
}

static bool take_record(Process *process)
{
    if (process->left == 0)
        return false;
    process->left--;
    advance_time(process);
    return true;
}

static void append_enter(Process *process, uint32_t region)
{
    if (take_record(process))
        xtf_stream_enter(&process->stream, process->time, region);
}

static void append_leave(Process *process, uint32_t region)
{
    if (take_record(process))
        xtf_stream_leave(&process->stream, process->time, region);
}

/* Returns the size of a message. Both sides compute the same size from its sender, receiver and tag. */
static uint64_t message_bytes(const Shape *shape, uint64_t sender, uint64_t receiver, uint64_t tag)
{
    uint64_t mixed = sender * 1000003 + receiver * 10007 + tag;
    uint64_t draw = bench_random(&mixed);
    return shape->hard ? shape->gaps[draw % GAPS] * (1 + draw % 7) : UINT64_C(8) << draw % 16;
}

static void append_message(Process *process, bool send, uint64_t peer, uint64_t tag)
{
    const Shape *shape = process->shape;
    uint32_t region = send ? MPI_SEND : MPI_RECV;
    uint64_t bytes =
        send ? message_bytes(shape, process->self, peer, tag) : message_bytes(shape, peer, process->self, tag);

    if (!shape->hard)
        append_enter(process, region);
    if (take_record(process)) {
        XtfRecvsRow row = {
            .region = region, .peer = (uint32_t)peer, .tag = (uint32_t)tag, .bytes = bytes, .request = XTF_NONE64};
        _Static_assert(sizeof(XtfSendsRow) == offsetof(XtfRecvsRow, posted),
                       "a receive begins with the fields of a send");
        if (send)
            xtf_stream_send(&process->stream, process->time, (XtfSendsRow *)&row);
        else
            xtf_stream_recv(&process->stream, process->time, &row);
    }
    if (!shape->hard)
        append_leave(process, region);
}

static void append_collective(Process *process)
{
    append_enter(process, MPI_ALLREDUCE);
    for (unsigned end = 0; end < 2; end++) {
        XtfCollectivesRow row = {.region = MPI_ALLREDUCE,
                                 .operation = end ? ALLREDUCE : 0xff,
                                 .root = XTF_NONE32,
                                 .bytes = end ? 64 : XTF_NONE64,
                                 .received = end ? 64 : XTF_NONE64,
                                 .request = XTF_NONE64,
                                 .n_to_n = UINT8_MAX,
                                 .comm = end ? 0 : XTF_NONE32};
        if (take_record(process))
            xtf_stream_append(&process->stream, XTF_MODEL_COLLECTIVES,
                              end ? XTF_LABEL_MPI_COLLECTIVE_END : XTF_LABEL_MPI_COLLECTIVE_BEGIN, process->time, &row);
    }
    append_leave(process, MPI_ALLREDUCE);
}

static void append_kernels(Process *process, unsigned depth)
{
    uint64_t draw = bench_random(&process->random);
    uint32_t region = KERNELS + draw % N_KERNELS;

    append_enter(process, region);
    for (unsigned i = 0; depth < 3 && i < 1 + (draw >> 32) % 3; i++)
        append_kernels(process, depth + 1);
    if (process->shape->hard) {
        uint64_t draw2 = bench_random(&process->random);
        append_message(process, draw2 & 1, (draw2 >> 8) % process->shape->locations, (draw2 >> 40) % TAGS);
    }
    append_leave(process, region);
}

static void append_iteration(Process *process)
{
    uint64_t n = process->shape->locations, right = (process->self + 1) % n, left = (process->self + n - 1) % n;

    append_enter(process, ITERATE);
    for (unsigned i = 0; i < 6; i++)
        append_kernels(process, 0);
    append_enter(process, EXCHANGE);
    append_message(process, true, right, 1);
    append_message(process, false, left, 1);
    append_message(process, true, left, 2);
    append_message(process, false, right, 2);
    append_leave(process, EXCHANGE);
    append_collective(process);
    append_leave(process, ITERATE);
}

static void write_process(gpointer data, gpointer user)
{
    const Shape *shape = user;
    uint64_t self = GPOINTER_TO_SIZE(data) - 1;
    Process process = {.shape = shape, .self = self, .random = self, .time = 1000};
    g_autoptr(GError) error = NULL;

    process.left = shape->iterations > 0
                       ? UINT64_MAX
                       : shape->records / shape->locations + (self < shape->records % shape->locations);
    xtf_stream_init(&process.stream, shape->run.writer, NULL, shape->run.schemas);
    xtf_stream_begin(&process.stream, self);
    append_enter(&process, MAIN);
    for (uint64_t i = 0; shape->iterations > 0 ? i < shape->iterations : process.left > 0; i++)
        append_iteration(&process);
    bench_check(xtf_stream_end(&process.stream, &error), error, "%s", shape->path);
    xtf_stream_finish(&process.stream);
}

/* Returns the k-th of GAPS quantiles of a log-normal distribution, by bisection of its distribution function. */
static uint64_t gap_quantile(unsigned k)
{
    const double median = 400, sigma = 1.2, share = (k + 0.5) / GAPS;
    double low = -8, high = 8;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < share)
            low = middle;
        else
            high = middle;
    }
    return (uint64_t)(median * exp(sigma * low));
}

static void generate_trace(Shape *shape)
{
    g_autoptr(GError) error = NULL;

    for (unsigned k = 0; k < GAPS; k++)
        shape->gaps[k] = gap_quantile(k);
    bench_run_begin(&shape->run, shape->path, &shape->options);
    define_all(shape);
    GThreadPool *pool = g_thread_pool_new(write_process, shape, (gint)shape->jobs, TRUE, &error);
    bench_check(pool, error, "threads");
    for (uint64_t i = 0; i < shape->locations; i++)
        g_thread_pool_push(pool, GSIZE_TO_POINTER(i + 1), NULL);
    g_thread_pool_free(pool, FALSE, TRUE);
    bench_run_end(&shape->run);
}

int main(int argc, char **argv)
{
    gint64 records = 10000000, iterations = 0, locations = 8;
    gint jobs = (gint)g_get_num_processors(), page_size = 0, level = 0;
    gboolean hard = FALSE, plain = FALSE;
    const GOptionEntry entries[] = {
        {"records", 'n', 0, G_OPTION_ARG_INT64, &records, "Records of all processes (default: 10 million)", "N"},
        {"iterations", 'i', 0, G_OPTION_ARG_INT64, &iterations, "Whole iterations of each process", "I"},
        {"locations", 'l', 0, G_OPTION_ARG_INT64, &locations, "Processes (default: 8)", "L"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "Threads (default: one a core)", "J"},
        {"hard", 0, 0, G_OPTION_ARG_NONE, &hard, "Many messages to random processes, with many tags", NULL},
        {"plain", 0, 0, G_OPTION_ARG_NONE, &plain, "Plain rows", NULL},
        {"page-size", 0, 0, G_OPTION_ARG_INT, &page_size, "Page size of the file", "BYTES"},
        {"level", 0, 0, G_OPTION_ARG_INT, &level, "Level of packing", "K"},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("FILE.xtf");
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    bench_check(g_option_context_parse(context, &argc, &argv, &error) && argc == 2 && records > 0 && iterations >= 0 &&
                    locations > 0 && jobs > 0 && page_size >= 0 && level >= 0,
                error, "bad arguments: see --help");
    Shape shape = {.path = argv[1],
                   .records = (uint64_t)records,
                   .iterations = (uint64_t)iterations,
                   .locations = (uint64_t)locations,
                   .jobs = (unsigned)jobs,
                   .hard = hard,
                   .options = {.page_size = (uint32_t)page_size,
                               .level = (unsigned)level,
                               .codec = plain ? "plain" : NULL,
                               .origin = UINT64_MAX,
                               .no_sync = true}};
    double before = bench_now();
    generate_trace(&shape);
    printf("%.3f %" PRIu64 "\n", bench_now() - before, bench_file_size(shape.path));
    return 0;
}
