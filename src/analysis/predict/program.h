/*
 * Programs for the engine of predictions: the computing, messages and collective operations of each location, in order.
 * They are in logs of a temporary file.
 *
 * Different threads may read a program at once.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/analysis/formulas/collective-rounds.h"
#include "src/analysis/replay/logs/log.h"
#include "src/analysis/replay/replay.h"

typedef enum {
    XTF_OP_SEND,
    XTF_OP_SENT, /* the completion of a non-blocking send */
    XTF_OP_POST, /* a receive is posted */
    XTF_OP_RECEIVE,
    XTF_OP_PROBE, /* a blocking probe that takes its message */
    XTF_OP_BEGIN, /* of a collective operation */
    XTF_OP_END,
    XTF_OP_EXIT, /* the end of the location */
} XtfOpKind;

typedef struct {
    XtfOpKind kind;
    uint64_t computing; /* time of computing before it, from the location's begin: see XtfRunProgram.in_parts */
    uint64_t seq;       /* of its record */
    uint64_t message;   /* key of a message or an operation, the same at all its ends. The high 32 bits of an operation
                           are the row of its communicator */
    uint64_t bytes;     /* of SEND; of END: of a block (collective-rounds.h), or all that the member sends if pattern is
                           XTF_REPLAY_NOBODY */
    uint64_t time;      /* recorded time of SEND, in ticks */
    uint32_t peer;      /* of SEND and RECEIVE: the other process; of BEGIN and END: the rank */
    uint32_t comm, tag; /* of RECEIVE */
    uint32_t root;      /* of END: a rank, if the operation has one */
    uint8_t pattern;    /* of END: XtfReplayPattern */
    uint32_t label;     /* of END: the operation, an index of XtfRunProgram.rounds */
    bool blocks;        /* of SEND: the send is complete with it */
    bool buffered;      /* of SEND: it never waits for its receive (MPI_Bsend)... */
    bool synchronous;   /* ...or always does (MPI_Ssend) */
    bool sends;         /* of BEGIN: the member sends data */
    bool receives;      /* of END: the member receives data */
} XtfOp;

/* The members of a communicator, by rank: numbers of processes. */
typedef struct {
    uint32_t n;
    uint32_t *processes; /* owned; NULL: not known */
} XtfRunProgramComm;

typedef struct {
    XtfLogWriter writer;
    XtfLog log;
    XtfOp last; /* the last one that was written */
} XtfRunProgramLocation;

typedef struct {
    XtfSpool spool;
    XtfRunProgramLocation *locations;
    uint32_t *processes; /* number of the process, by location */
    uint32_t n_locations, n_processes;
    bool in_parts;  /* computing is in parts of a tick, XTF_PREDICT_PARTS to a tick; false: in ticks */
    GArray *comms;  /* XtfRunProgramComm, by row of `communicators` */
    GArray *rounds; /* XtfRoundsKind, by label of an operation */
} XtfRunProgram;

/* Makes a program without operations. `first` has the first location of each process, and behind the last one the
 * number of locations. */
XtfRunProgram *xtf_run_program_new(const uint32_t *first, uint32_t n_processes, GError **error);
void xtf_run_program_free(XtfRunProgram *program); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRunProgram, xtf_run_program_free)

/* Sets the members of a communicator, unless they are known. */
void xtf_run_program_add_comm(XtfRunProgram *program, uint32_t comm, const uint32_t *processes, uint32_t n);
/* Adds the next operation of a location. */
bool xtf_run_program_put(XtfRunProgram *program, uint32_t location, const XtfOp *op, GError **error);
/* Ends writing; the program may then be read. */
bool xtf_run_program_end(XtfRunProgram *program, GError **error);

typedef struct {
    XtfLogReader log;
    XtfOp op; /* the last one that was read */
} XtfOpReader;

/* Begins to read a location. `buffer` is the most bytes of a buffer. */
void xtf_op_reader_init(XtfOpReader *reader, const XtfRunProgram *program, uint32_t location, uint32_t buffer);
void xtf_op_reader_finish(XtfOpReader *reader); /* may be called twice */
/* Reads the next operation into reader->op; *found is false at the end. */
bool xtf_op_reader_next(XtfOpReader *reader, bool *found, GError **error);
