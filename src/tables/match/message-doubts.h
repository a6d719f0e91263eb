/*
 * What makes a pair doubtful whose group has as many receives as sends.
 *
 * - Threads: the order of a group is that in which its sends, or the postings of its receives, follow one another. If
 *   two threads are in such calls at one time, it is not known which came first.
 * - Postings of which it is not known when they were: message-unposted.h.
 * - Probes: MPI_Mrecv and MPI_Imrecv take a message that was matched before, when it was probed, and nobody knows when
 *   that was. Receives of the group that were posted before one of them is over may have been posted behind the probe.
 *   Of them XTF_PROBED_RECEIVES on both sides are looked at.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/order/message-order.h"

enum {
    XTF_PROBED_RECEIVES = 64,
};

/* Whether another location of the process was in a call of the same side of the group at the same time. */
bool xtf_message_overlaps(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                          bool *overlaps, GError **error);
/* Whether posting k of a group, which is at a place, or another one beside it, belongs to a probe. */
bool xtf_message_is_probed(XtfMatching *matching, const XtfMessageSide *postings, const XtfMessagePlace *place,
                           uint64_t k, bool *probed, GError **error);
