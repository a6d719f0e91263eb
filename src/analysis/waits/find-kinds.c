/* Waits that need no messages: their points are those of nobody else, but for those of OpenMP's teams. */
#include "src/analysis/kinds/kinds.h"
#include "src/analysis/waits/find-private.h"

static XtfPointSide side_of(const XtfKindWait *wait)
{
    switch ((XtfKindSync)wait->sync) {
    case XTF_KIND_BARRIER:
        return XTF_POINT_TEAM;
    case XTF_KIND_FORKED:
        return XTF_POINT_FORKED;
    case XTF_KIND_JOINS:
        return XTF_POINT_JOINS;
    case XTF_KIND_FORKS:
    case XTF_KIND_ENDS:
        return XTF_POINT_FORKS;
    case XTF_KIND_ALONE:
        break;
    }
    return XTF_POINT_ALONE;
}

static bool add_barrier(void *data, const XtfKindBarrier *barrier, uint64_t *instance, GError **error)
{
    XtfRawPoints *raw = data;
    XtfOperation operation = {.late = barrier->last, .late_seq = barrier->last_seq};
    g_autofree XtfOperationMember *members = g_new(XtfOperationMember, barrier->n);

    for (uint32_t i = 0; i < barrier->n; i++)
        members[i] = (XtfOperationMember){.location = barrier->locations[i], .synchronises = true};
    *instance = raw->operations.n;
    return xtf_operations_put(&raw->operations, *instance, &operation, members, barrier->n, error);
}

static bool add_wait(void *data, const XtfKindWait *wait, GError **error)
{
    XtfRawPoints *raw = data;
    const XtfEnd end = {.seq = wait->seq,
                        .time = wait->time,
                        .enter = wait->enter,
                        .leave = wait->leave,
                        .location = wait->location,
                        .region = wait->region,
                        .context = UINT32_MAX};
    XtfPoint point = xtf_find_point(&end, wait->kind, side_of(wait));

    point.wait = wait->end - wait->begin;
    point.end = wait->end;
    point.completion = wait->completion;
    point.match = wait->match;
    point.bytes = wait->bytes;
    point.comm = wait->comm;
    point.part = wait->part;
    point.part_kind = wait->part_kind;
    if (wait->culprit != wait->location) {
        point.partner = wait->culprit;
        point.partner_seq = wait->culprit_seq;
    }
    point.instance = wait->instance;
    point.depth = wait->depth;
    if (wait->sync > XTF_KIND_BARRIER) { /* a moment */
        point.enter = point.leave = wait->time;
        point.completion = wait->sync_ticks;
        point.seq += wait->sync == XTF_KIND_ENDS;
    }
    raw->locations[wait->location].kinds = true;
    return xtf_raw_points_add(raw, wait->location, &point, error);
}

bool xtf_find_kinds(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error)
{
    const XtfKindConsumer consumer = {.data = raw, .wait = add_wait, .barrier = add_barrier};

    xtf_steps_begin(steps, "waits without messages", 0);
    return xtf_kinds_find(xtf_replay_context(replay), steps, &consumer, error);
}
