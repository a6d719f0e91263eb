/*
 * The state of an engine, and functions that its files share.
 *
 *     engine.c               the run
 *     engine-locations.c     clocks of locations, and the queue
 *     engine-order.c         receives in another order
 *     engine-messages.c      messages between two processes
 *     engine-operations.c    collective operations
 */
#pragma once

#include "src/analysis/predict/engine.h"
#include "src/analysis/predict/flows.h"
#include "src/analysis/replay/logs/flight.h"

#define XTF_NO_INDEX UINT32_MAX

/* A message of which an end is known, and that is not done. */
typedef struct {
    uint64_t key;
    uint64_t sent, posted;   /* clocks of sender and receiver when they were ready; see has_send, has_post */
    uint64_t start, arrival; /* when it started, if `started`; arrived, if `arrived` */
    uint64_t recorded;       /* time of the send in the trace, in ticks */
    uint64_t bytes;
    uint32_t from, to;         /* processes; to: set with has_send */
    uint32_t source;           /* location of the sender */
    uint32_t sender, receiver; /* locations that wait for it; XTF_NO_INDEX: none */
    uint32_t operation;        /* index of its operation; XTF_NO_INDEX: none */
    uint32_t next;             /* next free one */
    bool has_send, has_post, started, arrived, eager;
    bool received; /* its receive is complete */
    bool settled;  /* its sender does not wait for it any more */
} XtfEngineMessage;

/* The begin of a member of an operation. */
typedef struct {
    uint64_t begin; /* clock */
    uint32_t location;
    bool begun, sends;
} XtfEngineMember;

/* A collective operation that has begun, and that not all members have ended. */
typedef struct {
    uint64_t key;
    uint32_t n, n_begun, n_ended, prefix; /* prefix: all members of lower ranks have begun */
    uint32_t root;                        /* UINT32_MAX: none, or not known yet */
    uint64_t latest;                      /* the latest begin of the members that send data */
    XtfEngineMember *members;
    XtfFlights messages; /* indices of messages, by sender << 32 | receiver */
    GArray *waiting;     /* uint32_t: locations; NULL: none yet */
    uint32_t next;       /* next free one */
} XtfEngineOperation;

typedef struct {
    XtfOpReader reader;
    XtfPredictedTimes times; /* end: the clock */
    uint64_t factor;
    uint64_t n_inflight; /* messages that it sent, and that are not received; and the weight of its open operations */
    XtfRounds rounds;    /* of its collective operation */
    /* Messages that its operation, or the step of it, sends and receives; XTF_NO_INDEX: none. */
    uint32_t message, received;
    uint8_t phase; /* of its operation, or of a round: 0 at first */
    bool in_rounds;
    bool has_op, queued, done;
} XtfEngineLocation;

enum { XTF_RECEIVES_COMPARED_AHEAD = 8 };

/* A receive, for the comparison of orders. */
typedef struct {
    uint64_t recorded, sent; /* its send: time in the trace, and clock */
    uint32_t process, comm, tag;
} XtfEngineReceive;

/* The last receives of a location. */
typedef struct {
    XtfEngineReceive last[XTF_RECEIVES_COMPARED_AHEAD];
    uint32_t n;
} XtfEngineOrder;

typedef struct {
    const XtfRunProgram *program;
    const XtfMachine *machine;
    const XtfPredictionConsumer *consumer;
    XtfSteps *steps;
    bool ideal; /* see xtf_machine_is_ideal() */
    XtfEngineLocation *locations;
    uint32_t n_locations;
    GArray *messages;   /* XtfEngineMessage */
    GArray *operations; /* XtfEngineOperation */
    uint32_t free_message, free_operation;
    XtfFlights by_key, operations_by_key; /* indices of messages and operations */
    GQueue ready;                         /* GUINT_TO_POINTER: locations that may run */
    GArray *ahead;                        /* Ahead: a heap of locations that ran far ahead */
    uint32_t ahead_limit;                 /* messages in flight of a location that is ahead */
    XtfFlows *flows;                      /* NULL: no contention */
    uint64_t now;                         /* time of the last flow that began or ended */
    XtfEngineOrder *orders;               /* by location */
    uint64_t n_ops;
    XtfPrediction *result;
    GError *error; /* of the consumer */
} XtfEngine;

static inline XtfEngineMessage *xtf_engine_message(const XtfEngine *engine, uint32_t index)
{
    return &g_array_index(engine->messages, XtfEngineMessage, index);
}

static inline XtfEngineOperation *xtf_engine_operation(const XtfEngine *engine, uint32_t index)
{
    return &g_array_index(engine->operations, XtfEngineOperation, index);
}

/* Queues a location that waits; XTF_NO_INDEX: nothing to do. */
void xtf_engine_wake(XtfEngine *engine, uint32_t location);
/* Advances a location's clock to `until`. It waits for another location up to `since`, and then for a transfer. */
void xtf_engine_wait(XtfEngineLocation *location, uint64_t since, uint64_t until);
/* Keeps a location busy for the overhead of a message. */
void xtf_engine_spend_overhead(const XtfEngine *engine, XtfEngineLocation *location);
/* Passes the location's shift to the consumer, from record `seq` on. */
void xtf_engine_shift(XtfEngine *engine, uint32_t location, uint64_t seq);

/* ---- Messages. All functions that take an index of a location do the part of its operation. They return false if the
 * location waits; later it does the operation again, from its phase on. */

bool xtf_engine_send(XtfEngine *engine, uint32_t location, const XtfOp *op);
bool xtf_engine_complete_send(XtfEngine *engine, uint32_t location, const XtfOp *op);
void xtf_engine_post(XtfEngine *engine, uint32_t location, const XtfOp *op);
bool xtf_engine_receive(XtfEngine *engine, uint32_t location, const XtfOp *op);
bool xtf_engine_probe(XtfEngine *engine, uint32_t location, const XtfOp *op);

/* Finds a message by its key, or adds it. Both return an index. */
uint32_t xtf_engine_find_message(XtfEngine *engine, uint64_t key);
uint32_t xtf_engine_find_member_message(XtfEngine *engine, uint32_t operation, uint32_t from, uint32_t to);
/* Makes the sender, or the receiver, ready at the location's clock. The location's `message` becomes this one if the
 * sender has to wait for it, else XTF_NO_INDEX. */
void xtf_engine_send_message(XtfEngine *engine, uint32_t location, uint32_t message, uint32_t to, uint64_t bytes,
                             bool eager);
/* True if messages of this size are eager. */
static inline bool xtf_engine_is_eager(const XtfEngine *engine, uint64_t bytes)
{
    return bytes < engine->machine->eager || engine->machine->eager == UINT64_MAX;
}
void xtf_engine_post_message(XtfEngine *engine, uint32_t location, uint32_t message);
/* Waits for a message that the location receives, and that it sent. */
bool xtf_engine_await_receive(XtfEngine *engine, uint32_t location, uint32_t message);
bool xtf_engine_await_sent(XtfEngine *engine, uint32_t location, uint32_t message);
/* Notes that a message has arrived, and wakes who waits for it. */
void xtf_engine_arrive(XtfEngine *engine, uint32_t message, uint64_t arrival);
/* Ends a wait that would last for ever: a location waits for this message. */
void xtf_engine_force_message(XtfEngine *engine, uint32_t message);
/* Counts a receive if it may be overtaken, or may overtake another one. `message` is the one that it received. */
void xtf_engine_note_receive(XtfEngine *engine, uint32_t location, const XtfOp *op, const XtfEngineMessage *message);

/* ---- Collective operations. */

void xtf_engine_begin(XtfEngine *engine, uint32_t location, const XtfOp *op);
bool xtf_engine_end(XtfEngine *engine, uint32_t location, const XtfOp *op);
/* Returns the message for which a location waits in a step of an operation; XTF_NO_INDEX: it waits for begins. */
uint32_t xtf_engine_awaited(const XtfEngine *engine, const XtfEngineLocation *location);
void xtf_engine_operations_finish(XtfEngine *engine);
