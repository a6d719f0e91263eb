/*
 * Receives of messages that were probed: which of their groups' messages are not certain.
 *
 * MPI_Mrecv and MPI_Imrecv take a message that was matched before, when it was probed. A posting that lies in one of
 * them is too late, nobody knows how much: it may belong before any other receive of the group that was posted before
 * it was complete. Both are in doubt then, as they are for the tree's `messages`, which looks as far.
 *
 * This is of the postings of one process, while they are gone through in their order. Without such a posting it holds
 * nothing.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_REPLAY_PROBED_RECEIVES = 64, /* of the group, that are looked at on both sides */
};

typedef struct {
    GHashTable *windows; /* by envelope: what is known of it; NULL: nothing was probed */
    GHashTable *open;    /* XtfReplayProbedPlace by receive: those that are not complete */
} XtfReplayProbes;

typedef struct {
    uint32_t envelope, k;
} XtfReplayProbedPlace;

void xtf_replay_probes_finish(XtfReplayProbes *probes); /* also of zeros; then it is one of zeros */

/* The k-th receive of an envelope is posted in a call that was entered at `enter`. `probed`: by MPI_Mrecv or
 * MPI_Imrecv. `receive` is a number of the receive. */
void xtf_replay_probes_post(XtfReplayProbes *probes, uint32_t envelope, uint32_t k, uint64_t receive, uint64_t enter,
                            bool probed);
/* A receive is complete. */
void xtf_replay_probes_receive(XtfReplayProbes *probes, uint64_t receive, uint64_t time);
/* The k that are in doubt, as runs (runs.h); NULL: there is none. Borrowed. */
const GArray *xtf_replay_probes_doubts(const XtfReplayProbes *probes, uint32_t envelope);
