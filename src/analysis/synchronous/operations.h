/*
 * Collective operations of a synchronous run: counters of the members that have entered the call.
 *
 * An operation's counter has the number of members, by rank from 0 on, up to the first that has not entered its call.
 * Members that send nothing count as entered. The end of a rank needs all members, or all of lower ranks.
 */
#pragma once

#include "src/analysis/replay/replay.h"
#include "src/analysis/synchronous/counters.h"

/* Returns the place of a call in a run: 26 bits of the location, 38 of the call's number. */
static inline uint64_t xtf_place(uint32_t location, uint64_t call)
{
    return (uint64_t)location << 38 | call;
}

static inline uint32_t xtf_place_location(uint64_t place)
{
    return (uint32_t)(place >> 38);
}

static inline uint64_t xtf_place_call(uint64_t place)
{
    return place & ((UINT64_C(1) << 38) - 1);
}

typedef struct {
    XtfSyncCounters *counters; /* borrowed */
    GArray *all;               /* private: the operations, by counter */
    uint32_t first;            /* counter of the first operation */
    uint32_t free;             /* private: a free operation */
} XtfSynchronousOperations;

/* Starts without operations. `first`: the number of counters that exist. Only operations may add counters later. */
void xtf_synchronous_operations_init(XtfSynchronousOperations *operations, XtfSyncCounters *counters, uint32_t first);
void xtf_synchronous_operations_finish(XtfSynchronousOperations *operations); /* accepts all zeros */

/* Finds the counter, and its level, that a member's end needs. False if it needs none. The values of the members are
 * places. If `waits` and the counter is an operation's, the caller calls xtf_synchronous_operations_leave() later. */
bool xtf_synchronous_operations_end(XtfSynchronousOperations *operations, XtfReplayCollective *collective,
                                    uint32_t rank, bool waits, uint32_t *counter, uint64_t *level);
/* Notes that the need of a member is met. */
void xtf_synchronous_operations_leave(XtfSynchronousOperations *operations, uint32_t counter);
/* Continues an operation whose wait for a member has ended. */
void xtf_synchronous_operations_continue(XtfSynchronousOperations *operations, uint32_t counter);
