#include "src/tables/match/message-group.h"

#include <string.h>

/* Finds the peer of `proc`, and the rank of `proc` as the peer records it. Without communicators, ranks are processes.
 * */
static bool map_peer(const XtfRanks *ranks, const uint64_t *envelope, uint64_t proc, uint64_t *peer, uint64_t *rank)
{
    if (!ranks->comms) {
        *peer = envelope[XTF_ENVELOPE_PEER];
        *rank = proc;
        return true;
    }
    return xtf_ranks_proc(ranks, envelope[XTF_ENVELOPE_COMM], envelope[XTF_ENVELOPE_PEER], proc, peer) &&
           xtf_ranks_rank(ranks, envelope[XTF_ENVELOPE_COMM], proc, *peer, rank);
}

bool xtf_message_group_find(XtfTraceContext *context, const uint64_t envelope[XTF_ENVELOPE_KEYS], uint64_t proc,
                            bool is_sender, XtfMessageGroup *group, bool *known, GError **error)
{
    const XtfRanks *ranks = xtf_trace_context_sorted_ranks(context, error);
    uint64_t peer, rank;

    *known = false;
    *group = (XtfMessageGroup){.comm = envelope[XTF_ENVELOPE_COMM], .tag = envelope[XTF_ENVELOPE_TAG]};
    *(is_sender ? &group->sender : &group->receiver) = proc;
    if (!ranks)
        return false;
    if (!map_peer(ranks, envelope, proc, &peer, &rank))
        return true;
    *known = true;
    *(is_sender ? &group->receiver : &group->sender) = peer;
    uint64_t *own_envelope = is_sender ? group->at_sender : group->at_receiver;
    uint64_t *other_envelope = is_sender ? group->at_receiver : group->at_sender;
    memcpy(own_envelope, envelope, sizeof group->at_sender);
    memcpy(other_envelope, envelope, sizeof group->at_sender);
    other_envelope[XTF_ENVELOPE_PEER] = rank;
    return true;
}
