/*
 * Collective operations, as messages between their members (collective-rounds.h), or by a formula:
 *
 * The end of a member is max(its begin, the latest begin of the members that it needs) + T. L is the latency, G the
 * time per byte, and o the overhead. An operation of n members has blocks of b bytes. With R = ceil(log2 n), T is:
 * - BARRIER, BCAST, REDUCE, ALLREDUCE, SCAN: R (L + b G + 2 o);
 * - ALLGATHER, GATHER, SCATTER, REDUCE_SCATTER: R (L + 2 o) + (n - 1) b G;
 * - ALLTOALL: (n - 1) (L + b G + 2 o).
 * A member that needs no other member continues after o. L and G are of the network between nodes, or within a node if
 * all members are there.
 *
 * Operations that order no members, such as ALLTOALLV, take L + b G for a member, where b are the bytes that it sends.
 */
#include "src/analysis/predict/engine-private.h"

enum { MEMBERS_A_MESSAGE = 4 };

/* ---- The table of operations. */

static uint32_t members_of(const XtfEngine *engine, const XtfOp *op)
{
    uint32_t comm = (uint32_t)(op->message >> 32);

    return comm < engine->program->comms->len ? g_array_index(engine->program->comms, XtfRunProgramComm, comm).n : 0;
}

static uint32_t process_of(const XtfEngine *engine, const XtfOp *op, uint32_t rank)
{
    return g_array_index(engine->program->comms, XtfRunProgramComm, op->message >> 32).processes[rank];
}

static XtfRoundsKind kind_of(const XtfEngine *engine, const XtfOp *op)
{
    const GArray *kinds = engine->program->rounds;

    return op->label < kinds->len ? g_array_index(kinds, XtfRoundsKind, op->label) : (XtfRoundsKind){0};
}

/* Finds an operation, or adds it; XTF_NO_INDEX: its communicator does not have the rank. */
static uint32_t find_operation(XtfEngine *engine, const XtfOp *op)
{
    uint32_t n = members_of(engine, op), index = engine->free_operation;
    XtfFlight *known = xtf_flights_find(&engine->operations_by_key, op->message);

    if (op->peer >= n)
        return XTF_NO_INDEX;
    if (known)
        return (uint32_t)known->words[0];
    if (index != XTF_NO_INDEX) {
        engine->free_operation = xtf_engine_operation(engine, index)->next;
    } else {
        index = engine->operations->len;
        g_array_set_size(engine->operations, index + 1);
    }
    *xtf_engine_operation(engine, index) = (XtfEngineOperation){.key = op->message,
                                                                .n = n,
                                                                .root = UINT32_MAX,
                                                                .members = g_new0(XtfEngineMember, n),
                                                                .messages = {.few_words = 1}};
    xtf_flights_add(&engine->operations_by_key, op->message)->words[0] = index;
    return index;
}

static void clear_operation(XtfEngineOperation *operation)
{
    g_clear_pointer(&operation->members, g_free);
    g_clear_pointer(&operation->waiting, g_array_unref);
    xtf_flights_finish(&operation->messages);
}

/* Returns the messages that take about as much memory as an open operation, for each of its members. */
static uint64_t weight_of(const XtfEngineOperation *operation)
{
    return 1 + operation->n / MEMBERS_A_MESSAGE;
}

static void end_member(XtfEngine *engine, uint32_t index)
{
    XtfEngineOperation *operation = xtf_engine_operation(engine, index);

    if (++operation->n_ended < operation->n)
        return;
    for (uint32_t rank = 0; rank < operation->n; rank++)
        if (operation->members[rank].begun)
            engine->locations[operation->members[rank].location].n_inflight -= weight_of(operation);
    xtf_flights_remove(&engine->operations_by_key, xtf_flights_find(&engine->operations_by_key, operation->key));
    clear_operation(operation);
    operation->next = engine->free_operation;
    engine->free_operation = index;
    engine->result->operations++;
}

void xtf_engine_operations_finish(XtfEngine *engine)
{
    for (guint i = 0; i < engine->operations->len; i++)
        clear_operation(xtf_engine_operation(engine, i));
}

/* ---- Begins. */

static void wake_members(XtfEngine *engine, XtfEngineOperation *operation)
{
    for (guint i = 0; operation->waiting && i < operation->waiting->len; i++)
        xtf_engine_wake(engine, g_array_index(operation->waiting, uint32_t, i));
    if (operation->waiting)
        g_array_set_size(operation->waiting, 0);
}

void xtf_engine_begin(XtfEngine *engine, uint32_t location, const XtfOp *op)
{
    uint64_t clock = engine->locations[location].times.end;
    uint32_t index = find_operation(engine, op);

    if (index == XTF_NO_INDEX)
        return;
    XtfEngineOperation *operation = xtf_engine_operation(engine, index);
    uint32_t prefix = operation->prefix;
    if (operation->members[op->peer].begun)
        return;
    operation->n_begun++;
    engine->locations[location].n_inflight += weight_of(operation);
    operation->members[op->peer] =
        (XtfEngineMember){.begin = clock, .location = location, .begun = true, .sends = op->sends};
    if (op->sends)
        operation->latest = MAX(operation->latest, clock);
    while (operation->prefix < operation->n && operation->members[operation->prefix].begun)
        operation->prefix++;
    if (operation->prefix > prefix || operation->n_begun == operation->n || op->peer == operation->root)
        wake_members(engine, operation);
}

/* ---- The formula. */

/* True if all members have begun whose begins the end of a member needs. */
static bool may_end(const XtfEngineOperation *operation, const XtfOp *op)
{
    if (!op->receives)
        return true;
    switch ((XtfReplayPattern)op->pattern) {
    case XTF_REPLAY_ALL_TO_ALL:
        return operation->n_begun == operation->n;
    case XTF_REPLAY_ONE_TO_ALL:
        return op->root >= operation->n || operation->members[op->root].begun;
    case XTF_REPLAY_ALL_TO_ONE:
        return op->peer != op->root || operation->n_begun == operation->n;
    case XTF_REPLAY_SCAN:
        return operation->prefix >= op->peer;
    case XTF_REPLAY_NOBODY:
        break;
    }
    return true;
}

/* Finds the latest begin that the end of a member needs; false: it needs none. */
static bool find_latest_begin(const XtfEngineOperation *operation, const XtfOp *op, uint64_t *latest)
{
    *latest = 0;
    if (!op->receives)
        return false;
    switch ((XtfReplayPattern)op->pattern) {
    case XTF_REPLAY_ALL_TO_ONE:
        if (op->peer != op->root)
            return false;
        break;
    case XTF_REPLAY_ONE_TO_ALL:
        if (op->peer == op->root || op->root >= operation->n || !operation->members[op->root].sends)
            return false;
        *latest = operation->members[op->root].begin;
        return true;
    case XTF_REPLAY_SCAN:
        for (uint32_t rank = 0; rank < op->peer; rank++)
            if (operation->members[rank].sends)
                *latest = MAX(*latest, operation->members[rank].begin);
        return op->peer > 0;
    case XTF_REPLAY_NOBODY:
        return false;
    case XTF_REPLAY_ALL_TO_ALL:
        break;
    }
    *latest = operation->latest;
    return true;
}

static XtfLinkTimes link_of(const XtfEngine *engine, const XtfEngineOperation *operation, const XtfOp *op)
{
    const XtfMachine *machine = engine->machine;
    uint32_t first = xtf_machine_node(machine, process_of(engine, op, 0));

    if (!machine->nodes)
        return machine->remote;
    for (uint32_t rank = 1; rank < operation->n; rank++)
        if (xtf_machine_node(machine, process_of(engine, op, rank)) != first)
            return machine->remote;
    return machine->local;
}

/* Returns what an operation takes by the formula, in parts. */
static uint64_t formula(const XtfEngine *engine, const XtfEngineOperation *operation, const XtfOp *op)
{
    const XtfRoundsKind kind = kind_of(engine, op);
    const XtfLinkTimes link = link_of(engine, operation, op);
    uint64_t start = link.latency + 2 * engine->machine->overhead, n = operation->n;
    uint64_t rounds = n > 1 ? g_bit_storage(n - 1) : 0;

    if (op->pattern == XTF_REPLAY_NOBODY)
        return 0;
    if (kind.algorithm == XTF_ROUNDS_PAIRWISE)
        return (n - 1) * (start + xtf_link_parts(&link, op->bytes));
    if (kind.data == XTF_ROUNDS_JOINED)
        return rounds * start + xtf_link_parts(&link, (n - 1) * op->bytes);
    return rounds * (start + xtf_link_parts(&link, op->bytes));
}

/* Lets a location wait for begins of an operation. */
static void wait_in(XtfEngineOperation *operation, uint32_t location)
{
    if (!operation->waiting)
        operation->waiting = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_array_append_val(operation->waiting, location);
}

static bool end_by_formula(XtfEngine *engine, uint32_t location, uint32_t index, const XtfOp *op)
{
    XtfEngineOperation *operation = xtf_engine_operation(engine, index);
    XtfEngineLocation *of = &engine->locations[location];
    uint64_t latest;

    operation->root = op->root;
    if (!may_end(operation, op)) {
        wait_in(operation, location);
        return false;
    }
    if (!find_latest_begin(operation, op, &latest)) {
        if (op->pattern != XTF_REPLAY_NOBODY)
            xtf_engine_spend_overhead(engine, of);
        return true;
    }
    uint64_t begin = MAX(latest, of->times.end);
    xtf_engine_wait(of, begin, begin + formula(engine, operation, op));
    return true;
}

/* Ends a member of an operation that orders no members. */
static void end_alone(const XtfEngine *engine, uint32_t location, const XtfEngineOperation *operation, const XtfOp *op)
{
    XtfEngineLocation *of = &engine->locations[location];

    if (op->bytes == 0)
        return;
    const XtfLinkTimes link = link_of(engine, operation, op);
    xtf_engine_wait(of, of->times.end, of->times.end + link.latency + xtf_link_parts(&link, op->bytes));
}

/* ---- Messages. */

enum { NEXT_ROUND, RECEIVING, SENDING };

static void begin_round(XtfEngine *engine, uint32_t location, uint32_t index, const XtfOp *op, const XtfRound *round)
{
    XtfEngineLocation *of = &engine->locations[location];

    of->message = of->received = XTF_NO_INDEX;
    if (round->from != XTF_ROUND_NOBODY) {
        of->received = xtf_engine_find_member_message(engine, index, round->from, op->peer);
        xtf_engine_post_message(engine, location, of->received);
    }
    if (round->to != XTF_ROUND_NOBODY) {
        uint32_t sent = xtf_engine_find_member_message(engine, index, op->peer, round->to);
        xtf_engine_send_message(engine, location, sent, process_of(engine, op, round->to), round->sent,
                                xtf_engine_is_eager(engine, round->sent));
    }
}

/* Does the rounds of a member; false: it waits in one. */
static bool do_rounds(XtfEngine *engine, uint32_t location, uint32_t index, const XtfOp *op)
{
    XtfEngineLocation *of = &engine->locations[location];
    XtfRound round;

    if (!of->in_rounds) {
        const XtfRoundsKind kind = kind_of(engine, op);
        xtf_rounds_init(&of->rounds, &kind, xtf_engine_operation(engine, index)->n, op->peer, op->root, op->bytes);
        of->in_rounds = true;
    }
    for (;; of->phase = NEXT_ROUND) {
        if (of->phase == NEXT_ROUND) {
            if (!xtf_rounds_next(&of->rounds, &round))
                return true;
            begin_round(engine, location, index, op, &round);
            of->phase = RECEIVING;
        }
        if (of->phase == RECEIVING) {
            if (of->received != XTF_NO_INDEX && !xtf_engine_await_receive(engine, location, of->received))
                return false;
            of->phase = SENDING;
        }
        if (of->message != XTF_NO_INDEX && !xtf_engine_await_sent(engine, location, of->message))
            return false;
    }
}

static bool goes_by_messages(const XtfEngine *engine, const XtfOp *op)
{
    bool has_root = op->pattern == XTF_REPLAY_ONE_TO_ALL || op->pattern == XTF_REPLAY_ALL_TO_ONE;

    return !engine->ideal && !engine->machine->formula && op->pattern != XTF_REPLAY_NOBODY &&
           kind_of(engine, op).algorithm != XTF_ROUNDS_NONE && (!has_root || op->root < members_of(engine, op));
}

uint32_t xtf_engine_awaited(const XtfEngine *engine, const XtfEngineLocation *location)
{
    if (!goes_by_messages(engine, &location->reader.op))
        return XTF_NO_INDEX;
    return location->phase == SENDING ? location->message : location->received;
}

bool xtf_engine_end(XtfEngine *engine, uint32_t location, const XtfOp *op)
{
    uint32_t index = find_operation(engine, op);

    if (index == XTF_NO_INDEX)
        return true;
    if (goes_by_messages(engine, op) ? !do_rounds(engine, location, index, op)
                                     : !end_by_formula(engine, location, index, op))
        return false;
    if (op->pattern == XTF_REPLAY_NOBODY)
        end_alone(engine, location, xtf_engine_operation(engine, index), op);
    end_member(engine, index);
    xtf_engine_shift(engine, location, op->seq);
    return true;
}
