/*
 * Waits that need no messages: for locks of threads, files and windows, for threads that are joined, in OpenMP's teams,
 * and in one-sided communication. docs/VOCABULARY.md, section 9, has the formulas; they are those of Scalasca 2.6
 * (OMP.pattern, Thread.pattern, MPI_RMA.pattern) where it has the kind.
 *
 * One walk over the records of all locations that have such ones, in the order of the trace's clock: (time, process,
 * thread, seq). Locations without such records are not read. What is held is what is open: locks, teams, operations of
 * windows that not all members have ended, epochs; and a small batch of each array.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/analysis/steps/steps.h"
#include "src/trace/context/trace-context.h"

enum {
    XTF_KIND_NONE = UINT8_MAX, /* of `part_kind` */
};

/* How a record synchronises processes in one-sided communication, or threads of OpenMP. */
typedef enum {
    XTF_KIND_ALONE,   /* it does not */
    XTF_KIND_PAIR,    /* in one-sided communication: with the culprit, when it is `late` */
    XTF_KIND_ALL,     /* the end of an operation of a window, also of the one that was last: all were in it together */
    XTF_KIND_BARRIER, /* the end of a team's barrier, also of the thread that was last */
    XTF_KIND_FORKED,  /* a thread enters its parallel region */
    XTF_KIND_JOINS,   /* what follows is out of all parallel regions of the process... */
    XTF_KIND_FORKS,   /* ...until here: the thread that forks and joins... */
    XTF_KIND_ENDS,    /* ...or behind the last record of its calls */
    XTF_KIND_CREATED, /* the first record of a thread, which the culprit created at `end` */
} XtfKindSync;

/* Where in its records a culprit is that others of its kind waited for. */
typedef struct {
    uint64_t seq, time;  /* of the record; or, if it was waited for up to the end of a call, of what is behind that */
    uint64_t enter, end; /* of the call around it; when nobody waits for it any more */
} XtfKindLate;

/* A wait; or a record that synchronises, and waits for nobody. Times are global ticks. */
typedef struct {
    uint64_t seq, time; /* of the record that it waited in */
    uint64_t begin, end;
    uint64_t enter, leave; /* of the call around it; of none `begin` and `end` */
    uint64_t part;         /* see `part_kind` */
    uint64_t completion;   /* what comes after the wait and is none, before `time`, where that is told */
    uint64_t sync_ticks; /* of FORKED: since the team's first thread entered; of FORKS, ENDS: idle time of the others */
    uint64_t instance;   /* of ALL and BARRIER, as the consumer has it */
    XtfKindLate late;    /* of PAIR */
    uint64_t culprit_seq, match; /* of the culprit's record: its seq and row; UINT64_MAX: none */
    uint64_t bytes;              /* UINT64_MAX: none */
    uint32_t location,
        culprit; /* who waited, and who was late: indexes of xtf_trace_context_locations(); UINT32_MAX: none */
    uint32_t region, comm; /* UINT32_MAX: none */
    uint8_t kind;          /* XTF_LABEL_... of `waits` */
    uint8_t part_kind;     /* row of xtf_wait_parts, or XTF_KIND_NONE */
    uint8_t sync;          /* XtfKindSync */
    uint8_t depth;         /* of BARRIER and FORKED: teams that the thread is in */
    bool leads;            /* of ALONE: the critical path goes on at the culprit */
} XtfKindWait;

/* A barrier of a team, or an operation of a window: the locations of those that left it, and who was last. */
typedef struct {
    const uint32_t *locations;
    uint32_t n;
    uint32_t last;
    uint64_t last_seq; /* of its LEAVE; of an operation of its END */
} XtfKindBarrier;

/* What is done with them. Those of a location do not overlap; they come in no order. */
typedef struct {
    void *data;
    bool (*wait)(void *data, const XtfKindWait *wait, GError **error);
    /* Before its members: sets their `instance`. NULL: records that synchronise and do not wait are left out. */
    bool (*barrier)(void *data, const XtfKindBarrier *barrier, uint64_t *instance, GError **error);
} XtfKindConsumer;

/* Each row counts for the step at hand. */
bool xtf_kinds_find(XtfTraceContext *context, XtfSteps *steps, const XtfKindConsumer *consumer, GError **error);
