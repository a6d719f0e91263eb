/*
 * Waits by the mode of a collective operation of UPC.
 *
 * Data move when both sides have begun the operation. So a member first waits for its data, as without a mode; not with
 * UPC_IN_NOSYNC. The mode then causes further waits:
 * - UPC_IN_ALLSYNC: `wait_entry`, until all members have begun;
 * - UPC_IN_MYSYNC: `wait_inside`, from the member's previous access until the member that it accesses next has begun;
 * - UPC_OUT_ALLSYNC: `wait_exit`, from the end of the member's own work until all members have done theirs.
 *
 * A member's own work ends with its last access in the operation. Without recorded accesses it ends when the member may
 * first touch data.
 */
#include "src/analysis/kinds/window-operation.h"
#include "src/model/wait-kinds.h"

typedef struct {
    XtfKinds *kinds;
    const XtfWindowOperation *operation;
    const XtfCollectiveSummary *summary;
    XtfCollectiveShape shape;
} Modes;

/* Returns the member for whose data a member waits. */
static const XtfMemberTime *find_sender(const Modes *modes, const XtfMemberTime *earlier)
{
    return modes->shape == XTF_COLLECTIVE_FROM_ROOT ? &modes->summary->root
           : modes->shape == XTF_COLLECTIVE_SCAN    ? earlier
                                                    : &modes->summary->last_sender;
}

/* Adds a member's wait for data, in operations that not all members wait for. Returns when it may touch data.
 * `earlier`: the latest begin of the members up to it that send. */
static uint64_t add_wait_for_data(const Modes *modes, uint32_t rank, const XtfMemberTime *earlier)
{
    const XtfWindowMember *member = &modes->operation->members[rank];
    const XtfCollectiveTimes times = xtf_window_times(member, rank);
    uint64_t wait, completion;

    if (member->mode & XTF_WINDOW_IN_NONE)
        return member->begin;
    xtf_collective_waits(modes->summary, modes->shape, &times, *earlier, &wait, &completion);
    if (wait > 0 && modes->shape != XTF_COLLECTIVE_ALL_TO_ALL) {
        const XtfWindowArrival culprit = xtf_window_arrival(modes->operation, find_sender(modes, earlier));
        XtfKindWait data =
            xtf_window_wait(modes->kinds, modes->operation, member, xtf_collective_wait_kind(modes->shape, false),
                            member->begin, member->begin + wait, &culprit);
        data.seq = member->begin_seq; /* another wait is at the END */
        data.time = member->begin;
        xtf_kinds_wait(modes->kinds, member->call, &data);
    }
    return member->begin + wait;
}

static uint64_t add_wait_at_entry(const Modes *modes, const XtfWindowMember *member, uint64_t since)
{
    const XtfMemberTime *last = &modes->summary->last;

    if (!(member->mode & XTF_WINDOW_IN_ALL) || last->time <= since)
        return since;
    const XtfWindowArrival culprit = xtf_window_arrival(modes->operation, last);
    XtfKindWait wait =
        xtf_window_wait(modes->kinds, modes->operation, member, XTF_LABEL_wait_entry, since, last->time, &culprit);
    xtf_kinds_wait(modes->kinds, member->call, &wait);
    return wait.end;
}

/* Adds the waits before a member's accesses. Returns when its last access ended; `since` if it has none. */
static uint64_t add_waits_inside(const Modes *modes, const XtfWindowMember *member, uint64_t since)
{
    for (guint i = 0; member->accesses && i < member->accesses->len; i++) {
        const XtfWindowAccess *access = &g_array_index(member->accesses, XtfWindowAccess, i);
        const XtfKindCall *call = access->call;
        if (access->peer >= modes->operation->n || !call->left)
            continue;
        const XtfMemberTime peer = {true, access->peer, modes->operation->members[access->peer].begin};
        uint64_t until = MIN(peer.time, call->enter);
        if (member->mode & XTF_WINDOW_IN_OWN && until > since) {
            const XtfWindowArrival culprit = xtf_window_arrival(modes->operation, &peer);
            XtfKindWait wait =
                xtf_window_wait(modes->kinds, modes->operation, member, XTF_LABEL_wait_inside, since, until, &culprit);
            wait.seq = access->seq;
            wait.time = call->enter;
            xtf_kinds_wait(modes->kinds, member->call, &wait);
        }
        since = MAX(since, call->leave);
    }
    return MIN(since, member->end);
}

/* Returns how long a member stays in an operation of all with all after the first member's end. */
static uint64_t find_completion(const Modes *modes, const XtfWindowMember *member, uint32_t rank)
{
    const XtfCollectiveTimes times = xtf_window_times(member, rank);
    const XtfMemberTime none = {0};
    uint64_t wait, completion = 0;

    if (modes->shape == XTF_COLLECTIVE_ALL_TO_ALL && !(member->mode & XTF_WINDOW_IN_NONE))
        xtf_collective_waits(modes->summary, modes->shape, &times, none, &wait, &completion);
    return completion;
}

/* Adds a member's wait at the exit, until `last`, the latest end of the members' work; and its completion. */
static void add_wait_at_exit(const Modes *modes, uint32_t rank, uint64_t since, const XtfMemberTime *last)
{
    const XtfWindowMember *member = &modes->operation->members[rank];
    uint64_t until = MAX(since, MIN(last->time, modes->summary->first_end.time));

    if (!(member->mode & XTF_WINDOW_OUT_ALL) || !member->call)
        return;
    const XtfWindowArrival culprit = xtf_window_arrival(modes->operation, last);
    XtfKindWait wait =
        xtf_window_wait(modes->kinds, modes->operation, member, XTF_LABEL_wait_exit, since, until, &culprit);
    wait.seq = UINT64_MAX; /* the call's LEAVE: another wait is at the END */
    wait.completion = find_completion(modes, member, rank);
    xtf_kinds_wait(modes->kinds, member->call, &wait);
}

void xtf_window_mode_waits(XtfKinds *kinds, const XtfWindowOperation *operation, const XtfCollectiveSummary *summary,
                           XtfCollectiveShape shape)
{
    const Modes modes = {kinds, operation, summary, shape};
    g_autofree uint64_t *done = g_new(uint64_t, operation->n);
    XtfMemberTime earlier = {0}, last = {0};

    for (uint32_t i = 0; i < operation->n; i++) {
        const XtfWindowMember *member = &operation->members[i];
        if (member->sends)
            xtf_member_time_latest(&earlier, i, member->begin);
        uint64_t since = add_wait_for_data(&modes, i, &earlier);
        done[i] = add_waits_inside(&modes, member, add_wait_at_entry(&modes, member, since));
        xtf_member_time_latest(&last, i, done[i]);
    }
    for (uint32_t i = 0; i < operation->n; i++)
        add_wait_at_exit(&modes, i, done[i], &last);
}
