#include "src/analysis/kinds/window-operation.h"

#include "src/model/wait-kinds.h"

void xtf_window_accesses_free(GArray *accesses)
{
    for (guint i = 0; accesses && i < accesses->len; i++)
        xtf_kind_call_unref(g_array_index(accesses, XtfWindowAccess, i).call);
    if (accesses)
        g_array_unref(accesses);
}

void xtf_window_operation_free(void *pointer)
{
    XtfWindowOperation *operation = pointer;

    for (uint32_t i = 0; operation->members && i < operation->n; i++) {
        xtf_kind_call_unref(operation->members[i].call);
        xtf_window_accesses_free(operation->members[i].accesses);
    }
    g_free(operation->members);
    g_free(operation);
}

XtfWindowArrival xtf_window_arrival(const XtfWindowOperation *operation, const XtfMemberTime *time)
{
    const XtfWindowMember *member = &operation->members[time->index];
    const XtfKindArrival end = {.seq = member->seq,
                                .time = member->end,
                                .enter = member->call ? member->call->enter : time->time,
                                .end = time->time};
    return (XtfWindowArrival){true, member->location, time->time, member->seq, member->row, end};
}

XtfCollectiveTimes xtf_window_times(const XtfWindowMember *member, uint32_t rank)
{
    return (XtfCollectiveTimes){.index = rank,
                                .is_root = member->is_root,
                                .sends = member->sends,
                                .receives = member->receives,
                                .begin = member->begin,
                                .end = member->end};
}

XtfKindWait xtf_window_wait(XtfKinds *kinds, const XtfWindowOperation *operation, const XtfWindowMember *member,
                            uint8_t kind, uint64_t begin, uint64_t end, const XtfWindowArrival *culprit)
{
    const XtfKindRow row = {
        .time = member->end, .seq = member->seq, .region = member->call ? member->call->region : UINT32_MAX};
    XtfKindWait wait = xtf_kinds_new_wait(&kinds->locations[member->location], &row, kind);

    wait.begin = begin;
    wait.end = MIN(end, member->end);
    wait.comm = operation->comm;
    wait.bytes = member->sent;
    wait.culprit = kinds->locations[culprit->location].index;
    wait.culprit_seq = culprit->seq;
    wait.match = culprit->row;
    wait.sync = kind == XTF_LABEL_early_scan ? XTF_KIND_ALONE : XTF_KIND_PAIR;
    wait.arrival = culprit->end;
    return wait;
}
