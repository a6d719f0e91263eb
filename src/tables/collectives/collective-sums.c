#include "src/tables/collectives/collective-sums.h"

#include "src/tables/collectives/collective-members.h"

static void add_member(const XtfCollectiveOperation *operation, const XtfCollectiveMember *member, uint64_t i,
                       XtfMemberTime *sender, XtfCollectiveSums *sums)
{
    XtfCollectiveTimes times;
    uint64_t wait, completion;
    bool timed = xtf_collective_member_times(member, i, &times);

    if (member->found) {
        sums->end = MAX(sums->end, member->end);
        sums->sent += member->sent == UINT64_MAX ? 0 : member->sent;
    }
    if (!timed)
        return;
    if (times.sends)
        xtf_member_time_latest(sender, i, times.begin);
    if (operation->summary.first.index == i)
        sums->first = (XtfCollectiveEnd){member->location, member->row, member->begin};
    if (operation->summary.last.index == i) {
        sums->last = (XtfCollectiveEnd){member->location, member->row, member->begin};
        sums->last_proc = member->proc;
    }
    if (!sums->waited)
        return;
    xtf_collective_waits(&operation->summary, operation->shape, &times, *sender, &wait, &completion);
    sums->waits += wait;
}

static bool add_members(XtfCollectives *collectives, XtfCollectiveOperation *operation, XtfCollectiveSums *sums,
                        GError **error)
{
    XtfMemberTime sender = {0};

    for (uint64_t first = 0; first < operation->id.n; first += XTF_MEMBERS_AT_ONCE) {
        if (!xtf_collective_operation_load(collectives, operation, first / XTF_MEMBERS_AT_ONCE, error))
            return false;
        for (uint64_t i = first; i < MIN(operation->id.n, first + XTF_MEMBERS_AT_ONCE); i++)
            add_member(operation, &operation->members[i - first], i, &sender, sums);
    }
    return true;
}

bool xtf_collective_sums(XtfCollectives *collectives, const XtfCollectiveId *id, bool clocks_contradict,
                         XtfCollectiveSums *sums, GError **error)
{
    XtfCollectiveOperation *operation = xtf_collective_operation_take(collectives, id, error);

    if (!operation)
        return false;
    const XtfCollectiveSummary *summary = &operation->summary;
    bool comparable = id->n == 1 || !clocks_contradict;
    *sums = (XtfCollectiveSums){
        .begun = summary->first.known,
        .begin = summary->first.time,
        .begin_spread = summary->last.time - summary->first.time,
        .waited = comparable && operation->waits && operation->shape != XTF_COLLECTIVE_SOME_TO_SOME,
        .certain = comparable && operation->certain,
    };
    bool good = add_members(collectives, operation, sums, error);
    xtf_collective_operation_put(collectives, operation);
    return good;
}
