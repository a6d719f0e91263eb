/*
 * Groups of messages with missing records: their numbers of sends and receives differ over the whole trace, or their
 * bytes. The counts come from the index's totals; messages are not matched.
 *
 * Memory is bounded. If there are too many groups, several passes over the totals each count one part of them, by a
 * hash.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/trace/context/number-set.h"

typedef struct {
    uint64_t comm, sender, receiver, tag; /* processes */
    uint64_t sends, receives;             /* numbers of sends, without cancelled ones, and of receives */
    uint64_t bytes_sent, bytes_received;  /* modulo 2^64 */
} XtfUnmatchedGroup;

/* A filter for groups; NULL: all. Borrowed. */
typedef struct {
    const XtfNumberSet *senders, *receivers, *comms, *tags;
} XtfUnmatchedFilter;

enum {
    XTF_UNMATCHED_MOST = 100, /* most groups listed */
};

typedef struct {
    uint64_t n_groups;     /* all groups that differ */
    XtfUnmatchedGroup all; /* sums over the groups that differ */
    uint32_t n;            /* the groups that differ most: by difference, then in the order of the group */
    XtfUnmatchedGroup groups[XTF_UNMATCHED_MOST];
} XtfUnmatched;

/* Finds the groups that differ. XTF_ERROR_TOO_LARGE if there are too many groups even in parts. */
bool xtf_unmatched_find(XtfMatching *matching, const XtfUnmatchedFilter *filter, XtfUnmatched *unmatched,
                        GError **error);
