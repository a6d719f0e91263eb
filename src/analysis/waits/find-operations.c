/*
 * Waits in collective operations. All waits of an operation are found when its last member ends.
 */
#include <string.h>

#include "src/analysis/formulas/collective-waits.h"
#include "src/analysis/waits/find-private.h"

/* The ends of an operation's members, by rank. */
typedef struct {
    uint32_t n;
    XtfEnd ends[];
} Ends;

G_STATIC_ASSERT(sizeof(XtfEnd) <= XTF_REPLAY_END_BYTES);

typedef struct {
    XtfFind *find;
    const XtfReplayCollective *collective;
    const Ends *ends;
    XtfCollectiveSummary summary;
    XtfOperationMember *members; /* by rank */
    XtfOperation operation;
} FoundOperation;

static XtfCollectiveTimes times_of(const FoundOperation *found, uint32_t rank)
{
    const XtfReplayMember *member = &found->collective->members[rank];

    return (XtfCollectiveTimes){
        .index = rank,
        .is_root = rank == found->collective->root,
        .sends = member->sends,
        .receives = member->receives,
        .begin = member->begin.time,
        .end = found->ends->ends[rank].time,
    };
}

static uint8_t wait_kind_of(const FoundOperation *found)
{
    const XtfReplayCollective *collective = found->collective;
    bool destroys =
        collective->shape == XTF_COLLECTIVE_HANDLES && xtf_find_destroys(found->find, collective->operation);

    return xtf_collective_wait_kind(collective->shape, destroys);
}

void xtf_find_wait(XtfPoint *point, uint64_t begin, uint64_t end, uint64_t last, uint64_t first_end)
{
    uint64_t until = MIN(last, end), through = MAX(first_end, until);

    point->wait = until > begin ? until - begin : 0;
    point->end = MAX(until, begin);
    point->completion = end > through ? (int64_t)(end - through) : 0;
}

static void add_member_point(FoundOperation *found, uint32_t rank, XtfPointSide side, uint32_t latest,
                             uint64_t first_end)
{
    XtfFind *find = found->find;
    const XtfReplayMember *members = found->collective->members;
    const XtfEnd *end = &found->ends->ends[rank], *culprit = &found->ends->ends[latest];
    XtfPoint point = xtf_find_point(end, wait_kind_of(found), side);
    uint64_t last = members[latest].begin.time;

    xtf_find_wait(&point, members[rank].begin.time, end->time, last, first_end);
    point.instance = found->collective->number;
    point.comm = found->collective->comm;
    point.bytes = members[rank].begin.bytes;
    if (rank != latest) {
        point.partner = culprit->location;
        point.partner_seq = culprit->seq;
        point.match = culprit->row;
    }
    found->members[rank].synchronises |= side != XTF_POINT_ALONE;
    found->operation.culprit = culprit->location;
    found->operation.culprit_seq = culprit->seq;
    find->found.judged++;
    find->found.violations += last > end->time;
    xtf_find_add(find, end->location, &point);
}

/* True if an operation moves data or is no all-to-all. Members do not wait in an all-to-all without data. */
static bool exchanges(const FoundOperation *found)
{
    if (found->collective->shape != XTF_COLLECTIVE_ALL_TO_ALL)
        return true;
    for (uint32_t rank = 0; rank < found->ends->n; rank++) {
        if (found->collective->members[rank].sends || found->collective->members[rank].receives)
            return true;
    }
    return false;
}

/* Adds the points of a barrier or an all-to-all. A member without data to send or to receive counts, too, if all
 * members were in the operation at the same time. A partial operation has points on the last sender and on earlier
 * receivers only. */
static void find_waits_for_all(FoundOperation *found)
{
    const XtfCollectiveSummary *summary = &found->summary;
    bool partial = xtf_collective_is_partial(summary, found->collective->shape);
    uint32_t n = found->ends->n;

    if (!exchanges(found) || (partial && !summary->last_sender.known))
        return;
    for (uint32_t rank = 0; partial && rank < n; rank++) {
        const XtfCollectiveTimes times = times_of(found, rank);
        xtf_collective_summary_add_partial(&found->summary, &times);
    }
    const XtfMemberTime *last = partial ? &summary->last_sender : &summary->last;
    for (uint32_t rank = 0; rank < n; rank++) {
        const XtfCollectiveTimes times = times_of(found, rank);
        if (partial && rank != last->index && (!times.receives || times.begin >= last->time))
            continue;
        add_member_point(found, rank, XTF_POINT_ALL, (uint32_t)last->index,
                         partial ? summary->first_partial_end.time : summary->first_end.time);
    }
}

/* True if a member receives data and began before the root. */
static bool waits_for_root(const FoundOperation *found, uint32_t rank)
{
    const XtfReplayCollective *collective = found->collective;

    return rank != collective->root && collective->members[rank].receives &&
           collective->members[rank].begin.time < collective->members[collective->root].begin.time;
}

static void find_waits_for_root(FoundOperation *found)
{
    uint32_t root = found->collective->root;
    uint64_t first_end = UINT64_MAX;

    if (!found->collective->members[root].sends)
        return;
    for (uint32_t rank = 0; rank < found->ends->n; rank++)
        if (waits_for_root(found, rank))
            first_end = MIN(first_end, found->ends->ends[rank].time);
    if (first_end == UINT64_MAX)
        return;
    for (uint32_t rank = 0; rank < found->ends->n; rank++)
        if (rank == root || waits_for_root(found, rank))
            add_member_point(found, rank, rank == root ? XTF_POINT_ROOT : XTF_POINT_LEAF, root, first_end);
}

static void find_waits_of_root(FoundOperation *found)
{
    uint32_t root = found->collective->root;
    const XtfReplayMember *member = &found->collective->members[root];
    const XtfMemberTime *last = &found->summary.last_sender;

    if (!member->receives || !last->known || last->time <= member->begin.time)
        return;
    uint32_t latest = (uint32_t)last->index;
    uint64_t first_end = MIN(found->ends->ends[root].time, found->ends->ends[latest].time);
    add_member_point(found, root, XTF_POINT_PAIR, latest, first_end);
    add_member_point(found, latest, XTF_POINT_PAIR, latest, first_end);
}

static void find_waits_in_scan(FoundOperation *found)
{
    XtfMemberTime last = {0};

    for (uint32_t rank = 0; rank < found->ends->n; rank++) {
        const XtfCollectiveTimes times = times_of(found, rank);
        if (times.sends)
            xtf_member_time_latest(&last, rank, times.begin);
        if ((times.sends || times.receives) && last.known && last.time > times.begin)
            add_member_point(found, rank, XTF_POINT_ALONE, (uint32_t)last.index, times.end);
    }
}

/* Stores the members of an operation if any member synchronised. */
static void put_operation(FoundOperation *found)
{
    XtfFind *find = found->find;
    bool any = false;

    for (uint32_t rank = 0; rank < found->ends->n; rank++)
        any |= found->members[rank].synchronises;
    if (!any || find->error)
        return;
    g_mutex_lock(&find->shared->lock);
    xtf_operations_put(&find->raw->operations, found->collective->number, &found->operation, found->members,
                       found->ends->n, &find->error);
    g_mutex_unlock(&find->shared->lock);
}

static void find_operation_waits(XtfFind *find, const XtfReplayCollective *collective, const Ends *ends)
{
    FoundOperation found = {.find = find, .collective = collective, .ends = ends};

    /* Waits in MPI_Init and MPI_Finalize are found by find.c, also for the communicators they make or free. */
    if (collective->shape == XTF_COLLECTIVE_HANDLES &&
        (ends->ends[0].kind == XTF_MPI_CALL_INIT || ends->ends[0].kind == XTF_MPI_CALL_FINALIZE))
        return;
    g_autofree XtfOperationMember *members = found.members = g_new0(XtfOperationMember, ends->n);
    for (uint32_t rank = 0; rank < ends->n; rank++) {
        const XtfCollectiveTimes times = times_of(&found, rank);
        xtf_collective_summary_add(&found.summary, &times);
        members[rank].location = ends->ends[rank].location;
    }
    switch (collective->shape) {
    case XTF_COLLECTIVE_BARRIER:
    case XTF_COLLECTIVE_ALL_TO_ALL:
    case XTF_COLLECTIVE_HANDLES:
        find_waits_for_all(&found);
        break;
    case XTF_COLLECTIVE_FROM_ROOT:
        find_waits_for_root(&found);
        break;
    case XTF_COLLECTIVE_TO_ROOT:
        find_waits_of_root(&found);
        break;
    case XTF_COLLECTIVE_SCAN:
        find_waits_in_scan(&found);
        break;
    case XTF_COLLECTIVE_SOME_TO_SOME:
    case XTF_COLLECTIVE_UNKNOWN:
        break;
    }
    put_operation(&found);
}

/* Begins an operation on a member. Returns what the consumer `beside` returns. */
uint64_t xtf_find_begin(void *data, const XtfReplayEvent *at)
{
    const XtfFind *find = data;
    return find->beside->begin(find->beside->data, at);
}

/* Returns the ends of an operation's members. The first end makes them. */
static Ends *ends_of(const XtfFind *find, XtfReplayCollective *collective)
{
    Ends *ends = (Ends *)(uintptr_t)collective->scratch;

    if (ends)
        return ends;
    ends = g_malloc0(sizeof *ends + collective->n_members * sizeof *ends->ends);
    ends->n = collective->n_members;
    collective->scratch = (uintptr_t)ends;
    g_mutex_lock(&find->shared->lock);
    g_hash_table_add(find->shared->operations, ends);
    g_mutex_unlock(&find->shared->lock);
    return ends;
}

void xtf_find_operation_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    const XtfFind *find = data;

    find->beside->end(find->beside->data, at, collective, rank);
}

void xtf_find_describe_end(void *data, const XtfReplayEvent *at, void *described)
{
    const XtfEnd end = xtf_find_end(data, at);

    memcpy(described, &end, sizeof end);
}

void xtf_find_operation_ended(void *data, XtfReplayCollective *collective, uint32_t rank, const void *described)
{
    XtfFind *find = data;
    Ends *ends = ends_of(find, collective);

    memcpy(&ends->ends[rank], described, sizeof *ends->ends);
    if (collective->n_ended + 1 < collective->n_members)
        return;
    find_operation_waits(find, collective, ends);
    collective->scratch = 0;
    g_mutex_lock(&find->shared->lock);
    g_hash_table_remove(find->shared->operations, ends);
    g_mutex_unlock(&find->shared->lock);
}
