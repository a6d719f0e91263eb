/* Adds the points of waits that need no messages. Only one-sided communication and OpenMP's teams have points on
 * other locations, too. In a job, rank 0 finds them, and sends points to the ranks that have their locations. */
#include "src/analysis/kinds/kinds.h"
#include "src/analysis/waits/find-private.h"
#include "src/world/stream.h"

/* A point for the rank that has its location. */
typedef struct {
    uint32_t location, unused;
    XtfPoint point;
} Sent;

typedef struct {
    XtfRawPoints *raw;
    XtfWorldStream *stream; /* NULL: no job */
    uint32_t *first;        /* the first location of each rank, and behind them the number of locations */
} Kinds;

static bool add_own_point(XtfRawPoints *raw, uint32_t location, const XtfPoint *point, GError **error)
{
    raw->locations[location].kinds = true;
    return xtf_raw_points_add(raw, location, point, error);
}

static bool route_kind_point(const Kinds *kinds, uint32_t location, const XtfPoint *point, GError **error)
{
    unsigned rank = 0;

    if (!kinds->stream)
        return add_own_point(kinds->raw, location, point, error);
    while (location >= kinds->first[rank + 1])
        rank++;
    if (rank == 0)
        return add_own_point(kinds->raw, location, point, error);
    Sent *sent = xtf_world_stream_put(kinds->stream, rank, 0, sizeof *sent);
    *sent = (Sent){.location = location, .point = *point};
    return true;
}

static bool read_point(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    const Kinds *kinds = data;
    const Sent *sent = bytes;

    return add_own_point(kinds->raw, sent->location, &sent->point, error);
}

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
    XtfRawPoints *raw = ((const Kinds *)data)->raw;
    XtfOperation operation = {.culprit = barrier->last, .culprit_seq = barrier->last_seq};
    g_autofree XtfOperationMember *members = g_new(XtfOperationMember, barrier->n);

    for (uint32_t i = 0; i < barrier->n; i++)
        members[i] = (XtfOperationMember){.location = barrier->locations[i], .synchronises = true};
    *instance = raw->operations.n + (raw->pair_step - raw->operations.n % raw->pair_step) % raw->pair_step;
    return xtf_operations_put(&raw->operations, *instance, &operation, members, barrier->n, error);
}

/* Adds the MET point of the location that was late for the wait at `point`. */
static bool add_met(const Kinds *kinds, const XtfKindWait *wait, const XtfPoint *point, GError **error)
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
    return route_kind_point(kinds, wait->culprit, &met, error);
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
    const Kinds *kinds = data;
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
    if (point.side == XTF_POINT_MEETS) {
        point.instance = xtf_raw_points_number_pair(kinds->raw);
        if (!add_met(kinds, wait, &point, error))
            return false;
    }
    return route_kind_point(kinds, wait->location, &point, error);
}

static bool find_kinds(XtfReplay *replay, Kinds *kinds, XtfSteps *steps, GError **error)
{
    const XtfKindConsumer consumer = {.data = kinds, .wait = add_kind_point, .barrier = add_barrier};

    return xtf_kinds_find(xtf_replay_context(replay), xtf_replay_window(replay), steps, &consumer, error);
}

bool xtf_find_kinds(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error)
{
    XtfWorld *world = xtf_replay_world(replay);
    g_autoptr(XtfWorldStream) stream = world ? xtf_world_stream_new(world) : NULL;
    g_autofree uint32_t *first = world ? xtf_find_first_locations(replay, xtf_world_size(world)) : NULL;
    Kinds kinds = {.raw = raw, .stream = stream, .first = first};

    xtf_steps_begin(steps, "waits without messages", 0);
    if ((!world || xtf_world_rank(world) == 0) && !find_kinds(replay, &kinds, steps, error))
        return false;
    return !world || xtf_world_stream_end(stream, read_point, &kinds, error);
}
