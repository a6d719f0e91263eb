#include "src/analysis/replay/replay-private.h"

enum {
    OPEN_MEMBERS = 1 << 18, /* most members of open operations, of some 100 bytes each */
};

bool xtf_replay_needs(const XtfReplayCollective *collective, uint32_t end, uint32_t begin)
{
    const XtfReplayMember *from = &collective->members[begin], *to = &collective->members[end];

    if (end == begin || !from->begun || !from->sends || !to->receives)
        return false;
    switch (collective->pattern) {
    case XTF_REPLAY_ALL_TO_ALL:
        return true;
    case XTF_REPLAY_ONE_TO_ALL:
        return begin == collective->root;
    case XTF_REPLAY_ALL_TO_ONE:
        return end == collective->root;
    case XTF_REPLAY_SCAN:
        return begin < end;
    case XTF_REPLAY_NOBODY:
        break;
    }
    return false;
}

bool xtf_replay_latest(const XtfReplayCollective *collective, uint32_t end, uint64_t *value)
{
    uint32_t from = 0, to = collective->n_members;
    bool any = false;

    *value = 0;
    if (collective->pattern == XTF_REPLAY_NOBODY)
        return false;
    if (collective->pattern == XTF_REPLAY_ALL_TO_ALL) {
        uint32_t latest = collective->latest[collective->latest[0] == end];
        if (latest == UINT32_MAX || !collective->members[end].receives)
            return false;
        *value = collective->members[latest].value;
        return true;
    }
    if (collective->pattern == XTF_REPLAY_ALL_TO_ONE && end != collective->root)
        return false;
    if (collective->pattern == XTF_REPLAY_ONE_TO_ALL) {
        from = collective->root;
        to = from + 1;
    } else if (collective->pattern == XTF_REPLAY_SCAN) {
        to = end;
    }
    for (uint32_t rank = from; rank < to; rank++)
        if (xtf_replay_needs(collective, end, rank)) {
            *value = MAX(*value, collective->members[rank].value);
            any = true;
        }
    return any;
}

static void note_latest(XtfReplayCollective *collective, uint32_t rank)
{
    const XtfReplayMember *members = collective->members;
    uint32_t *latest = collective->latest;

    if (!members[rank].sends)
        return;
    if (latest[0] == UINT32_MAX || members[rank].value > members[latest[0]].value) {
        latest[1] = latest[0];
        latest[0] = rank;
    } else if (latest[1] == UINT32_MAX || members[rank].value > members[latest[1]].value) {
        latest[1] = rank;
    }
}

void xtf_operation_free(gpointer data)
{
    XtfOperation *operation = data;
    g_free(operation->public.members);
    g_free(operation);
}

/* Returns the shape of an operation in which all members have rows like this one. */
static XtfCollectiveShape shape_of(const XtfReplay *replay, const XtfReplayRow *row)
{
    XtfCollectiveShape shape = xtf_replay_fields_shape(&replay->fields, row->tag);

    return shape == XTF_COLLECTIVE_SOME_TO_SOME && row->pattern == XTF_REPLAY_ALL_TO_ALL ? XTF_COLLECTIVE_ALL_TO_ALL
                                                                                         : shape;
}

/* Returns the k-th operation of a communicator; the first member to begin creates it. Stores its key in `*key`. */
static XtfOperation *operation_of(XtfReplay *replay, const XtfReplayRow *row, uint32_t k, uint64_t *key)
{
    *key = (uint64_t)row->comm << 32 | k;
    XtfOperation *operation = g_hash_table_lookup(replay->operations, key);
    if (operation)
        return operation;
    uint32_t n = replay->comms[row->comm].n;
    replay->n_open += n;
    operation = g_new0(XtfOperation, 1);
    operation->operation = row->tag;
    operation->public = (XtfReplayCollective){
        .comm = row->comm,
        .pattern = (XtfReplayPattern)row->pattern,
        .shape = shape_of(replay, row),
        .operation = row->tag,
        .number = replay->n_operations++,
        .root = row->peer,
        .n_members = n,
        .members = g_new0(XtfReplayMember, n),
        .latest = {UINT32_MAX, UINT32_MAX},
    };
    bool rooted = row->pattern == XTF_REPLAY_ONE_TO_ALL || row->pattern == XTF_REPLAY_ALL_TO_ONE;
    operation->uncertain = k < replay->comms[row->comm].first_whole || row->pattern == XTF_ROW_NO_PATTERN ||
                           (row->pattern == XTF_REPLAY_NOBODY && !replay->options.calls) || (rooted && row->peer >= n);
    g_hash_table_insert(replay->operations, g_memdup2(key, sizeof *key), operation);
    return operation;
}

static bool agrees(const XtfOperation *operation, const XtfReplayRow *row)
{
    return operation->operation == row->tag && operation->public.root == row->peer &&
           operation->public.pattern == (XtfReplayPattern)row->pattern;
}

/* True if all members that the end of a rank needs have begun. */
static bool may_end(const XtfOperation *operation, uint32_t rank)
{
    const XtfReplayCollective *public = &operation->public;

    if (operation->uncertain || !public->members[rank].receives)
        return true;
    switch (public->pattern) {
    case XTF_REPLAY_ONE_TO_ALL:
        return public->members[public->root].begun;
    case XTF_REPLAY_ALL_TO_ONE:
        return rank != public->root || operation->begun == public->n_members;
    case XTF_REPLAY_SCAN:
        return operation->prefix >= rank;
    case XTF_REPLAY_NOBODY:
        return true;
    case XTF_REPLAY_ALL_TO_ALL:
        break;
    }
    return operation->begun == public->n_members;
}

/* Wakes the members of ranks [from, end) that wait in the operation and now may end. */
static void wake_members(XtfReplay *replay, const XtfOperation *operation, uint32_t from, uint32_t end)
{
    const XtfComm *comm = &replay->comms[operation->public.comm];

    for (uint32_t rank = from; rank < MIN(end, comm->n); rank++) {
        XtfProcess *process = &replay->processes[comm->members[rank]];
        if (process->waits_in == operation && may_end(operation, rank))
            xtf_replay_wake(replay, process);
    }
}

void xtf_replay_give_up(XtfReplay *replay, XtfOperation *operation)
{
    operation->uncertain = true;
    wake_members(replay, operation, 0, UINT32_MAX);
}

/* Returns the group that counts the process's operations on the row's communicator. NULL if the operations are
 * uncertain, or the process is no member. */
static XtfGroup *counts_of(XtfReplay *replay, const XtfReplayRow *row)
{
    if (row->group == UINT32_MAX || !replay->comms[row->comm].members)
        return NULL;
    XtfGroup *counts = &replay->groups.all[row->group];
    return counts->receiver_or_rank < replay->comms[row->comm].n ? counts : NULL;
}

bool xtf_replay_is_ahead(XtfReplay *replay, const XtfReplayRow *row)
{
    const XtfGroup *counts = replay->n_open > OPEN_MEMBERS ? counts_of(replay, row) : NULL;

    if (!counts)
        return false;
    uint64_t key = (uint64_t)row->comm << 32 | counts->sent;
    return !g_hash_table_contains(replay->operations, &key);
}

void xtf_replay_begin(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row)
{
    XtfGroup *counts = counts_of(replay, row);
    uint64_t key;

    if (!counts)
        return;
    XtfOperation *operation = operation_of(replay, row, counts->sent++, &key);
    uint32_t rank = counts->receiver_or_rank, prefix = operation->prefix;
    XtfReplayMember *member = &operation->public.members[rank];
    XtfReplayEvent at = xtf_replay_event(replay, process, row);

    *member = (XtfReplayMember){.begin = {.time = at.time, .bytes = at.bytes, .process = at.process},
                                .begun = true,
                                .sends = row->sends,
                                .receives = row->receives};
    member->value = replay->consumer->begin(replay->consumer->data, &at);
    note_latest(&operation->public, rank);
    operation->begun++;
    while (operation->prefix < operation->public.n_members && operation->public.members[operation->prefix].begun)
        operation->prefix++;
    if (!agrees(operation, row))
        xtf_replay_give_up(replay, operation);
    else if (operation->public.pattern == XTF_REPLAY_SCAN && operation->prefix > prefix)
        wake_members(replay, operation, prefix, operation->prefix + 1);
    else if (operation->begun == operation->public.n_members || rank == operation->public.root)
        wake_members(replay, operation, 0, UINT32_MAX);
}

bool xtf_replay_end(XtfReplay *replay, XtfProcess *process, const XtfReplayRow *row)
{
    XtfGroup *counts = counts_of(replay, row);
    uint64_t key;

    if (!counts) {
        bool is_private = row->group != UINT32_MAX && replay->comms[row->comm].private;
        replay->counts.collectives += is_private;
        replay->counts.uncertain_collectives += !is_private;
        return true;
    }
    XtfOperation *operation = operation_of(replay, row, counts->received, &key);
    uint32_t rank = counts->receiver_or_rank;
    if (!may_end(operation, rank)) {
        process->waits_in = operation;
        return false;
    }
    counts->received++;
    if (!operation->uncertain) {
        XtfReplayEvent at = xtf_replay_event(replay, process, row);
        replay->consumer->end(replay->consumer->data, &at, &operation->public, rank);
    } else {
        replay->counts.uncertain_collectives++;
    }
    if (++operation->public.n_ended == operation->public.n_members) {
        replay->counts.collectives += !operation->uncertain;
        replay->n_open -= operation->public.n_members;
        g_hash_table_remove(replay->operations, &key);
    }
    return true;
}
