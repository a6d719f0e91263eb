/*
 * Finds the certain groups, by the number of rows at each end of each group and by each member's operations.
 */
#include "src/analysis/replay/replay-private.h"

/* True if all members of a communicator took part equally often. Stores the ranks in their groups; the group of a
 * process that is no member keeps UINT32_MAX. */
static bool members_agree(XtfReplay *replay, uint32_t comm)
{
    const XtfComm *members = &replay->comms[comm];
    const XtfGroup *first = NULL;

    for (uint32_t rank = 0; rank < members->n; rank++) {
        const XtfGroupKey key = {
            .comm = comm, .tag = UINT32_MAX, .sender = members->members[rank], .receiver = XTF_GROUP_COLLECTIVE};
        uint32_t number = xtf_groups_find(&replay->groups, &key, false);
        if (number == UINT32_MAX)
            return false;
        XtfGroup *group = &replay->groups.all[number];
        group->receiver_or_rank = rank;
        if (group->uncertain || group->sent != group->received || (first && first->sent != group->sent))
            return false;
        first = group;
    }
    return first;
}

void xtf_replay_find_certain(XtfReplay *replay)
{
    for (uint32_t comm = 0; comm < replay->n_comms; comm++)
        if (replay->comms[comm].members && !members_agree(replay, comm))
            g_clear_pointer(&replay->comms[comm].members, g_free);
    for (uint32_t i = 0; i < replay->groups.n; i++) {
        XtfGroup *group = &replay->groups.all[i];
        if (group->key.receiver == XTF_GROUP_COLLECTIVE) {
            group->uncertain = !replay->comms[group->key.comm].members;
            continue;
        }
        group->lossy = !group->uncertain && group->sent > 0 && group->received > 0 && group->sent != group->received;
        group->uncertain |= group->sent != group->received;
        replay->unmatched_sends += group->sent - MIN(group->sent, group->received);
        replay->unmatched_receives += group->received - MIN(group->sent, group->received);
    }
}
