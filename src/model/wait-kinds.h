/*
 * The kinds of waits: all properties of a kind, in one table. docs/VOCABULARY.md, section 9, has the formulas. The rows
 * are in the order of the labels in files, so new rows go to the end.
 *
 * A new kind takes a row here, and a function that finds its waits (src/analysis/kinds/kinds-private.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The rule by which a wait is charged. T(x) is the time on a call path x since the last meeting of both sides, without
 * waits. */
typedef enum {
    XTF_WAIT_NOBODY, /* the wait is charged to no location */
    XTF_WAIT_EXCESS, /* the culprit: max(0, T(x) of the culprit - T(x) of the waiter) */
    XTF_WAIT_TEAM,   /* as XTF_WAIT_EXCESS, for threads of a team: call paths count from the parallel region on */
    XTF_WAIT_IDLE,   /* the culprit: T(x) during the wait */
} XtfWaitRule;

/* The regions by which a kind has different metrics. */
typedef enum {
    XTF_WAIT_IN_BARRIER,   /* an explicit barrier of OpenMP */
    XTF_WAIT_IN_IMPLICIT,  /* an implicit barrier of OpenMP */
    XTF_WAIT_IN_CRITICAL,  /* a critical section of OpenMP */
    XTF_WAIT_IN_OPENMP,    /* any other region of OpenMP */
    XTF_WAIT_IN_CONDITION, /* a function of POSIX threads that waits for a condition */
    XTF_WAIT_IN_PTHREAD,   /* any other function of POSIX threads */
    XTF_N_WAIT_REGIONS,
    XTF_WAIT_ANYWHERE = XTF_N_WAIT_REGIONS,
} XtfWaitRegion;

/* Metrics of a profile for Cube, by their unique names; src/export/cube/metrics.h has them. NULL: none. */
typedef struct {
    const char *amount, *in[XTF_N_WAIT_REGIONS]; /* everywhere, and by region */
    const char *whole;                           /* the metric that `amount` is a part of */
    const char *short_term;                      /* costs; with "_longterm" appended: long-term costs */
    const char *indirect, *propagating;
    const char *syncs, *comms;                         /* numbers of waits for messages without, and with, bytes */
    const char *part, *different_source, *same_source; /* the field `part`, and by `part_kind` */
    const char *part_syncs, *part_comms;               /* numbers of waits with a `part`, as syncs and comms */
} XtfWaitMetrics;

typedef struct XtfWaitKind {
    const char *name;
    const char *waiter;   /* who waits, and until when */
    const char *culprit;  /* who is late, and so causes the wait */
    const char *sentence; /* title of the kind, for users */
    const char *seq;      /* types of the record of the wait, joined by "or" */
    const char *match;    /* type of the culprit's record that ended the wait; NULL: none */
    XtfWaitMetrics cube;
    XtfWaitRule rule;
    uint8_t completion; /* XTF_WAIT_NUMBER of the kind of the completion after the wait; 0: none */
    bool limited;       /* a tick of the culprit's time costs at most one tick of the wait */
    bool of_message;    /* the wait is for a message */
    bool of_posting;    /* the culprit's record is the posting of the receive in `match` */
    bool one_sided;     /* only one-sided communication has such waits */
    bool to_leave;      /* the culprit's time counts up to the LEAVE of the call around its record */
    bool behind;        /* the culprit's time counts up to just after its record, an ENTER */
    bool apart;         /* an earlier meeting of both sides does not matter */
    bool of_threads;    /* only traces of threads have such waits */
    bool of_fork;       /* the waiter begins at the record that ended the wait */
    bool is_activity;   /* the critical path counts the time as activity */
} XtfWaitKind;

#define XTF_WAIT_NUMBER(name) (XTF_LABEL_##name + 1)

/* KIND(name, RULE, members of XtfWaitKind...): the rule is XTF_WAIT_RULE. */
/* clang-format off */
#define XTF_WAIT_KINDS(KIND)                                                                                           \
    KIND(late_sender, EXCESS,                                                                                          \
         .waiter = "the receiver, until the sender enters its call",                                                   \
         .culprit = "the sender",                                                                                      \
         .sentence = "Waiting for a message that is sent late",                                                        \
         .seq = "recvs or requests", .match = "sends", .limited = true, .of_message = true,                            \
         .cube = {.amount = "mpi_latesender", .short_term = "delay_latesender",                                        \
                  .indirect = "mpi_wait_indirect_latesender", .propagating = "mpi_wait_propagating_ls",                \
                  .syncs = "mpi_sls_count", .comms = "mpi_cls_count", .part = "mpi_latesender_wo",                     \
                  .different_source = "mpi_lswo_different", .same_source = "mpi_lswo_same",                            \
                  .part_syncs = "mpi_slswo_count", .part_comms = "mpi_clswo_count"})                                   \
    KIND(late_receiver, EXCESS,                                                                                        \
         .waiter = "the sender, until the receiver posts the receive",                                                 \
         .culprit = "the receiver",                                                                                    \
         .sentence = "Waiting for a receive that is posted late",                                                      \
         .seq = "sends or requests", .match = "recvs", .limited = true, .of_message = true, .of_posting = true,        \
         .cube = {.amount = "mpi_latereceiver", .short_term = "delay_latereceiver",                                    \
                  .indirect = "mpi_wait_indirect_latereceiver", .propagating = "mpi_wait_propagating_lr",              \
                  .syncs = "mpi_slr_count", .comms = "mpi_clr_count"})                                                 \
    KIND(wait_barrier, EXCESS,                                                                                         \
         .waiter = "each member, until the latest begins the barrier",                                                 \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to reach a barrier",                                                        \
         .seq = "collectives", .match = "collectives", .completion = XTF_WAIT_NUMBER(barrier_completion),              \
         .cube = {.amount = "mpi_barrier_wait", .short_term = "delay_barrier"})                                        \
    KIND(wait_nxn, EXCESS,                                                                                             \
         .waiter = "each member, until the latest that sends begins the operation",                                    \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to begin an operation of all with all",                                     \
         .seq = "collectives", .match = "collectives", .completion = XTF_WAIT_NUMBER(nxn_completion),                  \
         .cube = {.amount = "mpi_wait_nxn", .short_term = "delay_n2n"})                                                \
    KIND(late_broadcast, EXCESS,                                                                                       \
         .waiter = "each member that receives, until the root begins the operation",                                   \
         .culprit = "the root",                                                                                        \
         .sentence = "Waiting for the root",                                                                            \
         .seq = "collectives", .match = "collectives",                                                                 \
         .cube = {.amount = "mpi_latebroadcast", .short_term = "delay_12n"})                                           \
    KIND(early_reduce, EXCESS,                                                                                         \
         .waiter = "the root, until the latest that sends begins the operation",                                       \
         .culprit = "the latest",                                                                                      \
         .sentence = "The root's waiting for the others",                                                               \
         .seq = "collectives", .match = "collectives",                                                                 \
         .cube = {.amount = "mpi_earlyreduce", .short_term = "delay_n21"})                                             \
    KIND(early_scan, NOBODY,                                                                                           \
         .waiter = "each member, until the latest of the ranks up to it begins the scan",                              \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for lower ranks",                                                                        \
         .seq = "collectives", .match = "collectives", .is_activity = true,                                            \
         .cube = {.amount = "mpi_earlyscan"})                                                                          \
    KIND(wait_create, EXCESS,                                                                                          \
         .waiter = "each member, until the latest begins the operation",                                               \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to make a communicator, a file or a window",                                \
         .seq = "collectives", .match = "collectives")                                                                 \
    KIND(wait_destroy, EXCESS,                                                                                         \
         .waiter = "each member, until the latest begins the operation",                                               \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to free a communicator, a file or a window",                                \
         .seq = "collectives", .match = "collectives")                                                                 \
    KIND(finalize_wait, NOBODY,                                                                                        \
         .waiter = "each process, until the latest enters MPI_Finalize",                                               \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to reach MPI_Finalize",                                                     \
         .seq = "enters_leaves", .match = "enters_leaves",                                                             \
         .cube = {.amount = "mpi_finalize_wait"})                                                                      \
    KIND(barrier_completion, NOBODY,                                                                                   \
         .waiter = "each member, from the first end on, until its own end",                                            \
         .sentence = "From the first who leaves a barrier on",                                                         \
         .seq = "collectives", .is_activity = true,                                                                    \
         .cube = {.amount = "mpi_barrier_completion"})                                                                 \
    KIND(nxn_completion, NOBODY,                                                                                       \
         .waiter = "each member, from the first end on, until its own end",                                            \
         .sentence = "From the first who ends an operation of all with all on",                                        \
         .seq = "collectives", .is_activity = true,                                                                    \
         .cube = {.amount = "mpi_nxn_completion"})                                                                     \
    KIND(init_completion, NOBODY,                                                                                      \
         .waiter = "each process, from the first leave of MPI_Init on, until its own leave",                           \
         .sentence = "From the first who leaves MPI_Init on",                                                          \
         .seq = "enters_leaves", .is_activity = true, .completion = XTF_WAIT_NUMBER(init_completion),                  \
         .cube = {.amount = "mpi_init_completion"})                                                                    \
    KIND(lock_contention, NOBODY,                                                                                      \
         .waiter = "a thread that acquires a lock, until the holder before releases it",                               \
         .culprit = "the holder before",                                                                               \
         .sentence = "Waiting for a lock that another thread holds",                                                   \
         .seq = "locks", .match = "locks", .of_threads = true,                                                         \
         .cube = {.in = {[XTF_WAIT_IN_CRITICAL] = "omp_lock_contention_critical",                                      \
                         [XTF_WAIT_IN_OPENMP] = "omp_lock_contention_api",                                             \
                         [XTF_WAIT_IN_PTHREAD] = "pthread_lock_contention_mutex_lock",                                 \
                         [XTF_WAIT_IN_CONDITION] = "pthread_lock_contention_conditional"}})                            \
    KIND(io_lock, NOBODY,                                                                                              \
         .waiter = "a location that locks a file, until the holder before releases it",                                \
         .culprit = "the holder before",                                                                               \
         .sentence = "Waiting for a lock of a file that another location holds",                                       \
         .seq = "io_locks", .match = "io_locks")                                                                       \
    KIND(omp_barrier_wait, TEAM,                                                                                       \
         .waiter = "each thread of a team, until the latest enters the barrier",                                       \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last thread of a team to reach a barrier",                                       \
         .seq = "enters_leaves", .match = "enters_leaves", .of_threads = true,                                         \
         .cube = {.in = {[XTF_WAIT_IN_BARRIER] = "omp_ebarrier_wait", [XTF_WAIT_IN_IMPLICIT] = "omp_ibarrier_wait"},   \
                  .short_term = "delay_ompbarrier"})                                                                   \
    KIND(omp_fork, NOBODY,                                                                                             \
         .waiter = "each thread of a team, from the fork on, until it enters the parallel region",                     \
         .culprit = "the thread that forks",                                                                           \
         .sentence = "From the fork to the parallel region",                                                           \
         .seq = "enters_leaves", .match = "threads", .of_threads = true, .of_fork = true,                              \
         .cube = {.amount = "omp_fork"})                                                                               \
    KIND(omp_idle, IDLE,                                                                                               \
         .waiter = "a thread that is in no team, until its process forks one",                                         \
         .culprit = "the thread that forks",                                                                           \
         .sentence = "Idle while the process forks no team",                                                           \
         .seq = "any", .match = "threads", .limited = true, .apart = true, .of_threads = true,                         \
         .cube = {.amount = "omp_idle_threads", .short_term = "delay_ompidle"})                                        \
    KIND(omp_limited, NOBODY,                                                                                          \
         .waiter = "a thread that is in no team, until the others join",                                               \
         .culprit = "the thread that forks",                                                                           \
         .sentence = "Idle while other threads of the process are in a parallel region",                               \
         .seq = "any", .match = "threads", .of_threads = true,                                                         \
         .cube = {.amount = "omp_limited_parallelism", .whole = "omp_idle_threads"})                                   \
    KIND(wait_fence, EXCESS,                                                                                           \
         .waiter = "each member, until the latest begins the fence",                                                   \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to reach a fence",                                                          \
         .seq = "rma_collectives", .match = "rma_collectives", .one_sided = true)                                      \
    KIND(early_fence, EXCESS,                                                                                          \
         .waiter = "a member of a fence, until the last call of another member with an operation on it ends",                    \
         .culprit = "the origin of the operation",                                                                     \
         .sentence = "Waiting in a fence for operations of others",                                                    \
         .seq = "rma_collectives", .match = "rma_operations", .one_sided = true, .to_leave = true)                     \
    KIND(late_post, EXCESS,                                                                                            \
         .waiter = "an origin, until the latest of its targets enters MPI_Win_post",                                   \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for a window that is posted late",                                                       \
         .seq = "rma_syncs or rma_operations", .match = "rma_syncs", .one_sided = true)                                \
    KIND(early_wait, EXCESS,                                                                                           \
         .waiter = "a target in MPI_Win_wait, until the latest of its origins enters MPI_Win_complete",                \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to complete its operations on a window",                                    \
         .seq = "rma_syncs", .match = "rma_syncs", .one_sided = true)                                                  \
    KIND(lock_competition, EXCESS,                                                                                     \
         .waiter = "an origin that locks a window, until the holder before leaves the call that releases it",          \
         .culprit = "the holder before",                                                                               \
         .sentence = "Waiting for a lock of a window that another process holds",                                      \
         .seq = "enters_leaves", .match = "rma_locks", .one_sided = true, .to_leave = true,                            \
         .cube = {.amount = "rma_lock_competition"})                                                                   \
    KIND(wait_alloc, EXCESS,                                                                                           \
         .waiter = "each member, until the root begins to allocate",                                                   \
         .culprit = "the root",                                                                                        \
         .sentence = "Waiting for memory that another process makes",                                                  \
         .seq = "rma_collectives", .match = "rma_collectives", .one_sided = true,                                      \
         .cube = {.amount = "upc_wait_alloc"})                                                                         \
    KIND(late_progress, EXCESS,                                                                                        \
         .waiter = "one side of a message, until the other enters MPI again, though both had posted before",           \
         .culprit = "the other side",                                                                                  \
         .sentence = "Waiting for a message that the other side does not move, as it is outside of MPI",               \
         .seq = "recvs or sends or requests", .match = "enters_leaves", .behind = true)                                \
    KIND(thread_join, NOBODY,                                                                                          \
         .waiter = "a thread that joins another one, until that one ends",                                             \
         .culprit = "the thread that is joined",                                                                       \
         .sentence = "Waiting for another thread to end",                                                              \
         .seq = "threads", .match = "threads", .of_threads = true)                                                     \
    KIND(wait_entry, EXCESS,                                                                                           \
         .waiter = "each member, until the latest begins an operation with UPC_IN_ALLSYNC, beyond waiting for data",   \
         .culprit = "the latest",                                                                                      \
         .sentence = "Waiting for the last to begin an operation, as its mode says",                                   \
         .seq = "rma_collectives", .match = "rma_collectives", .one_sided = true,                                      \
         .cube = {.amount = "upc_wait_entry"})                                                                         \
    KIND(wait_exit, EXCESS,                                                                                            \
         .waiter = "each member, until all have done their work in an operation with UPC_OUT_ALLSYNC",                 \
         .culprit = "the last to finish",                                                                              \
         .sentence = "Waiting for the last to finish its work in an operation, as its mode says",                      \
         .seq = "enters_leaves", .match = "rma_collectives", .one_sided = true,                                        \
         .completion = XTF_WAIT_NUMBER(nxn_completion), .cube = {.amount = "upc_wait_exit"})                           \
    KIND(wait_inside, EXCESS,                                                                                          \
         .waiter = "a member, until the member that it accesses next begins an operation with UPC_IN_MYSYNC",          \
         .culprit = "the member that is accessed",                                                                     \
         .sentence = "Waiting in an operation for the next member to begin it",                                        \
         .seq = "rma_operations", .match = "rma_collectives", .one_sided = true,                                       \
         .cube = {.amount = "upc_wait_inside"})
/* clang-format on */

/* The events of waits and delays, and their labels. */
#define XTF_WAITS_EVENTS(EVENT)   XTF_WAIT_KINDS(EVENT)
#define XTF_DELAYS_EVENTS(EVENT)  XTF_WAIT_KINDS(EVENT)
#define XTF_WAIT_LABEL(name, ...) XTF_LABEL_##name,
enum { XTF_WAIT_KINDS(XTF_WAIT_LABEL) XTF_N_WAIT_KINDS };
#undef XTF_WAIT_LABEL

extern const XtfWaitKind xtf_wait_kinds[]; /* XTF_N_WAIT_KINDS, by label */

/* Returns the row of a label; NULL if no kind has the name, which may be NULL. */
const XtfWaitKind *xtf_wait_kind_named(const char *name);
