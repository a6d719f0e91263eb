/*
 * Potential deadlocks: a replay with all sends synchronous, and the locations that then wait for each other.
 *
 * MPI may buffer a message, so that a standard send returns before its receive is posted. A program that relies on this
 * may hang with larger messages or another MPI. The synchronous run has the calls of the trace, in the same order, and
 * the same pairs of messages. No times count. A location enters a call when it has completed its earlier calls. A call
 * completes when these other calls are entered:
 * - for a blocking send, or a non-blocking send that completes in this call: the call that posts the receive;
 * - for a receive that completes in this call: the call of the send;
 * - for the end of a collective operation: the members' calls that it needs (xtf_replay_needs()).
 * MPI_Bsend and MPI_Ibsend complete without a receive: MPI guarantees the buffer.
 *
 * Limits. A receive from any source keeps the sender that it has in the trace, and MPI_Waitany and MPI_Test the
 * requests that they completed. Another order might avoid a deadlock, or cause one. The run leaves out what the replay
 * leaves out, the sends outside of calls of MPI, and the operations that replay.h lists without dependences.
 *
 * Memory: some 50 bytes for a message in flight, 80 for a need that is not met, 70 for a location. The synchronous run
 * goes along with the replay. A location that waits for ever soon adds no more needs.
 */
#pragma once

#include "src/analysis/replay/replay.h"
#include "src/analysis/synchronous/synchronous-wait.h"

/* Locations that wait for each other: each for the next one, the last one for the first. */
typedef struct {
    XtfSynchronousWait *waits; /* the lowest location is first */
    uint32_t n;
} XtfSynchronousCycle;

typedef struct {
    XtfSynchronousCycle *cycles; /* by their first locations */
    uint32_t n_cycles;
    uint64_t n_stuck;       /* locations that wait for ever, in cycles and behind them */
    uint64_t n_outside_mpi; /* blocking sends that were left out, as they are in no call of MPI */
    XtfReplayCounts counts;
} XtfSynchronousRun;

/* Runs the replay, which must have calls, with all sends synchronous. */
bool xtf_synchronous_run_init(XtfSynchronousRun *run, XtfReplay *replay, GError **error);
void xtf_synchronous_run_finish(XtfSynchronousRun *run); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfSynchronousRun, xtf_synchronous_run_finish)
