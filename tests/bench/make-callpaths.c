/*
 * Generates traces with very many call paths, of programs that exchange messages on a ring meanwhile:
 *
 *     make-callpaths SHAPE CALLPATHS PROCESSES FILE.xtf
 *
 * Each call path is visited once, and ends with one of the calls that the shape has:
 *
 * - `deep`: main calls a function that calls itself 48 times; each of these calls has its own share of the call paths
 * - `wide`: all call paths have the same three levels, of up to a thousand functions each
 * - `own`: as `wide`, but each process has call paths of its own, which it shares with no other
 * - `roots`: no function calls another, as if a tool had not recorded the outer calls; each process begins elsewhere
 *
 * After every 1024 call paths each process sends a message to its right neighbour, and then receives one from its left.
 * It waits if the neighbour is later.
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "made-up.h"
#include "src/import/messages.h"

enum { MAIN, RECURSE, MPI_SEND, MPI_RECV, FUNCTIONS };
enum { DEPTH = 48, WIDTH = 1000, NARROW = 32, PERIOD = 1 << 22, BETWEEN = 1024, TICKS = 1000, LEVELS = 6 };

typedef enum { DEEP, WIDE, OWN, ROOTS, N_SHAPES } Shape;

static const char *const shape_names[N_SHAPES] = {"deep", "wide", "own", "roots"};

typedef struct {
    const char *path;
    BenchRun run;
    Shape shape;
    uint64_t n, n_processes, n_functions;
} Program;

typedef struct {
    const Program *program;
    XtfStream stream;
    uint64_t self, time, n_visited, random;
} Process;

static void define_all(const Program *program)
{
    static const char *const named[FUNCTIONS] = {"main", "recurse", "MPI_Send", "MPI_Recv"};
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

    for (uint64_t i = 0; i < FUNCTIONS + program->n_functions; i++)
        g_ptr_array_add(names, i < FUNCTIONS ? g_strdup(named[i]) : g_strdup_printf("function_%" G_GUINT64_FORMAT, i));
    bench_run_define(&program->run, program->n_processes, (const char *const *)names->pdata, names->len);
}

/* ---- Records. */

static void append_enter(Process *process, uint64_t region)
{
    xtf_stream_enter(&process->stream, process->time += 1 + bench_below(&process->random, TICKS), (uint32_t)region);
}

static void append_leave(Process *process, uint64_t region)
{
    xtf_stream_leave(&process->stream, process->time += 1 + bench_below(&process->random, TICKS), (uint32_t)region);
}

/* Returns when a process sends its k-th message: later than all calls before, which take less than a period. */
static uint64_t send_time(uint64_t process, uint64_t k)
{
    uint64_t state = process * 1000003 + k;

    return PERIOD * (k + 1) + bench_below(&state, PERIOD / 4);
}

static void append_message(Process *process, uint64_t from, uint64_t to, bool send, uint64_t peer)
{
    uint32_t region = send ? MPI_SEND : MPI_RECV;
    XtfRecvsRow row = {.region = region, .peer = (uint32_t)peer, .bytes = 64, .request = XTF_NONE64};

    _Static_assert(sizeof(XtfSendsRow) == offsetof(XtfRecvsRow, posted), "a receive begins with the fields of a send");
    xtf_stream_enter(&process->stream, from, region);
    if (send)
        xtf_stream_send(&process->stream, from, (XtfSendsRow *)&row);
    else
        xtf_stream_recv(&process->stream, to, &row);
    xtf_stream_leave(&process->stream, process->time = to, region);
}

/* Sends the k-th message to the right, and receives the left neighbour's. */
static void append_exchange(Process *process, uint64_t k)
{
    uint64_t n = process->program->n_processes, left = (process->self + n - 1) % n, own = send_time(process->self, k);

    append_message(process, own, own + 10, true, (process->self + 1) % n);
    append_message(process, own + 20, MAX(own, send_time(left, k)) + 30, false, left);
}

static void note_visit(Process *process)
{
    if (++process->n_visited % BETWEEN == 0)
        append_exchange(process, process->n_visited / BETWEEN - 1);
}

/* Visits the call paths with the numbers first to end - 1 below the call that is open. Their functions are the digits
 * of the number, of a base, in a number of levels. */
static void visit_numbers(Process *process, uint64_t first, uint64_t end, uint64_t base, unsigned levels)
{
    uint64_t open[LEVELS];
    unsigned depth = 0;

    for (uint64_t i = first; i < end; i++) {
        uint64_t digits[LEVELS], number = i;
        for (unsigned level = levels; level-- > 0; number /= base)
            digits[level] = FUNCTIONS + number % base;
        while (depth > 0 && (depth == levels || memcmp(open, digits, depth * sizeof *open) != 0))
            append_leave(process, open[--depth]);
        for (; depth < levels; depth++)
            append_enter(process, open[depth] = digits[depth]);
        note_visit(process);
    }
    while (depth > 0)
        append_leave(process, open[--depth]);
}

static void visit_deep(Process *process, uint64_t n)
{
    for (uint64_t depth = 0; depth < DEPTH; depth++) {
        append_enter(process, RECURSE);
        visit_numbers(process, 0, n / DEPTH + (depth < n % DEPTH), NARROW, 3);
    }
    for (uint64_t depth = 0; depth < DEPTH; depth++)
        append_leave(process, RECURSE);
}

static void visit_all(Process *process)
{
    const Program *program = process->program;
    uint64_t share = program->n / program->n_processes;

    switch (program->shape) {
    case DEEP:
        visit_deep(process, program->n);
        break;
    case OWN:
        visit_numbers(process, process->self * share, (process->self + 1) * share, WIDTH, 2);
        break;
    default:
        visit_numbers(process, 0, program->n, WIDTH, 2);
    }
}

static void visit_roots(Process *process)
{
    uint64_t n = process->program->n, first = process->self * n / process->program->n_processes;

    for (uint64_t i = first; i < first + n; i++) {
        append_enter(process, FUNCTIONS + i % n);
        append_leave(process, FUNCTIONS + i % n);
        note_visit(process);
    }
}

static void write_process(const Program *program, uint64_t self)
{
    Process process = {.program = program, .self = self, .random = self};
    g_autoptr(GError) error = NULL;

    xtf_stream_init(&process.stream, program->run.writer, NULL, program->run.schemas);
    xtf_stream_begin(&process.stream, self);
    if (program->shape == ROOTS) {
        visit_roots(&process);
    } else {
        append_enter(&process, MAIN);
        visit_all(&process);
        append_leave(&process, MAIN);
    }
    bench_check(xtf_stream_end(&process.stream, &error), error, "%s", program->path);
    xtf_stream_finish(&process.stream);
}

int main(int argc, char **argv)
{
    const XtfWriterOptions options = {.no_sync = true};
    Program program = {.shape = N_SHAPES};

    for (Shape shape = 0; argc == 5 && shape < N_SHAPES; shape++)
        if (!strcmp(argv[1], shape_names[shape]))
            program.shape = shape;
    if (argc == 5) {
        program.n = strtoull(argv[2], NULL, 10);
        program.n_processes = strtoull(argv[3], NULL, 10);
        program.path = argv[4];
    }
    bench_check(program.shape < N_SHAPES && program.n > 0 && program.n <= WIDTH * WIDTH && program.n_processes > 1,
                NULL, "usage: make-callpaths deep|wide|own|roots CALLPATHS PROCESSES FILE.xtf (at most a million)");
    program.n_functions = program.shape == ROOTS ? program.n : WIDTH;
    bench_run_begin(&program.run, program.path, &options);
    define_all(&program);
    for (uint64_t self = 0; self < program.n_processes; self++)
        write_process(&program, self);
    bench_run_end(&program.run);
    return 0;
}
