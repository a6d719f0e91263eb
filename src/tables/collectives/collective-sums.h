/*
 * A collective operation as a whole: what its members come to together.
 */
#pragma once

#include "src/tables/collectives/collective.h"

typedef struct {
    bool begun; /* `begin`, `late` and `last_proc` are known */
    uint64_t begin, end;
    uint64_t late;           /* the last begin less the first, in ticks */
    uint64_t last_proc;      /* that began last; of several the one of lowest rank */
    bool waited;             /* `waits` is known */
    unsigned __int128 waits; /* of all members, in ticks */
    uint64_t sent;           /* bytes, modulo 2^64 */
    bool certain;
} XtfCollectiveSums;

/* Where clocks contradict each other nothing is certain of several members: who was last is not known, nor are waits.
 */
bool xtf_collective_sums(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict,
                         XtfCollectiveSums *sums, GError **error);
