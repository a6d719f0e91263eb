/*
 * Pairs of processes that exchange messages, anywhere in the trace: the lines of `matrix`.
 *
 * The pairs of a process come from the totals that the index keeps of its whole arrays: no leaf is read for them. How
 * many pairs a process has is kept, since sizes are asked for often; which ones they are is found again when it is
 * needed, since all of a trace together may be too many for memory.
 */
#pragma once

#include "src/tables/totals/selected-locations.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/keeper.h"

/* Finds the processes at the other side of one process's messages. One thread uses it at a time. */
typedef struct {
    XtfTraceContext *context;      /* borrowed */
    const XtfAggregateRef *ref;    /* of the messages, where they were sent or where they were received; borrowed */
    const XtfNumberSet *peers;     /* only these; NULL: all. Borrowed */
    const XtfLocations *locations; /* borrowed */
    const XtfRanks *ranks;         /* borrowed */
    XtfGroupTotals *groups;        /* of the process found last */
} XtfPairFinder;

bool xtf_pair_finder_init(XtfPairFinder *finder, XtfTraceContext *context, const XtfAggregateRef *ref,
                          const XtfNumberSet *peers, GError **error);
void xtf_pair_finder_finish(XtfPairFinder *finder); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfPairFinder, xtf_pair_finder_finish)

/* The number of keys that tell peers apart. */
unsigned xtf_pair_finder_depth(const XtfPairFinder *finder);
/* The process that is the peer in a group of process `proc`; false if it is not known, is none of the trace's, or none
 * of finder->peers. */
bool xtf_pair_finder_peer(const XtfPairFinder *finder, const uint64_t *key, uint64_t proc, uint64_t *peer);
/* The peers of a process in all of the trace, ascending: uint64_t. NULL with an error. */
GArray *xtf_pair_finder_find(XtfPairFinder *finder, uint64_t proc, GError **error);

/* Keeps the numbers of pairs. */
void xtf_pair_counts_init(XtfKeeper *counts);
/* The number of pairs of each selected process, in a new array; NULL with an error. */
uint64_t *xtf_pair_counts_get(XtfKeeper *counts, XtfPairFinder *finder, const XtfSelectedLocations *selected,
                              GError **error);
