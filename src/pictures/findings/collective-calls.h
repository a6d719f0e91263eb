/*
 * Calls of collective operations: how often the members of each communicator call each function, from the index.
 *
 * A process that waits in a call for ever has called it. Only blocking operations in which all members take part are
 * counted: MPI_Barrier, MPI_Bcast ... MPI_Neighbor_alltoallw, in all spellings.
 */
#pragma once

#include "src/pictures/findings/process-ends.h"

enum { XTF_COLLECTIVE_FUNCTIONS = 22 };

/* How often the members of a communicator call a function: two different numbers, and who calls it so often. */
typedef struct {
    uint64_t calls[2], procs[2]; /* the process that was met last */
    uint64_t members[2];         /* 0: there is no such number */
    uint64_t mixed;              /* the numbers of all processes that were met, by exclusive or */
    uint64_t region;             /* the row of the function's region that was met last */
    bool more;                   /* there are more than two numbers */
} XtfCallNumbers;

typedef struct {
    uint64_t comm;
    XtfCallNumbers functions[XTF_COLLECTIVE_FUNCTIONS];
} XtfCommCalls;

typedef struct {
    GHashTable *comms; /* of XtfCommCalls, by their communicator */
    bool *has_calls;   /* by process of the job: it recorded calls of any function */
    bool *is_open;     /* ...it was in a call of MPI, other than MPI_Finalize, when its records ended */
} XtfCollectiveCalls;

/* Counts the calls of all processes. `ends` has the same processes. */
bool xtf_collective_calls_init(XtfCollectiveCalls *calls, const XtfProcessEnds *ends, GError **error);
void xtf_collective_calls_finish(XtfCollectiveCalls *calls); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfCollectiveCalls, xtf_collective_calls_finish)

/* Adds `n` members, which call a function `calls` times. `proc` is one of them. */
void xtf_call_numbers_add(XtfCallNumbers *numbers, uint64_t calls, uint64_t proc, uint64_t n);
