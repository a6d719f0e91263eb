/*
 * Doubtful messages of groups in which a receive took a probed message.
 *
 * MPI_Mrecv and MPI_Imrecv take a message that an earlier probe matched. So their posting is later than the matching,
 * by an unknown time. It may precede any other receive of the group that was posted before it completed. Both messages
 * are then doubtful, as for `messages` of the tree, which looks as far.
 *
 * An XtfReplayProbes is for the postings of one process, added in their order. It stays empty until such a receive is
 * posted.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_REPLAY_PROBED_RECEIVES = 64, /* receives of the group that are examined on each side */
};

typedef struct {
    GHashTable *windows; /* by envelope: a Window; NULL: no message was probed */
    GHashTable *open;    /* XtfReplayProbedPlace by receive that is not complete */
} XtfReplayProbes;

typedef struct {
    uint32_t envelope, k;
} XtfReplayProbedPlace;

void xtf_replay_probes_finish(XtfReplayProbes *probes); /* leaves zeros; accepts zeros */

/* Notes that the k-th receive of an envelope is posted in a call that was entered at `enter`. `probed`: by MPI_Mrecv or
 * MPI_Imrecv. `receive` is the receive's number. */
void xtf_replay_probes_post(XtfReplayProbes *probes, uint32_t envelope, uint32_t k, uint64_t receive, uint64_t enter,
                            bool probed);
/* Notes that a receive is complete. */
void xtf_replay_probes_receive(XtfReplayProbes *probes, uint64_t receive, uint64_t time);
/* Returns the k of doubtful messages as runs (runs.h); NULL: none. Borrowed. */
const GArray *xtf_replay_probes_doubts(const XtfReplayProbes *probes, uint32_t envelope);
