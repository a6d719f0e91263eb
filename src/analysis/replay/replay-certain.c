/*
 * What is certain: a pass over all rows that counts both ends of each group, and each member's operations.
 */
#include "libxtf/error.h"
#include "src/analysis/replay/replay-private.h"

uint32_t xtf_replay_group_of(XtfReplay *replay, const XtfProcess *process, const XtfReplayRow *row, bool sends)
{
    uint32_t self = (uint32_t)(process - replay->processes);
    uint64_t proc;

    if (row->comm == XTF_NONE_COMM ||
        !xtf_ranks_proc(&replay->context.ranks, row->comm, row->peer, process->public.proc, &proc))
        return UINT32_MAX;
    uint32_t other = GPOINTER_TO_UINT(g_hash_table_lookup(replay->by_proc, &proc)) - 1;
    if (other == UINT32_MAX)
        return UINT32_MAX;
    const XtfGroupKey key = {
        .comm = row->comm, .tag = row->tag, .sender = sends ? self : other, .receiver = sends ? other : self};
    return xtf_groups_find(&replay->groups, &key, true);
}

uint32_t xtf_replay_operations_of(XtfReplay *replay, const XtfProcess *process, uint32_t comm)
{
    const XtfGroupKey key = {.comm = comm,
                             .tag = UINT32_MAX,
                             .sender = (uint32_t)(process - replay->processes),
                             .receiver = XTF_GROUP_COLLECTIVE};

    return comm < replay->n_comms ? xtf_groups_find(&replay->groups, &key, true) : UINT32_MAX;
}

/* Several locations of a process in one group: their order is not certain. */
static void note_location(XtfGroup *group, uint32_t *known, uint32_t location)
{
    group->uncertain |= *known != UINT32_MAX && *known != location;
    *known = location;
}

static void count_row(XtfReplay *replay, const XtfProcess *process, const XtfReplayRow *row)
{
    uint32_t number = UINT32_MAX;

    if (row->kind == XTF_ROW_SEND || row->kind == XTF_ROW_POSTING)
        number = xtf_replay_group_of(replay, process, row, row->kind == XTF_ROW_SEND);
    else if (row->kind == XTF_ROW_BEGIN || row->kind == XTF_ROW_END)
        number = xtf_replay_operations_of(replay, process, row->comm);
    if (number == UINT32_MAX)
        return;
    XtfGroup *group = &replay->groups.all[number];
    bool sent = row->kind == XTF_ROW_SEND || row->kind == XTF_ROW_BEGIN;
    if (sent)
        group->sent++;
    else
        group->received++;
    note_location(group, row->kind == XTF_ROW_POSTING ? &group->other : &group->location, row->location);
}

/* Whether all members of a communicator took part equally often. Their groups learn their ranks: that of a process that
 * is no member keeps UINT32_MAX. */
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
        group->other = rank;
        if (group->uncertain || group->sent != group->received || (first && first->sent != group->sent))
            return false;
        first = group;
    }
    return first;
}

static void judge(XtfReplay *replay)
{
    for (uint32_t comm = 0; comm < replay->n_comms; comm++)
        if (replay->comms[comm].members && !members_agree(replay, comm))
            g_clear_pointer(&replay->comms[comm].members, g_free);
    for (uint32_t i = 0; i < replay->groups.n; i++) {
        XtfGroup *group = &replay->groups.all[i];
        if (group->key.receiver == XTF_GROUP_COLLECTIVE)
            group->uncertain = !replay->comms[group->key.comm].members;
        else
            group->uncertain |= group->sent != group->received;
    }
}

bool xtf_replay_find_certain(XtfReplay *replay, GError **error)
{
    replay->done = 0;
    for (uint32_t i = 0; i < replay->n_processes; i++) {
        XtfProcess *process = &replay->processes[i];
        const XtfReplayRow *row;
        bool good;
        xtf_replay_rows_rewind(&process->rows);
        while ((row = xtf_replay_peek(replay, process, &good, error))) {
            count_row(replay, process, row);
            process->rows.at++;
        }
        if (!good)
            return false;
        if (replay->groups.n == UINT32_MAX / 2)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the messages have too many different envelopes");
    }
    judge(replay);
    return true;
}
