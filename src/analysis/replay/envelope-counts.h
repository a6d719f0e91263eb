/*
 * The rows of a process by envelope, counted while the trace is read.
 */
#pragma once

#include <string.h>

#include "src/analysis/replay/replay-private.h"

enum { XTF_ENVELOPES_NEAR = 256 }; /* entries in the cache of envelopes */

/* An entry of the cache. */
typedef struct {
    XtfGroupKey key;
    uint32_t number;
    uint64_t process; /* value of XtfEnvelopeCounts.n_processes at that time */
} XtfNearEnvelope;

/* The envelopes of a process. A group counts the rows of an envelope as sent, and notes their location. As received it
 * has the number of the envelope of the row behind the last one of them. */
typedef struct {
    XtfGroups all;
    uint32_t last, next; /* the envelope of the last row, and probably of the next one */
    uint64_t n_processes;
    XtfNearEnvelope near[XTF_ENVELOPES_NEAR]; /* by hash */
} XtfEnvelopeCounts;

/* Begins the next process. The first time, the counts are all zeros. */
static inline void xtf_envelope_counts_begin(XtfEnvelopeCounts *counts)
{
    counts->n_processes++;
    counts->last = counts->next = UINT32_MAX;
}

/* Forgets the envelopes of a process. */
static inline void xtf_envelope_counts_finish(XtfEnvelopeCounts *counts)
{
    xtf_groups_finish(&counts->all);
}

/* Returns the key of a row's envelope. Rows without one have that of their kind. */
static inline XtfGroupKey xtf_envelope_key(const XtfReplayRow *row)
{
    if (row->kind == XTF_ROW_RECV || row->kind == XTF_ROW_SENT || row->kind == XTF_ROW_UNCERTAIN)
        return (XtfGroupKey){.receiver = row->kind};
    return (XtfGroupKey){.comm = row->comm,
                         .tag = row->tag,
                         .sender = row->peer,
                         .receiver = row->kind | (uint32_t)row->pattern << 8 | (uint32_t)row->sends << 16 |
                                     (uint32_t)row->receives << 17};
}

/* Finds or adds an envelope, and returns its number. */
static inline uint32_t xtf_envelope_counts_find(XtfEnvelopeCounts *counts, const XtfGroupKey *key)
{
    XtfNearEnvelope *near =
        &counts->near[(key->tag + 31 * key->sender + 59 * key->receiver + 101 * key->comm) % XTF_ENVELOPES_NEAR];

    if (near->process != counts->n_processes || memcmp(&near->key, key, sizeof *key) != 0)
        *near = (XtfNearEnvelope){*key, xtf_groups_find(&counts->all, key, true), counts->n_processes};
    return near->number;
}

/* Counts a row in its envelope; returns the envelope's number. A program repeats its messages, so the envelope that
 * followed the last time usually follows again. */
static inline uint32_t xtf_envelope_counts_add(XtfEnvelopeCounts *counts, const XtfReplayRow *row)
{
    const XtfGroupKey key = xtf_envelope_key(row);
    uint32_t number = counts->next;

    if (number >= counts->all.n || memcmp(&counts->all.all[number].key, &key, sizeof key) != 0) {
        number = xtf_envelope_counts_find(counts, &key);
        if (counts->last < counts->all.n)
            counts->all.all[counts->last].received = number;
    }
    XtfGroup *envelope = &counts->all.all[number];
    counts->last = number;
    counts->next = envelope->received;
    envelope->sent++;
    xtf_group_note_location(envelope, &envelope->location, row->location);
    return number;
}
