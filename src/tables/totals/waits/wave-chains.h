/*
 * Chains of waits: one led to the next, over several processes.
 *
 * A wait goes on from its cause if that is among the waits that are looked at and does not end later, and if at least
 * half of the wait is indirect: else it is mainly there for other reasons. It is part of one chain: where a wait led to
 * several others, the longest of them goes on with the chain (of equals the one that ends first, then by location and
 * row), and each other one begins a chain of its own.
 *
 * All waits are gone through once, backwards, in slices of bounded memory: what is behind a wait is complete when its
 * turn comes. Waits that are led to by one that did not have its turn yet are at most one a location, in an analysis
 * that is true; of a file with more than four a location, chains are cut.
 */
#pragma once

#include "libxtf/spans.h"
#include "src/tables/totals/waits/wait-fields.h"

enum {
    XTF_CHAIN_PROCESSES_LEAST = 3,
};

typedef struct {
    XtfWaitPlace first, last;
    uint64_t n;               /* waits */
    uint64_t begin, end;      /* of the first one */
    unsigned __int128 amount; /* of all together, ticks */
    uint64_t first_amount;
    uint64_t procs[XTF_CHAIN_PROCESSES_LEAST]; /* some of its processes, all different */
    unsigned n_procs;
} XtfWaitChain;

/* Finds the `most` chains that waited longest, of those with three processes or more; of equals those that begin first.
 * Longest first: XtfWaitChain. The spans are of `waits`. NULL with an error. */
GArray *xtf_wait_chains_find(const XtfSpans *spans, const XtfWaitFields *fields, const XtfLocations *locations,
                             unsigned most, GError **error);
