/*
 * Sums over the members of a collective operation.
 */
#pragma once

#include "src/tables/collectives/collective.h"

/* The record at which a member ends an operation, and when it began. */
typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t row, begin;
} XtfCollectiveEnd;

typedef struct {
    bool begun; /* `begin`, `begin_spread`, `last_proc`, `first` and `last` are known */
    uint64_t begin, end;
    uint64_t begin_spread;        /* last begin less first begin, in ticks */
    uint64_t last_proc;           /* process that began last; of several, the one of lowest rank */
    XtfCollectiveEnd first, last; /* of the members that began first and last */
    bool waited;                  /* `waits` is known */
    unsigned __int128 waits;      /* sum of the waits of all members, in ticks */
    uint64_t sent;                /* sum of bytes, modulo 2^64 */
    bool certain;
} XtfCollectiveSums;

/* Sums the members of an operation. If clocks contradict each other, waits of several members are unknown, and nothing
 * about them is certain. */
bool xtf_collective_sums(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict,
                         XtfCollectiveSums *sums, GError **error);
