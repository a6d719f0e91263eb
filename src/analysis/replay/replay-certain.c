/*
 * Finds the certain groups, by the number of rows at each end of each group and by each member's operations.
 */
#include "src/analysis/replay/replay-private.h"

/* Returns how many operations a process ended before the kept time. */
static uint64_t removed_operations(const XtfReplay *replay, uint32_t group)
{
    const XtfRemovedEnds *ends = xtf_replay_removed_ends(replay, group);

    return ends ? ends->receives : 0;
}

/* True if all members of a communicator took part equally often. Stores the ranks in their groups; the group of a
 * process that is no member keeps UINT32_MAX. */
static bool members_agree(XtfReplay *replay, uint32_t comm)
{
    const XtfComm *members = &replay->comms[comm];
    const XtfGroup *first = NULL;
    uint64_t first_total = 0;

    for (uint32_t rank = 0; rank < members->n; rank++) {
        const XtfGroupKey key = {
            .comm = comm, .tag = UINT32_MAX, .sender = members->members[rank], .receiver = XTF_GROUP_COLLECTIVE};
        uint32_t number = xtf_groups_find(&replay->groups, &key, false);
        if (number == UINT32_MAX)
            return false;
        XtfGroup *group = &replay->groups.all[number];
        group->receiver_or_rank = rank;
        uint64_t total = removed_operations(replay, number) + group->sent;
        if (group->uncertain || group->sent != group->received || (first && first_total != total))
            return false;
        first = group;
        first_total = total;
    }
    return first;
}

/* Numbers the operations of a communicator from the first one that a member ended after the kept time. */
static void number_operations(XtfReplay *replay, uint32_t comm)
{
    XtfComm *members = &replay->comms[comm];
    uint64_t least = UINT64_MAX, most = 0;

    for (unsigned pass = 0; pass < 2 && replay->removed; pass++)
        for (uint32_t rank = 0; rank < members->n; rank++) {
            const XtfGroupKey key = {
                .comm = comm, .tag = UINT32_MAX, .sender = members->members[rank], .receiver = XTF_GROUP_COLLECTIVE};
            uint32_t number = xtf_groups_find(&replay->groups, &key, false);
            XtfRemovedEnds *ends = xtf_replay_removed_ends(replay, number);
            least = MIN(least, ends ? ends->receives : 0);
            most = MAX(most, ends ? ends->receives : 0);
            if (pass > 0 && ends)
                ends->first_sent = ends->first_received = (uint32_t)(ends->receives - least);
        }
    if (replay->removed)
        members->first_whole = (uint32_t)(most - least);
}

void xtf_replay_find_certain(XtfReplay *replay)
{
    for (uint32_t comm = 0; comm < replay->n_comms; comm++) {
        if (replay->comms[comm].members && !members_agree(replay, comm))
            g_clear_pointer(&replay->comms[comm].members, g_free);
        if (replay->comms[comm].members)
            number_operations(replay, comm);
    }
    for (uint32_t i = 0; i < replay->groups.n; i++) {
        XtfGroup *group = &replay->groups.all[i];
        if (group->key.receiver == XTF_GROUP_COLLECTIVE) {
            group->uncertain = !replay->comms[group->key.comm].members;
            continue;
        }
        if (replay->removed && xtf_replay_renumber(replay, i))
            continue;
        group->lossy = !group->uncertain && group->sent > 0 && group->received > 0 && group->sent != group->received;
        group->uncertain |= group->sent != group->received;
        replay->unmatched_sends += group->sent - MIN(group->sent, group->received);
        replay->unmatched_receives += group->received - MIN(group->sent, group->received);
    }
}
