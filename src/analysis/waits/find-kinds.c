/* Adds the points of waits that need no messages. Only one-sided communication and OpenMP's teams have points on
 * other locations, too. */
#include "src/analysis/kinds/kinds.h"
#include "src/analysis/waits/find-private.h"

static XtfPointSide side_of(const XtfKindWait *wait)
{
    switch ((XtfKindSync)wait->sync) {
    case XTF_KIND_PAIR:
        return wait->culprit == wait->location || wait->end <= wait->begin ? XTF_POINT_ALONE : XTF_POINT_MEETS;
    case XTF_KIND_ALL:
        return XTF_POINT_ALL;
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
    case XTF_KIND_CREATED:
        break;
    }
    return XTF_POINT_ALONE;
}

static bool add_barrier(void *data, const XtfKindBarrier *barrier, uint64_t *instance, GError **error)
{
    XtfRawPoints *raw = data;
    XtfOperation operation = {.culprit = barrier->last, .culprit_seq = barrier->last_seq};
    g_autofree XtfOperationMember *members = g_new(XtfOperationMember, barrier->n);

    for (uint32_t i = 0; i < barrier->n; i++)
        members[i] = (XtfOperationMember){.location = barrier->locations[i], .synchronises = true};
    *instance = raw->operations.n;
    return xtf_operations_put(&raw->operations, *instance, &operation, members, barrier->n, error);
}

/* Adds the MET point of the location that was late for the wait at `point`. */
static bool add_met(XtfRawPoints *raw, const XtfKindWait *wait, const XtfPoint *point, GError **error)
{
    const XtfEnd end = {.seq = wait->arrival.seq,
                        .time = wait->arrival.time,
                        .enter = wait->arrival.enter,
                        .leave = wait->arrival.end,
                        .region = UINT32_MAX,
                        .callpath = UINT32_MAX};
    XtfPoint met = xtf_find_point(&end, wait->kind, XTF_POINT_MET);

    met.end = wait->arrival.end;
    met.partner = wait->location;
    met.partner_seq = wait->seq;
    met.instance = point->instance;
    raw->locations[wait->culprit].kinds = true;
    return xtf_raw_points_add(raw, wait->culprit, &met, error);
}

/* Ends the call of the point behind the wait and its completion: after a wait in one-sided communication, both sides
 * run independently. */
static void end_meeting(XtfPoint *point)
{
    if (point->side == XTF_POINT_MEETS || point->side == XTF_POINT_ALL)
        point->leave = point->end + (uint64_t)point->completion;
}

static bool add_kind_point(void *data, const XtfKindWait *wait, GError **error)
{
    XtfRawPoints *raw = data;
    const XtfEnd end = {.seq = wait->seq,
                        .time = wait->time,
                        .enter = wait->enter,
                        .leave = wait->leave,
                        .location = wait->location,
                        .region = wait->region,
                        .callpath = UINT32_MAX};
    XtfPoint point = xtf_find_point(&end, wait->kind, side_of(wait));

    point.wait = wait->end - wait->begin;
    point.end = wait->end;
    point.completion = (int64_t)wait->completion;
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
    point.leads = wait->leads;
    point.created = wait->sync == XTF_KIND_CREATED;
    if (wait->sync > XTF_KIND_BARRIER) { /* a point in time, not a call */
        point.enter = point.leave = wait->time;
        point.completion = (int64_t)wait->sync_ticks;
        point.seq += wait->sync == XTF_KIND_ENDS;
    }
    end_meeting(&point);
    raw->locations[wait->location].kinds = true;
    if (point.side == XTF_POINT_MEETS) {
        point.instance = raw->n_pairs++;
        if (!add_met(raw, wait, &point, error))
            return false;
    }
    return xtf_raw_points_add(raw, wait->location, &point, error);
}

bool xtf_find_kinds(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error)
{
    const XtfKindConsumer consumer = {.data = raw, .wait = add_kind_point, .barrier = add_barrier};

    xtf_steps_begin(steps, "waits without messages", 0);
    return xtf_kinds_find(xtf_replay_context(replay), xtf_replay_window(replay), steps, &consumer, error);
}
