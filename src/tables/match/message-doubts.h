/*
 * Reasons why a pair may be wrong although its group has equal numbers of sends and receives.
 *
 * - Threads: a group's order is the order of its sends, or of the postings of its receives. If two threads are in such
 * calls at the same time, their order is unknown.
 * - Postings at an unknown time: message-unposted.h.
 * - Probes: MPI_Mrecv and MPI_Imrecv receive a message that an earlier probe matched, at an unknown time. Receives of
 * the group that were posted before such a receive completed may have been posted after the probe. XTF_PROBED_RECEIVES
 * of them are checked on each side.
 */
#pragma once

#include "src/tables/match/matching.h"
#include "src/tables/match/order/message-order.h"

enum {
    XTF_PROBED_RECEIVES = 64,
};

/* True if another location of the process was in a call of the same side of the group at the same time. */
bool xtf_message_overlaps(XtfMatching *matching, const XtfMessageSide *side, const XtfMessagePlace *place,
                          bool *overlaps, GError **error);
/* True if a probe may have matched posting k of a group, which is at `place`, or a posting near it. */
bool xtf_message_is_probed(XtfMatching *matching, const XtfMessageSide *postings, const XtfMessagePlace *place,
                           uint64_t k, bool *probed, GError **error);
