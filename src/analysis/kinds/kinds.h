/*
 * Waits that need no messages: for locks of threads, files and windows, for joined threads, in OpenMP's teams, and in
 * one-sided communication. docs/VOCABULARY.md, section 9, has the formulas. Kinds that Scalasca 2.6 has, too, follow
 * its OMP.pattern, Thread.pattern and MPI_RMA.pattern.
 *
 * One walk reads the records of all locations with such records in the order of the trace's clock: (time, process,
 * thread, seq). Other locations are not read. Memory holds what is open: locks, teams, window operations that some
 * members have not ended, epochs; and a small batch of each array.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/analysis/steps/steps.h"
#include "src/trace/context/trace-context.h"

enum {
    XTF_KIND_NONE = UINT8_MAX, /* value of `part_kind`: no part */
};

/* How a record synchronises processes in one-sided communication, or threads of OpenMP. */
typedef enum {
    XTF_KIND_ALONE,   /* no synchronisation */
    XTF_KIND_PAIR,    /* one-sided communication: with the culprit, which arrives at `arrival` */
    XTF_KIND_ALL,     /* the end of a window operation, also on the last member: all members were in it at one time */
    XTF_KIND_BARRIER, /* the end of a team's barrier, also on the last thread */
    XTF_KIND_FORKED,  /* a thread enters its parallel region */
    XTF_KIND_JOINS,   /* the process leaves all its parallel regions, on the thread that forks and joins */
    XTF_KIND_FORKS,   /* the process enters a parallel region, on the same thread */
    XTF_KIND_ENDS,    /* the idle time lasts to the process's end: behind the thread's last record */
    XTF_KIND_CREATED, /* the first record of a thread, which the culprit created at `end` */
} XtfKindSync;

/* The arrival of a culprit that others waited for. */
typedef struct {
    uint64_t seq, time;  /* of the record; or, if others waited for the end of a call, of the next record */
    uint64_t enter, end; /* enter of the call around it; end of the waits for it */
} XtfKindArrival;

/* A wait, or a record that synchronises without a wait. Times are global ticks. */
typedef struct {
    uint64_t seq, time; /* of the record at which the location waited */
    uint64_t begin, end;
    uint64_t enter, leave;  /* of the call around it; without a call, `begin` and `end` */
    uint64_t part;          /* see `part_kind` */
    uint64_t completion;    /* time between the wait's end and `time`, for kinds that have it */
    uint64_t sync_ticks;    /* FORKED: time since the team's first thread entered; FORKS, ENDS: idle time of the other
                               threads */
    uint64_t instance;      /* ALL, BARRIER: as the consumer's `barrier` has set it */
    XtfKindArrival arrival; /* PAIR: the culprit's arrival */
    uint64_t culprit_seq, match; /* seq and row of the culprit's record; UINT64_MAX: none */
    uint64_t bytes;              /* UINT64_MAX: none */
    uint32_t location,
        culprit;           /* the waiter and the culprit: indexes of xtf_trace_context_locations(); UINT32_MAX: none */
    uint32_t region, comm; /* UINT32_MAX: none */
    uint8_t kind;          /* XTF_LABEL_... of `waits` */
    uint8_t part_kind;     /* row of xtf_wait_parts, or XTF_KIND_NONE */
    uint8_t sync;          /* XtfKindSync */
    uint8_t depth;         /* BARRIER, FORKED: number of nested teams that the thread is in */
    bool leads;            /* ALONE: true if the critical path continues at the culprit */
} XtfKindWait;

/* A barrier of a team, or a window operation: the locations that left it, and the last one to enter. */
typedef struct {
    const uint32_t *locations;
    uint32_t n;
    uint32_t last;
    uint64_t last_seq; /* of the LEAVE, or of the operation's END, of the location that entered last */
} XtfKindBarrier;

/* The callbacks for waits. Waits of a location do not overlap. Their order is undefined. */
typedef struct {
    void *data;
    bool (*wait)(void *data, const XtfKindWait *wait, GError **error);
    /* Called before the waits of its members: sets their `instance`. NULL: records that synchronise without a wait
     * are skipped. */
    bool (*barrier)(void *data, const XtfKindBarrier *barrier, uint64_t *instance, GError **error);
} XtfKindConsumer;

/* Finds all waits in a window and calls the consumer. Counts each row for the current step. */
bool xtf_kinds_find(XtfTraceContext *context, XtfRunWindow window, XtfSteps *steps, const XtfKindConsumer *consumer,
                    GError **error);
