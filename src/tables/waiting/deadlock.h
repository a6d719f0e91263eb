/*
 * Deadlocks of a run: who waits for whom at the end of a trace, and which threads can never go on.
 *
 * The wait-for graph (wait-graph.h) has a node for each thread that has called MPI, and for each process, which goes on
 * if any of its threads does. The open call of a thread (open-calls.h) waits:
 * - a receive or a probe: for the sender, or for any member of the communicator. For nobody if a message that it
 *   accepts is on its way, that is, was sent and not received.
 * - a blocking send: for the receiver. For nobody if an open call of the receiver accepts the message.
 * - MPI_Waitall: for all of its requests, likewise. MPI_Waitany and MPI_Waitsome: for any of them. A call of which only
 *   the open requests of its process are known, not its own ones: for any of these.
 * - a collective operation that no member can leave early: for all members that have not called it; other ones: for any
 *   of these. The k-th operation of a communicator is the same one at all members. A member in another operation does
 *   not count as one that has called it.
 * - MPI_Finalize: for all members of its communicator that have not called it; without a communicator for any process
 *   that has not.
 *
 * Verdicts but `possible` are certain. A call of which nobody knows what it waits for counts as one that can go on: a
 * lock of a window, a file, a non-blocking collective operation. A second solution lets such a call wait for any
 * process; what is stuck in that solution alone is possible.
 *
 * A thread that was killed outside of MPI might have gone on. So a run that ends by a crash is no deadlock.
 */
#pragma once

#include "src/tables/waiting/open-calls.h"

typedef enum {
    XTF_VERDICT_WAITS,    /* for a process that can go on, or for nothing */
    XTF_VERDICT_POSSIBLE, /* it may be in a deadlock, or wait for one: the trace does not say enough */
    XTF_VERDICT_ENDED,    /* it waits for a process that has ended, or for threads that do */
    XTF_VERDICT_BEHIND,   /* it waits for threads in a deadlock */
    XTF_VERDICT_DEADLOCK,
    XTF_N_VERDICTS,
} XtfVerdict;

extern const char *const xtf_verdict_names[XTF_N_VERDICTS]; /* words */

/* A thread that waits. */
typedef struct {
    uint32_t call; /* index of its XtfOpenCall */
    XtfVerdict verdict;
    uint64_t group;     /* number of the deadlock that it is in, or waits for, from 0; UINT64_MAX: none */
    uint64_t waits_for; /* a process that it waits for: the next one on the way to the deadlock, if there is one.
                           UINT64_MAX: none is known */
    uint64_t n;         /* processes that it waits for */
    bool any;           /* any one of these would do; else it needs all of them */
    bool unknown;       /* the trace does not say what its call waits for */
} XtfWaiting;

typedef struct {
    XtfOpenCalls calls;
    GArray *waiting; /* XtfWaiting, in the order of `calls` */
    uint32_t n_groups;
    uint64_t n_by_verdict[XTF_N_VERDICTS];
} XtfDeadlocks;

/* Finds the waits at the end of a trace; in a growing trace those of two seconds or more. If a thread waits, this costs
 * a pass over the index's totals of messages and operations. */
bool xtf_deadlocks_init(XtfDeadlocks *deadlocks, XtfTraceContext *context, GError **error);
void xtf_deadlocks_finish(XtfDeadlocks *deadlocks); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfDeadlocks, xtf_deadlocks_finish)
