/*
 * Generates traces of programs whose processes rarely all meet:
 *
 *     make-meetings reduce PROCESSES OPERATIONS FILE.xtf
 *     make-meetings master PROCESSES MESSAGES FILE.xtf
 *
 * `reduce`: all processes call MPI_Reduce repeatedly, each after some work. Only the root waits, for the last process.
 *
 * `master`: process 0 sends tasks to one process after the other, and receives the results in the same order, some
 * tasks later. A process without a task waits. Neither program has other meetings.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "made-up.h"
#include "src/import/messages.h"

enum { MAIN, WORK, MPI_SEND, MPI_RECV, MPI_REDUCE, N_REGIONS };
enum { REDUCE = 12, PERIOD = 1000, AHEAD = 3 };

static const char *const named[N_REGIONS] = {"main", "work", "MPI_Send", "MPI_Recv", "MPI_Reduce"};

typedef struct {
    const char *path;
    BenchRun run;
    uint32_t n_processes;
    uint64_t n;
} Shape;

/* ---- Records. */

static void begin_process(const Shape *shape, XtfStream *stream, uint32_t process)
{
    xtf_stream_init(stream, shape->run.writer, NULL, shape->run.schemas);
    xtf_stream_begin(stream, process);
    xtf_stream_enter(stream, 0, MAIN);
}

static void end_process(const Shape *shape, XtfStream *stream)
{
    g_autoptr(GError) error = NULL;

    bench_check(xtf_stream_end(stream, &error), error, "%s", shape->path);
    xtf_stream_finish(stream);
}

static void append_call(XtfStream *stream, uint32_t region, uint64_t from, uint64_t to)
{
    xtf_stream_enter(stream, from, region);
    xtf_stream_leave(stream, to, region);
}

/* Returns a random number below `limit` for an operation of a process: the same number in each call. */
static uint64_t random_number(uint64_t process, uint64_t number, uint64_t limit)
{
    uint64_t state = process * 1000003 + number;

    return bench_below(&state, limit);
}

static void append_reduce(XtfStream *stream, uint64_t from, uint64_t to, bool is_root)
{
    XtfCollectivesRow row = {.region = MPI_REDUCE,
                             .operation = UINT8_MAX,
                             .root = XTF_NONE32,
                             .bytes = XTF_NONE64,
                             .received = XTF_NONE64,
                             .request = XTF_NONE64,
                             .n_to_n = UINT8_MAX,
                             .comm = XTF_NONE32};

    xtf_stream_enter(stream, from, MPI_REDUCE);
    xtf_stream_append(stream, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_BEGIN, from, &row);
    row.operation = REDUCE;
    row.root = row.comm = 0;
    row.bytes = 8;
    row.received = is_root ? 8 : 0;
    xtf_stream_append(stream, XTF_MODEL_COLLECTIVES, XTF_LABEL_MPI_COLLECTIVE_END, to, &row);
    xtf_stream_leave(stream, to, MPI_REDUCE);
}

static void write_reductions(const Shape *shape)
{
    g_autofree uint64_t *last = g_new0(uint64_t, shape->n);
    XtfStream stream;

    for (uint32_t process = shape->n_processes; process-- > 0;) {
        begin_process(shape, &stream, process);
        for (uint64_t i = 0; i < shape->n; i++) {
            uint64_t from = PERIOD * (i + 1) + random_number(process, i, PERIOD / 2), to = from + 20;
            last[i] = MAX(last[i], from);
            if (process == 0)
                to = last[i] + 20;
            append_call(&stream, WORK, from - 100, from - 1);
            append_reduce(&stream, from, to, process == 0);
        }
        end_process(shape, &stream);
    }
}

static void append_message(XtfStream *stream, uint64_t from, uint64_t to, bool send, uint32_t peer)
{
    XtfRecvsRow row = {.region = send ? MPI_SEND : MPI_RECV, .peer = peer, .bytes = 64, .request = XTF_NONE64};

    _Static_assert(sizeof(XtfSendsRow) == offsetof(XtfRecvsRow, posted), "a receive begins with the fields of a send");
    xtf_stream_enter(stream, from, send ? MPI_SEND : MPI_RECV);
    if (send)
        xtf_stream_send(stream, from, (XtfSendsRow *)&row);
    else
        xtf_stream_recv(stream, to, &row);
    xtf_stream_leave(stream, to, send ? MPI_SEND : MPI_RECV);
}

/* A task: the times when it is sent, received, done, and its result received. */
typedef struct {
    uint32_t process;
    uint64_t sent, accepted, done, received;
} Task;

static Task *make_tasks(const Shape *shape, uint64_t n)
{
    Task *tasks = g_new0(Task, n);
    g_autofree uint64_t *free_at = g_new0(uint64_t, shape->n_processes);
    uint64_t time = 100;

    for (uint64_t i = 0; i < n + AHEAD; i++) {
        if (i < n) {
            Task *task = &tasks[i];
            task->process = 1 + (uint32_t)(i * (shape->n_processes - 1) / n);
            task->sent = time;
            task->accepted = MAX(time, free_at[task->process]) + 5;
            task->done = task->accepted + 100 + random_number(task->process, i, 400);
            free_at[task->process] = task->done + 10;
            time += 20;
        }
        if (i >= AHEAD)
            time = tasks[i - AHEAD].received = MAX(time, tasks[i - AHEAD].done) + 10;
    }
    return tasks;
}

static void write_master(const Shape *shape, const Task *tasks, uint64_t n)
{
    XtfStream stream;
    uint64_t time = 100;

    begin_process(shape, &stream, 0);
    for (uint64_t i = 0; i < n + AHEAD; i++) {
        if (i < n) {
            append_message(&stream, tasks[i].sent, tasks[i].sent + 10, true, tasks[i].process);
            time = tasks[i].sent + 20;
        }
        if (i >= AHEAD) {
            append_message(&stream, time, tasks[i - AHEAD].received, false, tasks[i - AHEAD].process);
            time = tasks[i - AHEAD].received;
        }
    }
    end_process(shape, &stream);
}

static void write_tasks(const Shape *shape)
{
    uint64_t n = shape->n / 2, i = 0;
    g_autofree Task *tasks = make_tasks(shape, n);
    XtfStream stream;

    write_master(shape, tasks, n);
    for (uint32_t process = 1; process < shape->n_processes; process++) {
        uint64_t time = 10;
        begin_process(shape, &stream, process);
        for (; i < n && tasks[i].process == process; i++) {
            append_message(&stream, time, tasks[i].accepted, false, 0);
            append_call(&stream, WORK, tasks[i].accepted, tasks[i].done);
            append_message(&stream, tasks[i].done, tasks[i].done + 5, true, 0);
            time = tasks[i].done + 10;
        }
        end_process(shape, &stream);
    }
}

int main(int argc, char **argv)
{
    const XtfWriterOptions options = {.no_sync = true};
    g_autoptr(GError) error = NULL;
    bool is_reduce = argc == 5 && !strcmp(argv[1], "reduce");
    Shape shape = {.path = argc == 5 ? argv[4] : NULL};

    if (shape.path) {
        shape.n_processes = (uint32_t)strtoul(argv[2], NULL, 10);
        shape.n = strtoull(argv[3], NULL, 10);
    }
    bench_check(shape.n_processes > 1 && (is_reduce || !strcmp(argv[1], "master")), NULL,
                "usage: make-meetings reduce|master PROCESSES NUMBER FILE.xtf");
    bench_run_begin(&shape.run, shape.path, &options);
    bench_run_define(&shape.run, shape.n_processes, named, N_REGIONS);
    if (is_reduce)
        write_reductions(&shape);
    else
        write_tasks(&shape);
    bench_run_end(&shape.run);
    return 0;
}
