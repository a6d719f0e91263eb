/*
 * Groups of messages of which something was not recorded: their sends and receives differ in number, over the whole
 * trace, or in bytes. Counted by the totals that the index keeps; no message is put together with another.
 *
 * Memory is bounded: if the groups are too many, they are gone through in parts, by a hash, in several passes over the
 * totals.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/trace/context/number-set.h"

typedef struct {
    uint64_t comm, sender, receiver, tag; /* processes */
    uint64_t sends, receives;             /* without cancelled ones */
    uint64_t bytes_sent, bytes_received;  /* modulo 2^64 */
} XtfUnmatchedGroup;

/* The groups that are looked at: NULL is all. Borrowed. */
typedef struct {
    const XtfNumberSet *senders, *receivers, *comms, *tags;
} XtfUnmatchedFilter;

enum {
    XTF_UNMATCHED_MOST = 100, /* groups that are told */
};

typedef struct {
    uint64_t n_groups;     /* all that differ */
    XtfUnmatchedGroup all; /* their sums */
    uint32_t n;            /* those that differ most: by number, then in the order of the group */
    XtfUnmatchedGroup groups[XTF_UNMATCHED_MOST];
} XtfUnmatched;

/* XTF_ERROR_TOO_LARGE if the groups are too many even so. */
bool xtf_unmatched_find(XtfMatching *matching, const XtfUnmatchedFilter *filter, XtfUnmatched *unmatched,
                        GError **error);
