/*
 * Random programs of MPI: for each thread a list of steps. Most messages and collective operations have all of their
 * sides; then some steps are changed, swapped or left out, so that some programs hang.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    PROCS_MAX = 6,
    THREADS_MAX = 2,
    LOCATIONS_MAX = PROCS_MAX * THREADS_MAX,
    STEPS_MAX = 96, /* steps of a thread */
    ANY = -1,       /* source or tag */
    N_TAGS = 3,
    SECOND = 1000000000, /* ns */
};

enum { WORLD, SUB, N_COMMS };

typedef enum {
    STEP_COMPUTE,
    STEP_SEND,
    STEP_RECV,
    STEP_SENDRECV,
    STEP_ISEND,
    STEP_IRECV,
    STEP_WAIT,    /* for the thread's oldest request */
    STEP_WAITALL, /* for its oldest `n` requests */
    STEP_WAITANY, /* for one of its oldest `n` requests */
    STEP_BARRIER,
    STEP_ALLREDUCE,
    STEP_BCAST,
    STEP_REDUCE,
    STEP_JOIN, /* waits outside MPI for the process's other thread */
    STEP_FINALIZE,
    N_STEP_KINDS,
} StepKind;

/* Names of the functions; NULL: none. */
extern const char *const step_names[N_STEP_KINDS];

typedef struct {
    StepKind kind;
    int source, recvtag; /* source: a process, or ANY */
    int dest, sendtag;
    int comm, root;   /* root: a process */
    bool synchronous; /* a send ends only when its message is matched */
    uint64_t ticks;   /* COMPUTE: length; sends: the longest time until the message arrives */
    unsigned n;       /* number of requests */
} Step;

/* The thread level of a process. With FUNNELED, threads but the first only compute. With SERIALIZED, a thread waits
 * outside MPI while another one is in a call. UNSTATED: as MULTIPLE, but the trace does not say it. */
typedef enum { LEVEL_UNSTATED, LEVEL_FUNNELED, LEVEL_SERIALIZED, LEVEL_MULTIPLE, N_THREAD_LEVELS } Level;

/* How members of a collective operation depend on each other. */
typedef enum { ROOTED_FLAT, ROOTED_CHAIN, ROOTED_SYNCHRONISED, N_ROOTED } Rooted;

typedef struct {
    unsigned n_procs;
    unsigned n_threads[PROCS_MAX];
    Level levels[PROCS_MAX];
    unsigned n_members[N_COMMS];
    int members[N_COMMS][PROCS_MAX]; /* processes by rank */
    Rooted rooted;
    bool finalize_waits; /* MPI_Finalize waits for all processes */
    bool lists_requests; /* the recorder lists the requests of a call, and the communicator of MPI_Finalize */
    bool names_requests; /* the recorder lists only requests the call waits for, and names the root of an operation;
                            else it lists all open requests of the process */
    bool reports_early;  /* the recorder reports a call once it has lasted a second */
    Step steps[LOCATIONS_MAX][STEPS_MAX];
    unsigned n_steps[LOCATIONS_MAX];
    unsigned n_requests[LOCATIONS_MAX]; /* private: requests that the steps so far leave open */
} Program;

void program_make(Program *program, GRand *random);
/* Returns the rank of a process in a communicator; -1: it is no member. */
int program_rank(const Program *program, int comm, int proc);

static inline unsigned location_of(unsigned proc, unsigned thread)
{
    return proc * THREADS_MAX + thread;
}
static inline unsigned proc_of(unsigned location)
{
    return location / THREADS_MAX;
}
static inline bool calls_mpi(const Program *program, unsigned location)
{
    return location % THREADS_MAX == 0 || program->levels[proc_of(location)] != LEVEL_FUNNELED;
}
static inline bool is_collective(StepKind kind)
{
    return kind >= STEP_BARRIER && kind <= STEP_REDUCE;
}
static inline bool waits_for_requests(StepKind kind)
{
    return kind >= STEP_WAIT && kind <= STEP_WAITANY;
}
