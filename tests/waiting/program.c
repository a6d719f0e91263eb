#include "tests/waiting/program.h"

const char *const step_names[N_STEP_KINDS] = {
    [STEP_SEND] = "MPI_Send",        [STEP_RECV] = "MPI_Recv",           [STEP_SENDRECV] = "MPI_Sendrecv",
    [STEP_ISEND] = "MPI_Isend",      [STEP_IRECV] = "MPI_Irecv",         [STEP_WAIT] = "MPI_Wait",
    [STEP_WAITALL] = "MPI_Waitall",  [STEP_WAITANY] = "MPI_Waitany",     [STEP_BARRIER] = "MPI_Barrier",
    [STEP_BCAST] = "MPI_Bcast",      [STEP_ALLREDUCE] = "MPI_Allreduce", [STEP_REDUCE] = "MPI_Reduce",
    [STEP_FINALIZE] = "MPI_Finalize"};

typedef struct {
    Program *program;
    GRand *random;
    int hurry;    /* short steps among 100 that compute */
    int mistakes; /* wrong numbers among 1000 in envelopes */
} Making;

static int below(Making *making, unsigned n)
{
    return g_rand_int_range(making->random, 0, (gint32)n);
}

static bool chance(Making *making, int percent)
{
    return below(making, 100) < percent;
}

int program_rank(const Program *program, int comm, int proc)
{
    for (unsigned i = 0; i < program->n_members[comm]; i++)
        if (program->members[comm][i] == proc)
            return (int)i;
    return -1;
}

static void add_step(Making *making, unsigned location, Step step)
{
    Program *program = making->program;

    if (program->n_steps[location] < STEPS_MAX)
        program->steps[location][program->n_steps[location]++] = step;
}

/* ---- Messages, operations, and waits for requests. */

static uint64_t random_delay(Making *making)
{
    return chance(making, 70) ? (uint64_t)below(making, 1000) : (uint64_t)below(making, 5000) * (SECOND / 1000);
}

static void add_compute(Making *making, unsigned location)
{
    unsigned ms = chance(making, making->hurry) ? 50 : 6000;

    add_step(making, location,
             (Step){.kind = STEP_COMPUTE, .ticks = (uint64_t)below(making, ms) * (SECOND / 1000) + 1});
}

/* Adds a step that waits for some of a thread's requests. */
static void add_wait(Making *making, unsigned location)
{
    unsigned *open = &making->program->n_requests[location], n = *open;
    Step step = {.kind = STEP_WAITALL, .n = n};

    if (n == 0)
        return;
    if (chance(making, 30))
        step = (Step){.kind = STEP_WAIT, .n = 1};
    else if (chance(making, 45))
        step.kind = STEP_WAITANY;
    if (step.kind != STEP_WAIT && chance(making, 30))
        step.n = 1 + (unsigned)below(making, n);
    *open -= step.kind == STEP_WAITALL ? step.n : 1;
    add_step(making, location, step);
}

static unsigned random_thread(Making *making, int proc)
{
    const Program *program = making->program;
    unsigned n = program->levels[proc] == LEVEL_FUNNELED ? 1 : program->n_threads[proc];

    return location_of((unsigned)proc, (unsigned)below(making, n));
}

static void add_message(Making *making)
{
    Program *program = making->program;
    int comm = chance(making, 30) ? SUB : WORLD;
    unsigned n = program->n_members[comm], rank = (unsigned)below(making, n);
    unsigned distance = chance(making, 2) ? 0 : 1 + (unsigned)below(making, n - 1); /* 0: a message to itself */
    int from = program->members[comm][rank], to = program->members[comm][(rank + distance) % n];
    int tag = below(making, N_TAGS);
    unsigned sender = random_thread(making, from), receiver = random_thread(making, to);
    Step send = {.kind = chance(making, 50) ? STEP_SEND : STEP_ISEND,
                 .dest = to,
                 .sendtag = tag,
                 .comm = comm,
                 .synchronous = chance(making, 55),
                 .ticks = random_delay(making)};
    Step receive = {.kind = chance(making, 45) ? STEP_RECV : STEP_IRECV,
                    .source = chance(making, 20) ? ANY : from,
                    .recvtag = chance(making, 20) ? ANY : tag,
                    .comm = comm};

    if (below(making, 1000) < making->mistakes)
        receive.recvtag = below(making, N_TAGS);
    if (below(making, 1000) < making->mistakes)
        receive.comm = WORLD;
    if (below(making, 1000) < making->mistakes)
        send.dest = program->members[comm][below(making, program->n_members[comm])];
    add_step(making, sender, send);
    program->n_requests[sender] += send.kind == STEP_ISEND;
    add_step(making, receiver, receive);
    program->n_requests[receiver] += receive.kind == STEP_IRECV;
}

/* Adds an MPI_Sendrecv to each process of a ring. */
static void add_ring(Making *making)
{
    Program *program = making->program;
    int comm = chance(making, 50) ? SUB : WORLD, tag = below(making, N_TAGS);
    bool synchronous = chance(making, 50);
    unsigned n = program->n_members[comm], length = 2 + (unsigned)below(making, n - 1),
             first = (unsigned)below(making, n);

    for (unsigned i = 0; i < length; i++) {
        int before = program->members[comm][(first + (i + length - 1) % length) % n];
        int after = program->members[comm][(first + (i + 1) % length) % n];
        int proc = program->members[comm][(first + i) % n];
        add_step(making, location_of((unsigned)proc, 0),
                 (Step){.kind = STEP_SENDRECV,
                        .source = chance(making, 10) ? ANY : before,
                        .recvtag = tag,
                        .dest = after,
                        .sendtag = tag,
                        .comm = comm,
                        .synchronous = synchronous,
                        .ticks = random_delay(making)});
    }
}

static void add_collective(Making *making)
{
    static const StepKind kinds[] = {STEP_BARRIER, STEP_ALLREDUCE, STEP_BCAST, STEP_REDUCE};
    Program *program = making->program;
    int comm = chance(making, 50) ? SUB : WORLD;
    const Step step = {.kind = kinds[below(making, G_N_ELEMENTS(kinds))],
                       .comm = comm,
                       .root = program->members[comm][below(making, program->n_members[comm])]};

    for (unsigned i = 0; i < program->n_members[comm]; i++) {
        unsigned proc = (unsigned)program->members[comm][i];
        unsigned last = program->levels[proc] == LEVEL_FUNNELED ? 0 : program->n_threads[proc] - 1;
        add_step(making, location_of(proc, comm == SUB ? last : 0), step);
    }
}

/* ---- Programs. */

static void make_world(Making *making)
{
    Program *program = making->program;

    program->n_procs = 2 + (unsigned)below(making, PROCS_MAX - 1);
    for (unsigned i = 0; i < program->n_procs; i++) {
        program->n_threads[i] = chance(making, 20) ? 2 : 1;
        program->levels[i] = (Level)below(making, N_THREAD_LEVELS);
        program->members[WORLD][i] = program->members[SUB][i] = (int)i;
    }
    program->n_members[WORLD] = program->n_procs;
    program->n_members[SUB] = 2 + (unsigned)below(making, program->n_procs - 1);
    for (unsigned i = 0; i < program->n_members[SUB]; i++) { /* some members in any order */
        unsigned k = i + (unsigned)below(making, program->n_procs - i);
        int member = program->members[SUB][i];
        program->members[SUB][i] = program->members[SUB][k];
        program->members[SUB][k] = member;
    }
    program->rooted = (Rooted)below(making, N_ROOTED);
    program->finalize_waits = chance(making, 60);
    program->lists_requests = chance(making, 80);
    program->names_requests = program->lists_requests && chance(making, 70);
    program->reports_early = chance(making, 50);
}

static void add_some(Making *making)
{
    int proc = below(making, making->program->n_procs);
    unsigned location = random_thread(making, proc);
    unsigned any_thread = location_of((unsigned)proc, (unsigned)below(making, making->program->n_threads[proc]));
    int kind = below(making, 100);

    if (kind < 45)
        add_message(making);
    else if (kind < 60)
        add_compute(making, any_thread);
    else if (kind < 84)
        add_wait(making, location);
    else if (kind < 93)
        add_collective(making);
    else
        add_ring(making);
}

/* Leaves out a step, swaps two, or ends a thread early. */
static void spoil_thread(Making *making, unsigned location)
{
    Program *program = making->program;
    Step *steps = program->steps[location];
    unsigned n = program->n_steps[location];

    if (n < 2)
        return;
    unsigned at = (unsigned)below(making, n - 1);
    Step moved = steps[at];
    switch (below(making, 5)) {
    case 0:
        program->n_steps[location] = at;
        break;
    case 1:
        for (unsigned i = at; i + 1 < n; i++)
            steps[i] = steps[i + 1];
        program->n_steps[location]--;
        break;
    default:
        steps[at] = steps[at + 1];
        steps[at + 1] = moved;
    }
}

void program_make(Program *program, GRand *random)
{
    Making making = {.program = program, .random = random};

    *program = (Program){0};
    making.hurry = chance(&making, 50) ? 100 : 70;
    making.mistakes = chance(&making, 50) ? 0 : 30;
    make_world(&making);
    for (int n = 3 + below(&making, 25); n > 0; n--)
        add_some(&making);
    for (int n = below(&making, 4); n > 0; n--)
        spoil_thread(&making, random_thread(&making, below(&making, program->n_procs)));
    for (unsigned proc = 0; proc < program->n_procs; proc++) {
        bool ends_early = chance(&making, 8);
        for (unsigned thread = 0; thread < program->n_threads[proc]; thread++)
            if (!ends_early && calls_mpi(program, location_of(proc, thread)))
                add_step(&making, location_of(proc, thread), (Step){.kind = STEP_WAITALL, .n = UINT32_MAX});
        if (program->n_threads[proc] > 1)
            add_step(&making, location_of(proc, 0), (Step){.kind = STEP_JOIN});
        if (!ends_early)
            add_step(&making, location_of(proc, 0), (Step){.kind = STEP_FINALIZE, .comm = WORLD});
    }
}
