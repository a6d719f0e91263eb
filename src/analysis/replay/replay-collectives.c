#include <string.h>

#include "src/analysis/replay/replay-private.h"

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
        if (!collective->members[end].receives) /* others may not have begun */
            return false;
        uint32_t latest = collective->latest[collective->latest[0] == end];
        if (latest == UINT32_MAX)
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
    if (operation->waiting)
        g_array_unref(operation->waiting);
    g_free(operation);
}

/* Returns the shape of an operation in which all members have rows like this one. */
static XtfCollectiveShape shape_of(const XtfReplay *replay, const XtfReplayRow *row)
{
    XtfCollectiveShape shape = xtf_replay_fields_shape(&replay->fields, row->tag);

    return shape == XTF_COLLECTIVE_SOME_TO_SOME && row->pattern == XTF_REPLAY_ALL_TO_ALL ? XTF_COLLECTIVE_ALL_TO_ALL
                                                                                         : shape;
}

static XtfOpenOperations *table_of(XtfReplay *replay, uint64_t key)
{
    return &replay->open[(key ^ key >> 32) % XTF_OPEN_TABLES];
}

static bool is_disputed(const XtfComm *comm, uint32_t k)
{
    return G_UNLIKELY(comm->disputes) && xtf_runs_have(comm->disputes, k);
}

/* True if the share gets the ends of an operation. */
static bool is_home(const XtfReplay *replay, uint32_t comm, uint32_t k)
{
    const XtfComm *members = &replay->comms[comm];

    return !replay->options.world || members->shares[k % members->n_shares] == xtf_world_rank(replay->options.world);
}

/* Returns a number that no other operation has. */
static uint64_t number_operation(XtfReplay *replay, const XtfReplayRow *row, uint32_t k)
{
    const XtfWorld *world = replay->options.world;

    if (!is_home(replay, row->comm, k))
        return 0;
    uint64_t number = __atomic_fetch_add(&replay->n_operations, 1, __ATOMIC_RELAXED);
    return world ? number * xtf_world_size(world) + xtf_world_rank(world) : number;
}

/* Returns the k-th operation of a communicator; the first member to begin creates it. The caller holds the lock of its
 * table. */
static XtfOperation *operation_of(XtfReplay *replay, XtfOpenOperations *open, const XtfReplayRow *row, uint32_t k)
{
    uint64_t key = xtf_replay_operation_key(row, k);
    XtfOperation *operation = g_hash_table_lookup(open->operations, &key);
    if (operation)
        return operation;
    uint32_t n = replay->comms[row->comm].n;
    __atomic_fetch_add(&replay->n_open, n, __ATOMIC_RELAXED);
    operation = g_new0(XtfOperation, 1);
    operation->operation = row->tag;
    operation->key = key;
    operation->own_left = replay->options.world ? replay->comms[row->comm].n_own : n;
    operation->public = (XtfReplayCollective){
        .comm = row->comm,
        .pattern = (XtfReplayPattern)row->pattern,
        .shape = shape_of(replay, row),
        .operation = row->tag,
        .number = number_operation(replay, row, k),
        .root = row->peer,
        .n_members = n,
        .members = g_new0(XtfReplayMember, n),
        .latest = {UINT32_MAX, UINT32_MAX},
    };
    bool rooted = row->pattern == XTF_REPLAY_ONE_TO_ALL || row->pattern == XTF_REPLAY_ALL_TO_ONE;
    operation->uncertain = k < replay->comms[row->comm].first_whole || row->pattern == XTF_ROW_NO_PATTERN ||
                           (row->pattern == XTF_REPLAY_NOBODY && !replay->options.calls) ||
                           (rooted && row->peer >= n) || is_disputed(&replay->comms[row->comm], k);
    g_hash_table_insert(open->operations, g_memdup2(&key, sizeof key), operation);
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

/* Wakes the members that wait in the operation and now may end. */
static void wake_members(XtfReplayShare *share, const XtfOperation *operation)
{
    XtfReplay *replay = share->replay;
    const XtfComm *comm = &replay->comms[operation->public.comm];

    for (guint i = operation->waiting ? operation->waiting->len : 0; i-- > 0;) {
        uint32_t rank = g_array_index(operation->waiting, uint32_t, i);
        if (!may_end(operation, rank))
            continue;
        g_array_remove_index_fast(operation->waiting, i);
        xtf_replay_wake_any(share, &replay->processes[comm->members[rank]]);
    }
}

static void wait_in(XtfOperation *operation, XtfProcess *process, uint32_t rank)
{
    if (!operation->waiting)
        operation->waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(operation->waiting, rank);
    process->waits_in = operation;
}

void xtf_replay_give_up(XtfReplayShare *share, XtfOperation *operation)
{
    operation->uncertain = true;
    wake_members(share, operation);
}

XtfOperationHead xtf_operation_head(const XtfOperation *operation)
{
    return (XtfOperationHead){.comm = operation->public.comm,
                              .k = (uint32_t)operation->key,
                              .operation = operation->operation,
                              .root = operation->public.root,
                              .pattern = (uint8_t)operation->public.pattern};
}

/* Returns the fields of a member's row that all members share. */
static XtfReplayRow row_of_operation(const XtfOperationHead *head)
{
    return (XtfReplayRow){.comm = head->comm, .tag = head->operation, .peer = head->root, .pattern = head->pattern};
}

void xtf_replay_give_up_operation(XtfReplayShare *share, const XtfOperationHead *head)
{
    const XtfReplayRow row = row_of_operation(head);

    if (share->replay->comms[head->comm].n_own > 0)
        xtf_replay_give_up(share,
                           operation_of(share->replay, table_of(share->replay, xtf_replay_operation_key(&row, head->k)),
                                        &row, head->k));
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
    const XtfGroup *counts = xtf_replay_too_many_open(replay) ? counts_of(replay, row) : NULL;

    if (!counts)
        return false;
    uint64_t key = xtf_replay_operation_key(row, counts->sent);
    XtfOpenOperations *open = table_of(replay, key);
    g_mutex_lock(&open->lock);
    bool is_open = g_hash_table_contains(open->operations, &key);
    g_mutex_unlock(&open->lock);
    return !is_open;
}

/* Adds the begin of a member to its operation. The caller holds the lock of the operation's table. */
static void begin_member(XtfReplayShare *share, XtfOperation *operation, uint32_t rank, const XtfReplayRow *row,
                         const XtfReplayMember *begun)
{
    XtfReplayCollective *public = &operation->public;
    uint32_t prefix = operation->prefix;

    public->members[rank] = *begun;
    note_latest(public, rank);
    operation->begun++;
    while (operation->prefix < public->n_members && public->members[operation->prefix].begun)
        operation->prefix++;
    if (!agrees(operation, row))
        xtf_replay_give_up(share, operation);
    else if ((public->pattern == XTF_REPLAY_SCAN && operation->prefix > prefix) ||
             operation->begun == public->n_members || rank == public->root)
        wake_members(share, operation);
}

/* Removes an operation for which this process gets no more begins and ends. The caller holds the lock of the table. */
static void remove_complete(XtfReplay *replay, XtfOpenOperations *open, const XtfOperation *operation)
{
    uint64_t key = operation->key;
    uint32_t n = operation->public.n_members;

    if (operation->own_left > 0)
        return;
    if (is_home(replay, operation->public.comm, (uint32_t)key) ? operation->public.n_ended < n : !operation->complete)
        return;
    __atomic_fetch_sub(&replay->n_open, n, __ATOMIC_RELAXED);
    g_hash_table_remove(open->operations, &key);
}

static void mail_complete(const XtfReplayShare *share, uint32_t to, const XtfOperation *operation)
{
    const XtfReplayCollective *public = &operation->public;
    XtfCompleteLetter *letter =
        xtf_mail_put(share->replay->mail, share->number, to, XTF_LETTER_COMPLETE, sizeof *letter);

    *letter = (XtfCompleteLetter){.head = xtf_operation_head(operation)};
    for (unsigned i = 0; i < G_N_ELEMENTS(letter->latest); i++) {
        letter->latest[i] = public->latest[i];
        if (public->latest[i] != UINT32_MAX)
            letter->members[i] = public->members[public->latest[i]];
    }
}

static void mail_begin(const XtfReplayShare *share, uint32_t to, const XtfBeginLetter *begin)
{
    XtfBeginLetter *letter = xtf_mail_put(share->replay->mail, share->number, to, XTF_LETTER_BEGIN, sizeof *letter);

    *letter = *begin;
}

/* True if an end may need the begin of a rank before all members have begun. */
static bool may_be_needed(const XtfReplayCollective *collective, uint32_t rank)
{
    return collective->pattern == XTF_REPLAY_SCAN ||
           (collective->pattern == XTF_REPLAY_ONE_TO_ALL && rank == collective->root);
}

/* Writes to the home of an operation that a member of this share has begun. The home writes to the other shares. */
static void mail_member(const XtfReplayShare *share, const XtfOperation *operation, uint32_t rank)
{
    const XtfReplay *replay = share->replay;
    const XtfReplayCollective *public = &operation->public;
    const XtfComm *comm = &replay->comms[public->comm];
    const XtfBeginLetter begin = {.head = xtf_operation_head(operation), .rank = rank, .member = public->members[rank]};
    uint32_t from = replay->processes[begin.member.begin.process].share;

    if (!is_home(replay, public->comm, begin.head.k)) {
        if (from == share->number)
            mail_begin(share, comm->shares[begin.head.k % comm->n_shares], &begin);
        return;
    }
    for (uint32_t i = 0; i < comm->n_shares; i++) {
        if (comm->shares[i] == share->number)
            continue;
        if (may_be_needed(public, rank) && comm->shares[i] != from)
            mail_begin(share, comm->shares[i], &begin);
        if (operation->begun == public->n_members)
            mail_complete(share, comm->shares[i], operation);
    }
}

/* Adds the begin of a member, of this share or of another one. */
static void add_begin(XtfReplayShare *share, const XtfReplayRow *row, uint32_t k, uint32_t rank,
                      const XtfReplayMember *member)
{
    XtfReplay *replay = share->replay;
    XtfOpenOperations *open = table_of(replay, xtf_replay_operation_key(row, k));

    g_mutex_lock(&open->lock);
    XtfOperation *operation = operation_of(replay, open, row, k);
    begin_member(share, operation, rank, row, member);
    if (replay->options.world)
        mail_member(share, operation, rank);
    remove_complete(replay, open, operation);
    g_mutex_unlock(&open->lock);
}

void xtf_replay_begin(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfReplay *replay = share->replay;
    XtfGroup *counts = counts_of(replay, row);

    if (!counts)
        return;
    uint32_t k = counts->sent++;
    const XtfReplayEvent at = xtf_replay_member_event(replay, process, row, counts->receiver_or_rank, k);
    const XtfReplayMember member = {.begin = {.time = at.time, .bytes = at.bytes, .process = at.process},
                                    .value = share->consumer->begin(share->consumer->data, &at),
                                    .begun = true,
                                    .sends = row->sends,
                                    .receives = row->receives};

    add_begin(share, row, k, counts->receiver_or_rank, &member);
}

void xtf_replay_read_begin(XtfReplayShare *share, const XtfBeginLetter *letter)
{
    const XtfReplayRow row = row_of_operation(&letter->head);

    add_begin(share, &row, letter->head.k, letter->rank, &letter->member);
}

void xtf_replay_read_complete(XtfReplayShare *share, const XtfCompleteLetter *letter)
{
    XtfReplay *replay = share->replay;
    const XtfReplayRow row = row_of_operation(&letter->head);
    XtfOpenOperations *open = table_of(replay, xtf_replay_operation_key(&row, letter->head.k));

    g_mutex_lock(&open->lock);
    XtfOperation *operation = operation_of(replay, open, &row, letter->head.k);
    XtfReplayCollective *public = &operation->public;
    for (unsigned i = 0; i < G_N_ELEMENTS(letter->latest); i++) {
        public->latest[i] = letter->latest[i];
        if (letter->latest[i] != UINT32_MAX)
        public->members[letter->latest[i]] = letter->members[i];
    }
    operation->begun = operation->prefix = public->n_members;
    operation->complete = true;
    wake_members(share, operation);
    remove_complete(replay, open, operation);
    g_mutex_unlock(&open->lock);
}

/* Counts the end of a member, in the share that gets all ends. */
static void count_end(XtfReplayShare *share, XtfOperation *operation)
{
    if (++operation->public.n_ended == operation->public.n_members)
        share->counts.collectives += !operation->uncertain;
}

/* Passes the end of a member to the consumer, and to the share that gets all ends. */
static void pass_end(XtfReplayShare *share, const XtfProcess *process, const XtfReplayRow *row, XtfOperation *operation,
                     uint32_t rank)
{
    const XtfReplay *replay = share->replay;
    const XtfReplayConsumer *consumer = share->consumer;
    uint32_t k = (uint32_t)operation->key, n_bytes = operation->uncertain ? 0 : consumer->end_bytes;
    const XtfReplayEvent at = xtf_replay_member_event(replay, process, row, rank, k);
    uint64_t described[XTF_REPLAY_END_BYTES / sizeof(uint64_t)];

    if (!operation->uncertain)
        consumer->end(consumer->data, &at, &operation->public, rank);
    if (n_bytes > 0)
        consumer->describe_end(consumer->data, &at, described);
    if (!is_home(replay, row->comm, k)) {
        const XtfComm *comm = &replay->comms[row->comm];
        XtfEndLetter *letter = xtf_mail_put(replay->mail, share->number, comm->shares[k % comm->n_shares],
                                            XTF_LETTER_END, (uint32_t)sizeof *letter + n_bytes);
        *letter = (XtfEndLetter){.comm = row->comm, .k = k, .rank = rank};
        if (n_bytes > 0)
            memcpy(letter + 1, described, n_bytes);
        return;
    }
    if (n_bytes > 0)
        consumer->ended(consumer->data, &operation->public, rank, described);
    count_end(share, operation);
}

void xtf_replay_read_end(XtfReplayShare *share, const XtfEndLetter *letter, const void *described)
{
    uint64_t key = (uint64_t)letter->comm << 32 | letter->k;
    XtfOpenOperations *open = table_of(share->replay, key);
    const XtfReplayConsumer *consumer = share->consumer;

    g_mutex_lock(&open->lock);
    XtfOperation *operation = g_hash_table_lookup(open->operations, &key);
    if (operation && !operation->uncertain && consumer->ended)
        consumer->ended(consumer->data, &operation->public, letter->rank, described);
    if (operation) {
        count_end(share, operation);
        remove_complete(share->replay, open, operation);
    }
    g_mutex_unlock(&open->lock);
}

/* Ends a member of an operation. False: it waits for other members. The caller holds the lock of the table. */
static bool end_member(XtfReplayShare *share, XtfOpenOperations *open, XtfGroup *counts, XtfProcess *process,
                       const XtfReplayRow *row)
{
    XtfOperation *operation = operation_of(share->replay, open, row, counts->received);
    uint32_t rank = counts->receiver_or_rank;

    if (!may_end(operation, rank)) {
        wait_in(operation, process, rank);
        return false;
    }
    counts->received++;
    share->counts.uncertain_collectives += operation->uncertain;
    pass_end(share, process, row, operation, rank);
    operation->own_left--;
    remove_complete(share->replay, open, operation);
    return true;
}

bool xtf_replay_end(XtfReplayShare *share, XtfProcess *process, const XtfReplayRow *row)
{
    XtfReplay *replay = share->replay;
    XtfGroup *counts = counts_of(replay, row);

    if (!counts) {
        bool is_private = row->group != UINT32_MAX && replay->comms[row->comm].private;
        share->counts.collectives += is_private;
        share->counts.uncertain_collectives += !is_private;
        return true;
    }
    XtfOpenOperations *open = table_of(replay, xtf_replay_operation_key(row, counts->received));
    g_mutex_lock(&open->lock);
    bool ended = end_member(share, open, counts, process, row);
    g_mutex_unlock(&open->lock);
    return ended;
}
