/*
 * Finds the certain groups, by the number of rows at each end of each group and by each member's operations.
 *
 * An operation on which its members disagree is uncertain for all of them, in any order of the replay. So these
 * operations are found before any run. A hash of each member's operations says on which communicators all agree, as
 * they do in nearly all traces. For the others a pass over the members' logs compares each operation.
 */
#include "src/analysis/replay/replay-private.h"
#include "src/analysis/replay/row-coding.h"

enum { LOG_BUFFER = 32 << 10 };

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
    XtfComm *members = &replay->comms[comm];
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
        members->disputed |= first && first->listed != group->listed;
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

/* ---- Disputes. */

/* An operation as the first member has it. */
typedef struct {
    uint32_t operation, root;
    uint8_t pattern;
    bool known, disputed;
} Voted;

static void vote(GArray *voted, uint32_t k, const XtfReplayRow *row)
{
    if (k >= voted->len)
        g_array_set_size(voted, k + 1);
    Voted *first = &g_array_index(voted, Voted, k);
    if (!first->known)
        *first = (Voted){row->tag, row->peer, row->pattern, true, false};
    first->disputed |= first->operation != row->tag || first->root != row->peer || first->pattern != row->pattern;
}

/* Compares the operations of a process on disputed communicators with the operations of the members before. `voted`:
 * GArray of Voted by communicator. */
static bool vote_on_operations(XtfReplay *replay, XtfProcess *process, GArray **voted, GError **error)
{
    g_autofree uint32_t *next = g_new0(uint32_t, replay->n_comms + 1);
    const uint8_t *record, *end;
    XtfRowState state = {0};
    XtfReplayRow row;
    bool good;

    xtf_log_reader_init(&process->reader, &replay->spool, &process->log, LOG_BUFFER);
    while ((good = xtf_log_next(&process->reader, &record, &end, error)) && record) {
        xtf_row_decode(&state, replay->envelopes + process->envelopes, record, replay->options.calls, &row);
        if (row.kind != XTF_ROW_BEGIN || row.group == UINT32_MAX || !replay->comms[row.comm].disputed)
            continue;
        const XtfRemovedEnds *ends = xtf_replay_removed_ends(replay, row.group);
        vote(voted[row.comm], (ends ? ends->first_sent : 0) + next[row.comm]++, &row);
    }
    xtf_log_reader_finish(&process->reader);
    return good;
}

static void keep_disputes(XtfComm *comm, const GArray *voted)
{
    for (guint k = 0; k < voted->len; k++) {
        if (!g_array_index(voted, Voted, k).disputed)
            continue;
        if (!comm->disputes)
            comm->disputes = xtf_runs_new();
        xtf_runs_add(comm->disputes, k, k);
    }
}

static void free_votes(gpointer data)
{
    if (data)
        g_array_unref(data);
}

bool xtf_replay_find_disputes(XtfReplay *replay, GError **error)
{
    g_autoptr(GPtrArray) voted = g_ptr_array_new_with_free_func(free_votes);
    g_autofree bool *reads = g_new0(bool, replay->n_processes + 1);
    bool any = false;

    for (uint32_t i = 0; i < replay->n_comms; i++) {
        const XtfComm *comm = &replay->comms[i];
        g_ptr_array_add(voted, comm->disputed ? g_array_new(FALSE, TRUE, sizeof(Voted)) : NULL);
        any |= comm->disputed;
        for (uint32_t rank = 0; comm->disputed && rank < comm->n; rank++)
            reads[comm->members[rank]] = true;
    }
    for (uint32_t i = 0; any && i < replay->n_processes; i++)
        if (reads[i] && !vote_on_operations(replay, &replay->processes[i], (GArray **)voted->pdata, error))
            return false;
    for (uint32_t i = 0; i < replay->n_comms; i++)
        if (replay->comms[i].disputed)
            keep_disputes(&replay->comms[i], g_ptr_array_index(voted, i));
    return true;
}

/* ---- Groups. */

static void find_certain_groups(XtfReplay *replay)
{
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

bool xtf_replay_needs_all_logs(const XtfReplay *replay)
{
    for (uint32_t i = 0; i < replay->n_comms; i++)
        if (replay->comms[i].disputed)
            return true;
    for (uint32_t i = 0; i < replay->groups.n; i++)
        if (replay->groups.all[i].lossy)
            return true;
    return false;
}

void xtf_replay_find_certain(XtfReplay *replay)
{
    for (uint32_t comm = 0; comm < replay->n_comms; comm++) {
        XtfComm *members = &replay->comms[comm];
        if (members->members && !members_agree(replay, comm)) {
            g_clear_pointer(&members->members, g_free);
            members->disputed = false;
        }
        if (members->members)
            number_operations(replay, comm);
    }
    find_certain_groups(replay);
}
