/*
 * Chains of waits: each wait caused the next, over several processes.
 *
 * A wait continues the chain of its cause under two conditions. The cause is among the selected waits and does not end
 * later than the wait. And at least half of the wait is indirect: otherwise it mainly has other reasons. A wait is part
 * of one chain. If a wait caused several others, the longest of them continues its chain. Among equal waits, it is the
 * one that ends first, then the first by location and row. Each of the others begins a new chain.
 *
 * One pass backwards reads all waits, in slices of bounded memory. All effects of a wait are processed before the wait.
 * At any time of the pass, each location has at most one processed wait with an unprocessed cause, if the analysis is
 * correct. If a file has more than four per location, chains are cut.
 */
#pragma once

#include "libxtf/spans.h"
#include "src/tables/totals/waits/wait-fields.h"

enum {
    XTF_CHAIN_PROCESSES_LEAST = 3,
};

typedef struct {
    XtfWaitPlace first, last;
    uint64_t n;               /* number of waits */
    uint64_t begin, end;      /* of its first wait */
    unsigned __int128 amount; /* sum over its waits, in ticks */
    uint64_t first_amount;
    uint64_t procs[XTF_CHAIN_PROCESSES_LEAST]; /* some of the chain's processes, all different */
    unsigned n_procs;
} XtfWaitChain;

/* Finds the `most` chains that waited longest, among chains of three processes or more; of equal chains, the first to
 * begin. Returns an array of XtfWaitChain, the longest first. The spans are of `waits`. NULL with an error. */
GArray *xtf_wait_chains_find(const XtfSpans *spans, const XtfWaitFields *fields, const XtfLocations *locations,
                             unsigned most, GError **error);
