/*
 * Calls of collective operations: how often the members of each communicator call each function, from the index.
 *
 * A call in which a process waits for ever counts as a call. Only blocking operations of all members count:
 * MPI_Barrier, MPI_Bcast ... MPI_Neighbor_alltoallw, in all spellings.
 */
#pragma once

#include "src/model/mpi-functions.h"
#include "src/pictures/findings/process-ends.h"

/* The two different numbers of calls of a function that the members of a communicator make. */
typedef struct {
    uint64_t calls[2], procs[2]; /* by number of calls; the process is the last one that was added */
    uint64_t members[2];         /* members with that number of calls; 0: the entry is unused */
    uint64_t proc_xor;           /* exclusive or of the numbers of all processes that were added */
    uint64_t region;             /* row of the function's region that was added last */
    bool has_more_counts;        /* members make more than two different numbers of calls */
} XtfCallNumbers;

typedef struct {
    uint64_t comm;
    XtfCallNumbers functions[XTF_COLLECTIVE_FUNCTIONS];
} XtfCommCalls;

typedef struct {
    GHashTable *comms; /* XtfCommCalls by communicator */
    bool *has_calls;   /* by process of the job: it recorded calls of some function */
    bool *is_open;     /* by process: its records end in a call of MPI other than MPI_Finalize */
} XtfCollectiveCalls;

/* Counts the calls of all processes. `ends` has the same processes. */
bool xtf_collective_calls_init(XtfCollectiveCalls *calls, const XtfProcessEnds *ends, GError **error);
void xtf_collective_calls_finish(XtfCollectiveCalls *calls); /* all zeros is valid */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCollectiveCalls, xtf_collective_calls_finish)

/* Adds `n` members that call a function `calls` times. `proc` is one of them. */
void xtf_call_numbers_add(XtfCallNumbers *numbers, uint64_t calls, uint64_t proc, uint64_t n);
