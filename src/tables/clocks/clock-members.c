/* Members of collective operations that contradict clocks. */
#include "libxtf/records.h"
#include "src/tables/clocks/clock-counts.h"
#include "src/tables/clocks/clock-rows.h"
#include "src/tables/collectives/collective-members.h"

enum {
    OPERATIONS_MOST = 4096, /* chosen of many; a power of two */
    STRIDE = 2531,          /* an odd number: so the first ones are spread over all, too */
};

/* The latest beginning of those that send, and the latest but that one. */
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

/* Bytes that are not known may be some. */
static bool exchanges(const XtfCollectiveOperation *operation, uint64_t bytes)
{
    return bytes > 0 || operation->shape == XTF_COLLECTIVE_BARRIER;
}

/* Fills `all` with the beginnings of an operation's members; false if one is not known. */
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

/* The latest beginning of another member that member i needs. `all`: of all members; `before`: of those before it. */
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

static void judge(const XtfCollectiveOperation *operation, XtfClockEffects *members)
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

static bool look_at(XtfCollectives *collectives, const XtfCollectiveId *id, XtfClockEffects *members, GError **error)
{
    XtfCollectiveOperation *operation = xtf_collective_operation_take(collectives, id, error);

    if (!operation)
        return false;
    bool counts = operation->certain && operation->waits;
    bool good = !counts || xtf_collective_operation_load(collectives, operation, 0, error);
    if (counts && good)
        judge(operation, members);
    xtf_collective_operation_put(collectives, operation);
    return good;
}

/* Whether a row is the END of an operation that can be looked at. */
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

/* Looks at an operation once, by the record of its first member. */
static bool add_first(void *data, const XtfSpan *span, uint64_t row, const uint8_t *bytes, GError **error)
{
    Search *search = data;
    const XtfRanks *ranks = xtf_trace_context_ranks(search->collectives->context, error);
    XtfCollectiveId id;
    uint64_t first;
    bool found;

    if (!ranks || !is_operation(search->collectives, span->tag, row, bytes, &id, &found, error))
        return false;
    found = found && xtf_ranks_member(ranks, id.comm, 0, id.proc, &first) && first == id.proc;
    return !found || look_at(search->collectives, &id, search->members, error);
}

/* Looks at operations of chosen records, or the ones behind these, until there were members enough. */
static bool add_some(const Search *search, const XtfClockRows *rows, uint64_t most, GError **error)
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
        if (found && !look_at(search->collectives, &id, search->members, error))
            return false;
        left -= MIN(left, MAX(id.n, 1));
    }
    return true;
}

/* A member has two records of an operation. */
bool xtf_clock_count_members(XtfClockCheck *check, XtfClockEffects *members, GError **error)
{
    const Search search = {.collectives = check->collectives, .members = members};
    g_auto(XtfClockRows) rows = {0};

    if (!xtf_clock_rows_init(&rows, check->resolver, check->collectives->types.schema, error))
        return false;
    uint64_t most = MAX(XTF_CLOCK_MEMBERS_MOST / rows.widest, 1);
    members->sampled = rows.n / 2 > most;
    if (members->sampled)
        return add_some(&search, &rows, most, error);
    return !rows.spans || xtf_records_each(rows.spans, add_first, (void *)&search, error);
}
