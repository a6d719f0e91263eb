/*
 * Waits in operations of many. An operation is judged once all members have ended.
 */
#include "src/analysis/formulas/collective-waits.h"
#include "src/analysis/waits/find-private.h"

/* The ends of an operation's members, by rank. */
typedef struct {
    uint32_t n;
    XtfEnd ends[];
} Ends;

typedef struct {
    XtfFind *find;
    const XtfReplayCollective *collective;
    const Ends *ends;
    XtfCollectiveSummary summary;
    XtfOperationMember *members; /* by rank */
    XtfOperation operation;
} Judged;

static XtfCollectiveTimes times_of(const Judged *judged, uint32_t rank)
{
    const XtfReplayMember *member = &judged->collective->members[rank];

    return (XtfCollectiveTimes){
        .index = rank,
        .is_root = rank == judged->collective->root,
        .sends = member->sends,
        .receives = member->receives,
        .begin = member->begin.time,
        .end = judged->ends->ends[rank].time,
    };
}

static uint8_t kind_of(const Judged *judged)
{
    const XtfReplayCollective *collective = judged->collective;
    bool destroys =
        collective->shape == XTF_COLLECTIVE_HANDLES && xtf_find_destroys(judged->find, collective->operation);

    return xtf_collective_wait_kind(collective->shape, destroys);
}

void xtf_find_wait(XtfPoint *point, uint64_t begin, uint64_t end, uint64_t last, uint64_t first_end)
{
    uint64_t until = MIN(last, end), through = MAX(first_end, until);

    point->wait = until > begin ? until - begin : 0;
    point->end = MAX(until, begin);
    point->completion = end > through ? (int64_t)(end - through) : 0;
}

static void add(Judged *judged, uint32_t rank, XtfPointSide side, uint32_t latest, uint64_t first_end)
{
    XtfFind *find = judged->find;
    const XtfReplayMember *members = judged->collective->members;
    const XtfEnd *end = &judged->ends->ends[rank], *other = &judged->ends->ends[latest];
    XtfPoint point = xtf_find_point(end, kind_of(judged), side);
    uint64_t last = members[latest].begin.time;

    xtf_find_wait(&point, members[rank].begin.time, end->time, last, first_end);
    point.instance = judged->collective->number;
    point.comm = judged->collective->comm;
    point.bytes = members[rank].begin.bytes;
    if (rank != latest) {
        point.partner = other->location;
        point.partner_seq = other->seq;
        point.match = other->row;
    }
    judged->members[rank].synchronises |= side != XTF_POINT_ALONE;
    judged->operation.late = other->location;
    judged->operation.late_seq = other->seq;
    find->found->judged++;
    find->found->violations += last > end->time;
    xtf_find_add(find, end->location, &point);
}

/* Whether anything is exchanged at all; nobody waits for nothing. */
static bool exchanges(const Judged *judged)
{
    if (judged->collective->shape != XTF_COLLECTIVE_ALL_TO_ALL)
        return true;
    for (uint32_t rank = 0; rank < judged->ends->n; rank++) {
        if (judged->collective->members[rank].sends || judged->collective->members[rank].receives)
            return true;
    }
    return false;
}

/* All need all, also where a member has nothing to send and to receive: it is in the operation while all others are. */
static void judge_all(Judged *judged)
{
    const XtfCollectiveSummary *summary = &judged->summary;
    bool partial = xtf_collective_is_partial(summary, judged->collective->shape);
    uint32_t n = judged->ends->n;

    if (!exchanges(judged) || (partial && !summary->last_sender.known))
        return;
    for (uint32_t rank = 0; partial && rank < n; rank++) {
        const XtfCollectiveTimes times = times_of(judged, rank);
        xtf_collective_summary_add_partial(&judged->summary, &times);
    }
    const XtfMemberTime *last = partial ? &summary->last_sender : &summary->last;
    for (uint32_t rank = 0; rank < n; rank++) {
        const XtfCollectiveTimes times = times_of(judged, rank);
        if (partial && rank != last->index && (!times.receives || times.begin >= last->time))
            continue;
        add(judged, rank, XTF_POINT_ALL, (uint32_t)last->index,
            partial ? summary->first_partial_end.time : summary->first_end.time);
    }
}

/* Who receives, and began before the root. */
static bool waits_for_root(const Judged *judged, uint32_t rank)
{
    const XtfReplayCollective *collective = judged->collective;

    return rank != collective->root && collective->members[rank].receives &&
           collective->members[rank].begin.time < collective->members[collective->root].begin.time;
}

static void judge_from_root(Judged *judged)
{
    uint32_t root = judged->collective->root;
    uint64_t first_end = UINT64_MAX;

    if (!judged->collective->members[root].sends)
        return;
    for (uint32_t rank = 0; rank < judged->ends->n; rank++)
        if (waits_for_root(judged, rank))
            first_end = MIN(first_end, judged->ends->ends[rank].time);
    if (first_end == UINT64_MAX)
        return;
    for (uint32_t rank = 0; rank < judged->ends->n; rank++)
        if (rank == root || waits_for_root(judged, rank))
            add(judged, rank, rank == root ? XTF_POINT_ROOT : XTF_POINT_LEAF, root, first_end);
}

static void judge_to_root(Judged *judged)
{
    uint32_t root = judged->collective->root;
    const XtfReplayMember *member = &judged->collective->members[root];
    const XtfMemberTime *last = &judged->summary.last_sender;

    if (!member->receives || !last->known || last->time <= member->begin.time)
        return;
    uint32_t latest = (uint32_t)last->index;
    uint64_t first_end = MIN(judged->ends->ends[root].time, judged->ends->ends[latest].time);
    add(judged, root, XTF_POINT_PAIR, latest, first_end);
    add(judged, latest, XTF_POINT_PAIR, latest, first_end);
}

static void judge_scan(Judged *judged)
{
    XtfMemberTime last = {0};

    for (uint32_t rank = 0; rank < judged->ends->n; rank++) {
        const XtfCollectiveTimes times = times_of(judged, rank);
        if (times.sends)
            xtf_member_time_latest(&last, rank, times.begin);
        if ((times.sends || times.receives) && last.known && last.time > times.begin)
            add(judged, rank, XTF_POINT_ALONE, (uint32_t)last.index, times.end);
    }
}

/* Keeps who took part, if anybody synchronised. */
static void put_operation(Judged *judged)
{
    XtfFind *find = judged->find;
    bool any = false;

    for (uint32_t rank = 0; rank < judged->ends->n; rank++)
        any |= judged->members[rank].synchronises;
    if (any && !find->error)
        xtf_operations_put(&find->raw->operations, judged->collective->number, &judged->operation, judged->members,
                           judged->ends->n, &find->error);
}

static void judge(XtfFind *find, const XtfReplayCollective *collective, const Ends *ends)
{
    Judged judged = {.find = find, .collective = collective, .ends = ends};

    /* What MPI_Init makes and MPI_Finalize frees is waited for as these are. */
    if (collective->shape == XTF_COLLECTIVE_HANDLES &&
        (ends->ends[0].kind == XTF_MPI_CALL_INIT || ends->ends[0].kind == XTF_MPI_CALL_FINALIZE))
        return;
    g_autofree XtfOperationMember *members = judged.members = g_new0(XtfOperationMember, ends->n);
    for (uint32_t rank = 0; rank < ends->n; rank++) {
        const XtfCollectiveTimes times = times_of(&judged, rank);
        xtf_collective_summary_add(&judged.summary, &times);
        members[rank].location = ends->ends[rank].location;
    }
    switch (collective->shape) {
    case XTF_COLLECTIVE_BARRIER:
    case XTF_COLLECTIVE_ALL_TO_ALL:
    case XTF_COLLECTIVE_HANDLES:
        judge_all(&judged);
        break;
    case XTF_COLLECTIVE_FROM_ROOT:
        judge_from_root(&judged);
        break;
    case XTF_COLLECTIVE_TO_ROOT:
        judge_to_root(&judged);
        break;
    case XTF_COLLECTIVE_SCAN:
        judge_scan(&judged);
        break;
    case XTF_COLLECTIVE_SOME_TO_SOME:
    case XTF_COLLECTIVE_UNKNOWN:
        break;
    }
    put_operation(&judged);
}

/* The values of beginnings are those of the consumer beside. */
uint64_t xtf_find_begin(void *data, const XtfReplayEvent *at)
{
    const XtfFind *find = data;
    return find->beside->begin(find->beside->data, at);
}

void xtf_find_operation_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    XtfFind *find = data;

    Ends *ends = (Ends *)(uintptr_t)collective->scratch;
    find->beside->end(find->beside->data, at, collective, rank);
    if (!ends) {
        ends = g_malloc0(sizeof *ends + collective->n_members * sizeof *ends->ends);
        ends->n = collective->n_members;
        collective->scratch = (uintptr_t)ends;
        g_hash_table_add(find->operations, ends);
    }
    ends->ends[rank] = xtf_find_end(find, at);
    if (collective->n_ended + 1 < collective->n_members)
        return;
    judge(find, collective, ends);
    collective->scratch = 0;
    g_hash_table_remove(find->operations, ends);
}

void xtf_find_operations_init(XtfFind *find)
{
    find->operations = g_hash_table_new_full(NULL, NULL, g_free, NULL);
}

void xtf_find_operations_finish(XtfFind *find)
{
    g_clear_pointer(&find->operations, g_hash_table_unref);
}
