/* Members of collective operations that contradict clocks. */
#include "libxtf/records.h"
#include "src/tables/clocks/clock-counts.h"
#include "src/tables/clocks/clock-rows.h"
#include "src/tables/collectives/collective-members.h"

enum {
    OPERATIONS_MOST = 4096, /* size of a sample; a power of two */
    STRIDE = 2531,          /* odd, so that the first operations of a sample are spread over the whole trace */
};

/* The latest and the second latest begin of the members that send. */
typedef struct {
    XtfMemberTime first, second;
} Latest;

static void latest_add(Latest *latest, uint64_t index, uint64_t begin)
{
    if (!latest->first.known || begin > latest->first.time) {
        latest->second = latest->first;
        latest->first = (XtfMemberTime){true, index, begin};
    } else {
        xtf_member_time_latest(&latest->second, index, begin);
    }
}

/* Returns true if a member exchanges `bytes`; an unknown number counts as some. */
static bool exchanges(const XtfCollectiveOperation *operation, uint64_t bytes)
{
    return bytes > 0 || operation->shape == XTF_COLLECTIVE_BARRIER;
}

/* Fills `all` with the latest begins of an operation's members. Returns false if the begin of a member is unknown. */
static bool find_latest(const XtfCollectiveOperation *operation, Latest *all)
{
    for (uint64_t i = 0; i < operation->id.n; i++) {
        const XtfCollectiveMember *member = &operation->members[i];
        if (!member->found || !member->started)
            return false;
        if (exchanges(operation, member->sent))
            latest_add(all, i, member->begin);
    }
    return true;
}

/* Finds the latest begin of another member from which member i needs data. `all` has the latest begins of all members,
 * `before` of the members of lower rank. Returns false if there is no such member. */
static bool find_cause(const XtfCollectiveOperation *operation, uint64_t i, const Latest *all, const Latest *before,
                       uint64_t *cause)
{
    const XtfMemberTime *root = &operation->summary.root;
    XtfMemberTime needed = {0};

    if (!exchanges(operation, operation->members[i].received))
        return false;
    switch (operation->shape) {
    case XTF_COLLECTIVE_TO_ROOT:
        if (!root->known || root->index != i)
            break;
        /* fall through */
    case XTF_COLLECTIVE_BARRIER:
    case XTF_COLLECTIVE_ALL_TO_ALL:
        needed = all->first.index == i ? all->second : all->first;
        break;
    case XTF_COLLECTIVE_FROM_ROOT:
        if (root->known && root->index != i && exchanges(operation, operation->members[root->index].sent))
            needed = *root;
        break;
    case XTF_COLLECTIVE_SCAN:
        needed = before->first;
        break;
    case XTF_COLLECTIVE_SOME_TO_SOME:
    case XTF_COLLECTIVE_HANDLES:
    case XTF_COLLECTIVE_UNKNOWN:
        break;
    }
    *cause = needed.time;
    return needed.known;
}

static void judge_members(const XtfCollectiveOperation *operation, XtfClockEffects *members)
{
    Latest all = {0}, before = {0};
    uint64_t cause;

    if (!find_latest(operation, &all))
        return;
    for (uint64_t i = 0; i < operation->id.n; i++) {
        const XtfCollectiveMember *member = &operation->members[i];
        if (find_cause(operation, i, &all, &before, &cause))
            xtf_clock_effects_add(members, member->end, cause);
        if (exchanges(operation, member->sent))
            latest_add(&before, i, member->begin);
    }
}

static bool count_operation(XtfCollectives *collectives, const XtfCollectiveId *id, XtfClockEffects *members,
                            GError **error)
{
    XtfCollectiveOperation *operation = xtf_collective_operation_take(collectives, id, error);

    if (!operation)
        return false;
    bool counts = operation->certain && operation->waits;
    bool good = !counts || xtf_collective_operation_load(collectives, operation, 0, error);
    if (counts && good)
        judge_members(operation, members);
    xtf_collective_operation_put(collectives, operation);
    return good;
}

/* Identifies the operation of a row. *found: the row is an END, of an operation with 2 to XTF_MEMBERS_AT_ONCE members.
 * */
static bool is_operation(XtfCollectives *collectives, uint32_t location, uint64_t row, const uint8_t *bytes,
                         XtfCollectiveId *id, bool *found, GError **error)
{
    *found = false;
    if (xtf_collective_event(&collectives->types, bytes) != XTF_COLLECTIVE_END)
        return true;
    if (!xtf_collectives_identify(collectives, location, row, id, found, error))
        return false;
    *found = *found && id->n > 1 && id->n <= XTF_MEMBERS_AT_ONCE;
    return true;
}

typedef struct {
    XtfCollectives *collectives;
    XtfClockEffects *members;
} Search;

/* Counts an operation when the sweep meets the record of its first member, hence once. */
static bool add_leader(void *data, const XtfSpan *span, uint64_t row, const uint8_t *bytes, GError **error)
{
    Search *search = data;
    const XtfRanks *ranks = xtf_trace_context_ranks(search->collectives->context, error);
    XtfCollectiveId id;
    uint64_t first;
    bool found;

    if (!ranks || !is_operation(search->collectives, span->tag, row, bytes, &id, &found, error))
        return false;
    found = found && xtf_ranks_member(ranks, id.comm, 0, id.proc, &first) && first == id.proc;
    return !found || count_operation(search->collectives, &id, search->members, error);
}

/* Counts the operations of a sample of records, until it has counted `most` members. Where a chosen record is not an
 * END, the record after it is tried. */
static bool add_sample(const Search *search, const XtfClockRows *rows, uint64_t most, GError **error)
{
    uint64_t left = most, row;

    for (uint64_t i = 0; i < OPERATIONS_MOST && left > 0; i++) {
        uint64_t at = xtf_clock_rows_chosen(rows, i * STRIDE % OPERATIONS_MOST, OPERATIONS_MOST);
        const XtfSpan *span = xtf_clock_rows_at(rows, at, &row);
        uint8_t bytes[XTF_ROW_MAX];
        XtfCollectiveId id = {0};
        bool found = false;
        for (uint64_t end = MIN(row + 2, span->hi); row < end && !found; row++)
            if (!xtf_array_row(&span->array, row, bytes, error) ||
                !is_operation(search->collectives, span->tag, row, bytes, &id, &found, error))
                return false;
        if (found && !count_operation(search->collectives, &id, search->members, error))
            return false;
        left -= MIN(left, MAX(id.n, 1));
    }
    return true;
}

/* Counts members that leave too early. Each member has two records of an operation. */
bool xtf_clock_count_members(XtfClockCheck *check, XtfClockEffects *members, GError **error)
{
    const Search search = {.collectives = check->collectives, .members = members};
    g_auto(XtfClockRows) rows = {0};

    if (!xtf_clock_rows_init(&rows, check->resolver, check->collectives->types.schema, error))
        return false;
    uint64_t most = MAX(XTF_CLOCK_MEMBERS_MOST / rows.widest, 1);
    members->sampled = rows.n / 2 > most;
    if (members->sampled)
        return add_sample(&search, &rows, most, error);
    return !rows.spans || xtf_records_each(rows.spans, add_leader, (void *)&search, error);
}
