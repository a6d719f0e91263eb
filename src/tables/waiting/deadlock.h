/*
 * Deadlocks of a run: which thread waits for which process at the end of a trace, and which threads can never continue.
 *
 * The wait-for graph (wait-graph.h) has a node for each thread that has called MPI. It has one for each process, too,
 * which can continue if any of its threads can. The targets of a thread follow from its open call (open-calls.h):
 * - A receive or a probe waits for the sender, or for any member of the communicator. It waits for no process if a
 *   message that it accepts is on its way: more messages were sent than received.
 * - A blocking send waits for the receiver. It waits for no process if an open call of the receiver accepts the
 *   message, or if the message was received. The targets are unknown if the receiver may have posted a receive that no
 *   open call lists.
 * - MPI_Waitall and MPI_Sendrecv wait for all receives for which no message is on its way. If there are none, one of
 *   the operations is incomplete, but the trace does not say which: MPI buffers some messages. They wait for any one.
 * - MPI_Waitany and MPI_Waitsome wait for any of their requests. Older traces have only the open requests of the
 *   process, not the call's own ones: then the call waits for any of the open ones. The targets of these calls and of
 *   MPI_Waitall are unknown there if the process has made a request of which the trace has no record.
 * - A request without a record, such as one of a file, may complete at any time. MPI_Waitall still waits for its
 *   receives.
 * - A collective operation that no member can leave early waits for all members that have not called it. The k-th
 *   operation of a communicator is the same one at all members. A member in another operation has not called it.
 * - In MPI_Bcast, MPI_Scatter and MPI_Scatterv a member waits for the root until that one has called the operation. In
 *   MPI_Reduce and MPI_Gather the root waits for all members. This needs a known root, and a block that is not empty.
 *   The targets of all other members and operations are unknown. The root of MPI_Bcast may return at once. While it has
 *   not, it may wait for any member, or for none: it may be sending a long message.
 * - MPI_Finalize waits for all members of its communicator that have not called it. Without a communicator it waits for
 *   any process that has not.
 *
 * Two members of a communicator that are in different functions, each as the k-th operation, are in a mismatch: no
 * matching operation can follow. Where it closes no cycle, the verdict of their threads is `mismatch`.
 *
 * A trace that was recorded in part has no certain verdict, as messages, operations or threads may be missing.
 * Recording was then off for a time or for some processes, or records were lost. In other traces all verdicts but
 * `possible` are certain.
 *
 * The targets
 * of some calls are unknown: locks of windows, files, non-blocking collective operations. The search treats these calls
 * as ones that can continue. A second solution lets them wait for any process; the threads that are stuck in that
 * solution alone are possible.
 *
 * Only calls of two seconds or more count. A thread that was killed outside of MPI might have continued. So a run that
 * ends by a crash is no deadlock.
 *
 * A thread in no open call can continue, and so can its process, unless the thread must not call MPI now. The thread
 * level that MPI has provided decides. With SINGLE and FUNNELED, no thread but the main one may call MPI. With
 * SERIALIZED, none may while another one is in a call. A process whose threads have broken the level counts as one with
 * MULTIPLE. With MULTIPLE, and in a session, the process can continue in any case: threads that pthread_create() did
 * not make have no record. The second solution takes the known threads for all. Without a level, threads that have not
 * exchanged data may do so if the program called MPI_Init_thread.
 */
#pragma once

#include "src/tables/waiting/open-calls.h"

typedef enum {
    XTF_VERDICT_WAITS,    /* for a process that can continue, or for nothing */
    XTF_VERDICT_POSSIBLE, /* it may be in a deadlock, or wait for one: the trace does not say enough */
    XTF_VERDICT_ENDED,    /* it waits for a process that has ended, or for threads that wait for one */
    XTF_VERDICT_MISMATCH, /* it is in a collective operation that another member takes for another one */
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
    uint64_t
        operation;   /* of a collective call: number of the operation in its communicator, from 0; UINT64_MAX: none */
    bool mismatches; /* another member is in another function as the operation of that number */
} XtfWaiting;

typedef struct {
    XtfOpenCalls calls;
    GArray *waiting; /* XtfWaiting, in the order of `calls` */
    uint32_t n_groups;
    uint64_t n_by_verdict[XTF_N_VERDICTS];
} XtfDeadlocks;

/* Finds the waits of two seconds or more at the end of a trace. If a thread waits, this
 * costs a pass over the index's totals of messages and operations. */
bool xtf_deadlocks_init(XtfDeadlocks *deadlocks, XtfTraceContext *context, GError **error);
/* Sorts `waiting` by verdict, deadlocks first, then by group and process. */
void xtf_deadlocks_sort(XtfDeadlocks *deadlocks);
void xtf_deadlocks_finish(XtfDeadlocks *deadlocks); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfDeadlocks, xtf_deadlocks_finish)

/* Returns a word: "all" or "any" of the processes that a thread waits for, "unknown", or "-" for none. */
const char *xtf_waiting_needs(const XtfWaiting *waiting);
