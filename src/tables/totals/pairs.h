/*
 * Pairs of processes that exchange messages anywhere in the trace: the lines of `matrix`.
 *
 * The pairs of a process come from the index's totals of its whole arrays, so no leaf is read. The number of pairs of
 * each process is cached, since sizes are requested often. The pairs themselves are found anew each time, since all
 * pairs of a trace may need too much memory.
 */
#pragma once

#include "src/tables/totals/selected-locations.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/keeper.h"

/* A finder of the processes with which a process exchanges messages. One thread uses it at a time. */
typedef struct {
    XtfTraceContext *context;      /* borrowed */
    const XtfAggregateRef *ref;    /* aggregate of sent or of received messages; borrowed */
    const XtfNumberSet *peers;     /* peers to find; NULL: all. Borrowed */
    const XtfLocations *locations; /* borrowed */
    const XtfRanks *ranks;         /* borrowed */
    XtfGroupTotals *groups;        /* groups of the last process */
} XtfPairFinder;

bool xtf_pair_finder_init(XtfPairFinder *finder, XtfTraceContext *context, const XtfAggregateRef *ref,
                          const XtfNumberSet *peers, GError **error);
void xtf_pair_finder_finish(XtfPairFinder *finder); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPairFinder, xtf_pair_finder_finish)

/* Returns the number of keys that distinguish peers. */
unsigned xtf_pair_finder_depth(const XtfPairFinder *finder);
/* Finds the peer in a group of process `proc`. Returns false if the peer is unknown, no process of the trace, or not in
 * finder->peers. */
bool xtf_pair_finder_peer(const XtfPairFinder *finder, const uint64_t *key, uint64_t proc, uint64_t *peer);
/* Returns the peers of a process in the whole trace as an ascending array of uint64_t. NULL with an error. */
GArray *xtf_pair_finder_find(XtfPairFinder *finder, uint64_t proc, GError **error);

/* Initializes a cache of numbers of pairs. */
void xtf_pair_counts_init(XtfKeeper *counts);
/* Returns the number of pairs of each selected process, as a new array. NULL with an error. */
uint64_t *xtf_pair_counts_get(XtfKeeper *counts, XtfPairFinder *finder, const XtfSelectedLocations *selected,
                              GError **error);
