#include "src/tables/collectives/collective-members.h"

#include "src/tables/collectives/collective-order.h"

enum {
    KEPT_BYTES = 4 << 20,
    KEPT_OPERATIONS = 64,
    KEPT_COMMS = 4096,
    COMM_BYTES = 128,
    /* Root values that are not ranks: the process itself; an unnamed member of the process's own group in an
     * intercommunicator. */
    ROOT_SELF = UINT32_MAX - 1,
    ROOT_THIS_GROUP = UINT32_MAX - 2,
};

/* ---- Communicators: whether the members' numbers of operations agree. */

typedef struct {
    XtfKept kept;
    uint64_t event, comm;
    bool made, agree;
} Comm;

static gboolean comm_equal(const void *item, const void *wanted)
{
    const Comm *a = item, *b = wanted;
    return a->event == b->event && a->comm == b->comm;
}

static guint comm_hash(const void *item)
{
    const Comm *comm = item;
    return (guint)(comm->comm * 4 + comm->event);
}

void xtf_collective_comms_init(XtfKeeper *comms)
{
    static const XtfKeeperMethods methods = {.equal = comm_equal, .hash = comm_hash, .free = g_free};
    xtf_keeper_init(comms, &methods, (size_t)KEPT_COMMS * COMM_BYTES, KEPT_COMMS);
}

static void init_filter(const XtfCollectives *collectives, const XtfCollectiveId *id, XtfCollectiveFilter *wanted)
{
    xtf_collective_filter_init(wanted, &collectives->types, XTF_COLLECTIVE_END, &id->comm);
    wanted->event = id->event;
}

static bool compare_counts(XtfCollectives *collectives, const XtfCollectiveId *id, bool *agree, GError **error)
{
    const XtfRanks *ranks = xtf_trace_context_ranks(collectives->context, error);
    XtfCollectiveFilter wanted;
    uint64_t count, all = 0, proc;

    if (!ranks)
        return false;
    init_filter(collectives, id, &wanted);
    *agree = true;
    for (uint64_t i = 0; i < id->n && *agree; i++) {
        if (!xtf_ranks_member(ranks, id->comm, i, id->proc, &proc)) {
            *agree = false;
            break;
        }
        XtfCollectiveProcess *process = xtf_collective_process_take(&collectives->processes, &collectives->types,
                                                                    collectives->context, proc, error);
        bool good = process && xtf_collective_count(process, &wanted, &count, error);
        xtf_collective_process_put(&collectives->processes, process);
        if (!good)
            return false;
        *agree = i == 0 || count == all;
        all = count;
    }
    return true;
}

/* True if all members have the same number of operations, so that none seems lost. A single member always agrees. */
static bool counts_agree(XtfCollectives *collectives, const XtfCollectiveId *id, bool *agree, GError **error)
{
    *agree = true;
    if (id->n == 1)
        return true;
    Comm *wanted = g_new0(Comm, 1);
    wanted->event = id->event;
    wanted->comm = id->comm;
    Comm *comm = xtf_keeper_take(&collectives->comms, wanted);
    if (!comm->made)
        comm->made = compare_counts(collectives, id, &comm->agree, error);
    bool made = comm->made;
    *agree = comm->agree;
    xtf_keeper_put(&collectives->comms, comm, COMM_BYTES, made);
    return made;
}

/* ---- Cache of operations. */

static gboolean operation_equal(const void *item, const void *wanted)
{
    const XtfCollectiveOperation *a = item, *b = wanted;
    return a->id.location == b->id.location && a->id.row == b->id.row;
}

static void operation_reuse(void *item, const void *wanted)
{
}

static void operation_free(void *data)
{
    XtfCollectiveOperation *operation = data;

    if (operation->senders)
        g_array_unref(operation->senders);
    g_free(operation->members);
    g_free(operation);
}

void xtf_collective_operations_init(XtfKeeper *operations)
{
    static const XtfKeeperMethods methods = {
        .equal = operation_equal, .reuse = operation_reuse, .free = operation_free};
    xtf_keeper_init(operations, &methods, KEPT_BYTES, KEPT_OPERATIONS);
}

void xtf_collective_operation_put(XtfCollectives *collectives, XtfCollectiveOperation *operation)
{
    size_t bytes = sizeof *operation;

    if (operation->senders)
        bytes += operation->senders->len * sizeof(XtfMemberTime);
    if (operation->members)
        bytes += sizeof *operation->members * MIN(operation->id.n, (uint64_t)XTF_MEMBERS_AT_ONCE);
    xtf_keeper_put(&collectives->operations, operation, bytes, operation->made);
}

/* ---- Members. */

static uint64_t field_value(const XtfField *field, const uint8_t *row)
{
    return xtf_field_is_none(field, row) ? UINT64_MAX : xtf_field_get(field, row);
}

/* Returns the process of the root that a member's record names. */
static uint64_t root_of(const XtfRanks *ranks, uint64_t comm, const XtfField *field, const uint8_t *row, uint64_t proc)
{
    uint64_t rank = field_value(field, row), root;

    if (rank == UINT64_MAX)
        return XTF_NO_ROOT;
    if (rank == ROOT_SELF)
        return proc;
    if (rank == ROOT_THIS_GROUP || !xtf_ranks_proc(ranks, comm, rank, proc, &root))
        return XTF_UNKNOWN_ROOT;
    return root;
}

static void fill_member(const XtfCollectives *collectives, const XtfRanks *ranks, uint64_t comm,
                        const XtfCollectiveProcess *process, const XtfCollectivePart *part, XtfCollectiveMember *member)
{
    const XtfCollectiveTypes *types = &collectives->types;

    member->found = true;
    member->started = part->started;
    member->location = process->locations[part->at].location;
    member->row = part->n;
    member->begin = part->begin;
    member->end = part->end;
    member->sent = field_value(types->bytes, part->row);
    member->received = field_value(types->received, part->row);
    member->sure = part->sure;
    member->n_to_n = types->n_to_n && xtf_field_get(types->n_to_n, part->row) == 1;
    member->operation = field_value(types->operation, part->row);
    member->root = root_of(ranks, comm, types->root, part->row, member->proc);
}

static bool find_member(XtfCollectives *collectives, const XtfCollectiveOperation *operation, uint64_t i,
                        XtfCollectiveMember *member, GError **error)
{
    const XtfRanks *ranks = xtf_trace_context_ranks(collectives->context, error);
    XtfCollectiveFilter wanted;
    XtfCollectivePart part;
    bool found;

    *member = (XtfCollectiveMember){.proc = XTF_NO_PROC};
    if (!ranks)
        return false;
    if (!xtf_ranks_member(ranks, operation->id.comm, i, operation->id.proc, &member->proc)) {
        member->proc = XTF_NO_PROC;
        return true;
    }
    init_filter(collectives, &operation->id, &wanted);
    XtfCollectiveProcess *process = xtf_collective_process_take(&collectives->processes, &collectives->types,
                                                                collectives->context, member->proc, error);
    bool good = process && xtf_collective_find(process, &wanted, operation->k, &part, &found, error);
    if (good && found)
        fill_member(collectives, ranks, operation->id.comm, process, &part, member);
    xtf_collective_process_put(&collectives->processes, process);
    return good;
}

bool xtf_collective_operation_load(XtfCollectives *collectives, XtfCollectiveOperation *operation, uint64_t block,
                                   GError **error)
{
    uint64_t from = block * XTF_MEMBERS_AT_ONCE, n = MIN(operation->id.n - from, (uint64_t)XTF_MEMBERS_AT_ONCE);

    if (operation->members && operation->block == block)
        return true;
    if (!operation->members)
        operation->members = g_new(XtfCollectiveMember, MIN(operation->id.n, (uint64_t)XTF_MEMBERS_AT_ONCE));
    operation->block = UINT64_MAX;
    for (uint64_t i = 0; i < n; i++)
        if (!find_member(collectives, operation, from + i, &operation->members[i], error))
            return false;
    operation->block = block;
    return true;
}

bool xtf_collective_member_times(const XtfCollectiveMember *member, uint64_t i, XtfCollectiveTimes *times)
{
    *times = (XtfCollectiveTimes){
        .index = i,
        .is_root = member->root == member->proc,
        .sends = member->sent && member->sent != UINT64_MAX,
        .receives = member->received && member->received != UINT64_MAX,
        .begin = member->begin,
        .end = member->end,
    };
    return member->found && member->started;
}

/* ---- Agreement of all members. */

typedef struct {
    uint64_t operation, root; /* in the records of the members read so far; `root` may be XTF_UNKNOWN_ROOT */
    bool any, agree, complete, sure, self, n_to_n;
} Agreement;

static void agree_with(Agreement *agreement, const XtfCollectiveOperation *operation, const XtfCollectiveMember *member)
{
    if (!member->found) {
        agreement->complete = false;
        return;
    }
    if (!agreement->any) {
        agreement->operation = member->operation;
        agreement->root = member->root;
    }
    if (agreement->root == XTF_UNKNOWN_ROOT)
        agreement->root = member->root;
    agreement->agree &= agreement->operation == member->operation &&
                        (member->root == XTF_UNKNOWN_ROOT || agreement->root == member->root);
    agreement->any = true;
    agreement->sure &= member->sure;
    agreement->n_to_n &= member->n_to_n;
    agreement->self |= member->location == operation->id.location && member->row == operation->id.row;
}

/* Reads all members, block by block. With `agreement`, fills it, `senders` and the first pass of the summary. With
 * NULL, makes the second pass of the summary. */
static bool read_members(XtfCollectives *collectives, XtfCollectiveOperation *operation, Agreement *agreement,
                         GError **error)
{
    XtfMemberTime sender = {0};
    XtfCollectiveTimes times;

    for (uint64_t first = 0; first < operation->id.n; first += XTF_MEMBERS_AT_ONCE) {
        if (!xtf_collective_operation_load(collectives, operation, first / XTF_MEMBERS_AT_ONCE, error))
            return false;
        if (agreement)
            g_array_append_val(operation->senders, sender);
        for (uint64_t i = first; i < MIN(operation->id.n, first + XTF_MEMBERS_AT_ONCE); i++) {
            const XtfCollectiveMember *member = &operation->members[i - first];
            bool timed = xtf_collective_member_times(member, i, &times);
            if (agreement)
                agree_with(agreement, operation, member);
            if (!timed)
                continue;
            if (!agreement) {
                xtf_collective_summary_add_partial(&operation->summary, &times);
                continue;
            }
            xtf_collective_summary_add(&operation->summary, &times);
            if (times.sends)
                xtf_member_time_latest(&sender, i, times.begin);
        }
    }
    return true;
}

static bool is_blocking(const XtfCollectives *collectives, const XtfCollectiveId *id)
{
    XtfCollectiveFilter blocking;

    xtf_collective_filter_init(&blocking, &collectives->types, XTF_COLLECTIVE_END, NULL);
    return id->event == blocking.event;
}

/* Finds the number of the operation among its communicator's operations. */
static bool find_number(XtfCollectives *collectives, XtfCollectiveOperation *operation, GError **error)
{
    XtfCollectiveFilter wanted;
    uint32_t at = 0;

    init_filter(collectives, &operation->id, &wanted);
    XtfCollectiveProcess *process = xtf_collective_process_take(&collectives->processes, &collectives->types,
                                                                collectives->context, operation->id.proc, error);
    if (!process)
        return false;
    while (at + 1 < process->n && process->locations[at].location != operation->id.location)
        at++;
    bool good = xtf_collective_number(process, &wanted, at, operation->id.row, &operation->k, error);
    xtf_collective_process_put(&collectives->processes, process);
    return good;
}

static bool summarize_operation(XtfCollectives *collectives, XtfCollectiveOperation *operation, GError **error)
{
    Agreement agreement = {.root = XTF_UNKNOWN_ROOT, .agree = true, .complete = true, .sure = true, .n_to_n = true};
    bool counts;

    operation->senders = g_array_new(FALSE, FALSE, sizeof(XtfMemberTime));
    if (!find_number(collectives, operation, error) || !counts_agree(collectives, &operation->id, &counts, error) ||
        !read_members(collectives, operation, &agreement, error))
        return false;
    operation->certain = counts && agreement.agree && agreement.complete && agreement.sure && agreement.self;
    operation->waits = agreement.agree && is_blocking(collectives, &operation->id);
    operation->shape = xtf_collective_shape_of(&collectives->types, agreement.operation);
    if (operation->shape == XTF_COLLECTIVE_SOME_TO_SOME && agreement.complete && agreement.n_to_n)
        operation->shape = XTF_COLLECTIVE_ALL_TO_ALL;
    return !operation->waits || !xtf_collective_is_partial(&operation->summary, operation->shape) ||
           read_members(collectives, operation, NULL, error);
}

XtfCollectiveOperation *xtf_collective_operation_take(XtfCollectives *collectives, const XtfCollectiveId *id,
                                                      GError **error)
{
    XtfCollectiveOperation *wanted = g_new0(XtfCollectiveOperation, 1);

    wanted->id = *id;
    XtfCollectiveOperation *operation = xtf_keeper_take(&collectives->operations, wanted);
    if (operation->made)
        return operation;
    operation->made = summarize_operation(collectives, operation, error);
    if (operation->made)
        return operation;
    xtf_collective_operation_put(collectives, operation);
    return NULL;
}
