/*
 * Simulates a program of MPI in virtual time, and logs the rows that a recorder would write.
 *
 * Calls take no time unless they wait. Messages between two processes do not overtake each other. A message arrives
 * after its delay, or as soon as a thread of its sender waits in a call. A receive takes the first message that has
 * arrived and that it accepts; receives are served in the order in which they were posted.
 */
#pragma once

#include "tests/waiting/program.h"

typedef struct {
    int from, to, comm, tag; /* processes */
    uint64_t arrival;
    bool synchronous, has_arrived, is_taken;
    bool is_received; /* `recvs` has its row */
} Message;

typedef struct {
    unsigned proc;
    int source, tag, comm;
    int message; /* number of the received message; -1: none */
} Posted;

typedef struct {
    unsigned proc;
    bool sends, is_open; /* is_open: no call has completed it */
    unsigned number;     /* index in `messages` or `posted` */
} Request;

typedef enum { THREAD_COMPUTES, THREAD_JOINS, THREAD_CALLS, THREAD_ENDED } ThreadState;

typedef struct {
    ThreadState state;
    bool is_blocked;                     /* CALLS: the call could not end at once */
    unsigned step;                       /* index of the present step */
    uint64_t until;                      /* end of the computation, in state COMPUTES */
    uint64_t since;                      /* begin of the call, in state CALLS */
    unsigned message, posted, operation; /* indices of the call's message, receive and collective operation */
    unsigned n_awaited;                  /* the call waits for the first n_awaited of `requests` */
    GArray *requests;                    /* unsigned: open requests of the thread, oldest first */
    bool is_reported;                    /* the log has the call's rows of `pending` */
    GArray *listed;                      /* unsigned: requests that the rows of `pending` list */
    GArray *log;                         /* Row */
} Thread;

/* Rows of a location. Peers are processes. */
typedef enum {
    ROW_ENTER,
    ROW_LEAVE,
    ROW_SEND,
    ROW_ISEND,
    ROW_RECV,
    ROW_IRECV,
    ROW_ISEND_COMPLETE,
    ROW_IRECV_REQUEST,
    ROW_COLLECTIVE_BEGIN,
    ROW_COLLECTIVE_END,
    ROW_PENDING,
    ROW_PENDING_SEND,
    ROW_PENDING_RECEIVE,
    ROW_PENDING_COLLECTIVE,
    ROW_PENDING_POSTED,
} RowKind;

enum { NO_PEER = -1, NO_TAG = -1, NO_COMM = -1, NO_REQUESTS = -1 };

typedef struct {
    RowKind kind;
    uint64_t time, since;
    StepKind call;
    int peer, tag, comm;
    int64_t request; /* PENDING: number of requests, or NO_REQUESTS */
    int root;        /* of PENDING: rank of the root; NO_PEER: none */
    int64_t id;      /* of rows after PENDING: id of the request; NO_REQUESTS: not named */
} Row;

typedef struct {
    const Program *program;
    uint64_t now;
    GArray *messages, *posted, *all_requests; /* Message, Posted, Request */
    GArray *operations[N_COMMS][PROCS_MAX];   /* StepKind: operations that a member has begun */
    bool is_finalizing[PROCS_MAX];
    Thread threads[LOCATIONS_MAX];
} Simulation;

void simulation_init(Simulation *simulation, const Program *program);
void simulation_clear(Simulation *simulation);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Simulation, simulation_clear)
/* Runs all that happens until a time, or until nothing happens any more. */
void simulation_run(Simulation *simulation, uint64_t until);
/* Logs a row of a thread's present step. */
void simulation_log(Simulation *simulation, unsigned location, Row row);
/* Logs the rows of `pending` of a thread that is in a call, unless the log has them. */
void simulation_report(Simulation *simulation, unsigned location);

/* True if all threads of a process have ended. */
bool simulation_has_ended(const Simulation *simulation, unsigned proc);
bool simulation_exists(const Simulation *simulation, unsigned location);
bool simulation_accepts(const Posted *posted, const Message *message);

static inline const Step *step_of(const Simulation *simulation, unsigned location)
{
    return &simulation->program->steps[location][simulation->threads[location].step];
}
static inline Message *message_at(const Simulation *simulation, unsigned i)
{
    return &g_array_index(simulation->messages, Message, i);
}
static inline Posted *posted_at(const Simulation *simulation, unsigned i)
{
    return &g_array_index(simulation->posted, Posted, i);
}
static inline Request *request_at(const Simulation *simulation, unsigned i)
{
    return &g_array_index(simulation->all_requests, Request, i);
}
