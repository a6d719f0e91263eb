#include "tests/waiting/expected.h"

typedef struct {
    const Simulation *simulation;
    bool growing;
    uint64_t last;               /* end of the trace */
    bool goes_on[LOCATIONS_MAX]; /* the thread may go on */
} Expecting;

/* State of an operation of a call, by the trace: satisfied, or incomplete without the peer's part, or unknown. */
typedef enum { SATISFIED, NEEDS_PEER, UNKNOWN } Need;

/* An operation that a call waits for. */
typedef struct {
    unsigned location;
    const Message *message; /* sent; NULL: the operation receives */
    Posted posted;
} Operation;

/* Returns the time at which a trace ends: a growing one at the present time, others at their last row. */
static uint64_t last_time(const Simulation *simulation, bool growing)
{
    uint64_t last = growing ? simulation->now : 0;

    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        const GArray *log = simulation->threads[i].log;
        last = MAX(last, log->len > 0 ? g_array_index(log, Row, log->len - 1).time : 0);
    }
    return last;
}

bool expected_counts(const Simulation *simulation, bool growing, unsigned location)
{
    const Thread *thread = &simulation->threads[location];

    return thread->state == THREAD_CALLS && last_time(simulation, growing) >= thread->since + UINT64_C(2) * SECOND;
}

/* True if a process has ended, and not by a failure. */
static bool has_ended_well(const Simulation *simulation, unsigned proc)
{
    return simulation_has_ended(simulation, proc) && simulation->is_finalizing[proc];
}

bool expected_may_call(const Simulation *simulation, bool growing, unsigned location)
{
    unsigned proc = proc_of(location);

    for (unsigned thread = 0; thread < simulation->program->n_threads[proc]; thread++)
        if (location_of(proc, thread) != location && simulation->program->levels[proc] == LEVEL_SERIALIZED &&
            expected_counts(simulation, growing, location_of(proc, thread)))
            return false;
    return calls_mpi(simulation->program, location);
}

static bool may_call(const Expecting *expecting, unsigned location)
{
    return expected_may_call(expecting->simulation, expecting->growing, location);
}

/* Returns the only thread of a process that may call MPI; LOCATIONS_MAX: there are two. */
static unsigned only_caller(const Expecting *expecting, unsigned proc)
{
    unsigned only = LOCATIONS_MAX, n = 0;

    for (unsigned thread = 0; thread < expecting->simulation->program->n_threads[proc]; thread++)
        if (may_call(expecting, location_of(proc, thread))) {
            only = location_of(proc, thread);
            n++;
        }
    return n == 1 ? only : LOCATIONS_MAX;
}

/* True if a process may continue. One with MPI_THREAD_MULTIPLE may have threads that the trace does not know. */
static bool proc_goes_on(const Expecting *expecting, unsigned proc)
{
    if (expecting->simulation->program->levels[proc] == LEVEL_MULTIPLE &&
        !simulation_has_ended(expecting->simulation, proc))
        return true;
    for (unsigned thread = 0; thread < expecting->simulation->program->n_threads[proc]; thread++)
        if (expecting->goes_on[location_of(proc, thread)] && may_call(expecting, location_of(proc, thread)))
            return true;
    return false;
}

static bool source_goes_on(const Expecting *expecting, const Posted *posted)
{
    const Program *program = expecting->simulation->program;

    if (posted->source != ANY)
        return proc_goes_on(expecting, (unsigned)posted->source);
    for (unsigned i = 0; i < program->n_members[posted->comm]; i++)
        if (proc_goes_on(expecting, (unsigned)program->members[posted->comm][i]))
            return true;
    return false;
}

/* ---- What the trace says of messages. */

static bool is_under_way(const Expecting *expecting, const Posted *posted)
{
    for (unsigned i = 0; i < expecting->simulation->messages->len; i++) {
        const Message *message = message_at(expecting->simulation, i);
        if (!message->is_received && simulation_accepts(posted, message))
            return true;
    }
    return false;
}

/* True if all messages with the envelope of a message have been received. */
static bool are_all_received(const Expecting *expecting, const Message *message)
{
    for (unsigned i = 0; i < expecting->simulation->messages->len; i++) {
        const Message *sent = message_at(expecting->simulation, i);
        if (!sent->is_received && sent->from == message->from && sent->to == message->to &&
            sent->comm == message->comm && sent->tag == message->tag)
            return false;
    }
    return true;
}

/* Returns the envelope of the request of MPI_Wait in the form of a receive, also if the request sends. */
static Posted envelope_of_wait(const Simulation *simulation, unsigned location)
{
    unsigned id = g_array_index(simulation->threads[location].requests, unsigned, 0);
    const Request *request = request_at(simulation, id);

    if (!request->sends)
        return *posted_at(simulation, request->number);
    const Message *message = message_at(simulation, request->number);
    return (Posted){.proc = proc_of(location), .source = message->to, .tag = message->tag, .comm = message->comm};
}

/* True if a call of a thread shows that it receives a message. */
static bool call_accepts(const Simulation *simulation, unsigned location, const Message *message)
{
    const Thread *thread = &simulation->threads[location];
    StepKind kind = step_of(simulation, location)->kind;

    if (kind == STEP_RECV || kind == STEP_SENDRECV)
        return simulation_accepts(posted_at(simulation, thread->posted), message);
    if (kind == STEP_WAIT && !simulation->program->lists_requests) {
        Posted envelope = envelope_of_wait(simulation, location);
        return envelope.source != ANY && simulation_accepts(&envelope, message);
    }
    for (unsigned i = 0; waits_for_requests(kind) && i < thread->listed->len; i++) {
        const Request *request = request_at(simulation, g_array_index(thread->listed, unsigned, i));
        if (!request->sends && simulation_accepts(posted_at(simulation, request->number), message))
            return true;
    }
    return false;
}

static bool is_accepted(const Expecting *expecting, const Message *message)
{
    const Simulation *simulation = expecting->simulation;

    for (unsigned i = 0; i < LOCATIONS_MAX; i++)
        if (proc_of(i) == (unsigned)message->to && expected_counts(simulation, expecting->growing, i) &&
            call_accepts(simulation, i, message))
            return true;
    return false;
}

/* True if the trace shows the envelopes of all open receives of a process. */
static bool are_receives_known(const Expecting *expecting, unsigned proc)
{
    const Simulation *simulation = expecting->simulation;
    unsigned only = only_caller(expecting, proc), n_open = 0, n_listed = 0;

    for (unsigned i = 0; i < simulation->all_requests->len; i++) {
        const Request *request = request_at(simulation, i);
        n_open += request->proc == proc && !request->sends && request->is_open;
    }
    if (n_open == 0)
        return true;
    if (only == LOCATIONS_MAX || !expected_counts(simulation, expecting->growing, only) ||
        !waits_for_requests(step_of(simulation, only)->kind))
        return false;
    const GArray *listed = simulation->threads[only].listed;
    for (unsigned i = 0; i < listed->len; i++)
        n_listed += !request_at(simulation, g_array_index(listed, unsigned, i))->sends;
    return n_listed >= n_open;
}

/* ---- Calls. */

static Need need_of(const Expecting *expecting, const Operation *operation)
{
    const Message *message = operation->message;

    if (!message)
        return is_under_way(expecting, &operation->posted) ? SATISFIED : NEEDS_PEER;
    if (is_accepted(expecting, message) || are_all_received(expecting, message))
        return SATISFIED;
    return are_receives_known(expecting, (unsigned)message->to) ? NEEDS_PEER : UNKNOWN;
}

static bool peer_goes_on(const Expecting *expecting, const Operation *operation)
{
    return operation->message ? proc_goes_on(expecting, (unsigned)operation->message->to)
                              : source_goes_on(expecting, &operation->posted);
}

/* True if one of the operations may end. */
static bool any_goes_on(const Expecting *expecting, const GArray *operations)
{
    for (unsigned i = 0; i < operations->len; i++) {
        const Operation *operation = &g_array_index(operations, Operation, i);
        if (need_of(expecting, operation) != NEEDS_PEER || peer_goes_on(expecting, operation))
            return true;
    }
    return false;
}

/* True if all operations may end. Only a receive without a message is surely incomplete. If there is no such receive,
 * the call waits for one of the other operations; the trace does not say which. */
static bool all_go_on(const Expecting *expecting, const GArray *operations)
{
    bool any_receive = false, may_send = false, all = true, any = false;

    for (unsigned i = 0; i < operations->len; i++) {
        const Operation *operation = &g_array_index(operations, Operation, i);
        Need need = need_of(expecting, operation);
        if (!operation->message && need == NEEDS_PEER) {
            any_receive = true;
            all &= peer_goes_on(expecting, operation);
        }
        may_send |= operation->message && need != SATISFIED;
        any |= need == UNKNOWN || (!(operation->message && need == SATISFIED) && peer_goes_on(expecting, operation));
    }
    return any_receive ? all : !may_send || any;
}

static void add_operation(const Simulation *simulation, unsigned location, GArray *operations, bool sends,
                          unsigned number)
{
    Operation operation = {.location = location, .message = sends ? message_at(simulation, number) : NULL};

    if (!sends)
        operation.posted = *posted_at(simulation, number);
    g_array_append_val(operations, operation);
}

/* Lists the operations that a call waits for. Sets *all if it needs all of them. Returns false if the trace does not
 * show them. */
static bool list_operations(const Simulation *simulation, unsigned location, GArray *operations, bool *all)
{
    const Thread *thread = &simulation->threads[location];
    StepKind kind = step_of(simulation, location)->kind;
    bool lists = simulation->program->lists_requests;

    *all = true;
    if (kind == STEP_SEND || (kind == STEP_SENDRECV && lists))
        add_operation(simulation, location, operations, true, thread->message);
    if (kind == STEP_RECV || kind == STEP_SENDRECV)
        add_operation(simulation, location, operations, false, thread->posted);
    if (!waits_for_requests(kind))
        return true;
    if (!lists || thread->listed->len < thread->n_awaited)
        return false;
    unsigned n = simulation->program->names_requests ? thread->n_awaited : thread->listed->len;
    *all = kind != STEP_WAITANY && n == thread->n_awaited;
    for (unsigned i = 0; i < n; i++) {
        const Request *request = request_at(simulation, g_array_index(thread->listed, unsigned, i));
        add_operation(simulation, location, operations, request->sends, request->number);
    }
    return true;
}

/* True if an MPI_Wait may end. The trace shows the envelope of its request, but not whether the request sends or
 * receives. */
static bool wait_goes_on(const Expecting *expecting, unsigned location)
{
    Posted posted = envelope_of_wait(expecting->simulation, location);
    Message message = {.from = (int)posted.proc, .to = posted.source, .comm = posted.comm, .tag = posted.tag};
    bool has_sent = false;

    if (posted.source == ANY || is_under_way(expecting, &posted) || is_accepted(expecting, &message) ||
        !are_receives_known(expecting, (unsigned)posted.source))
        return true;
    for (unsigned i = 0; i < expecting->simulation->messages->len; i++) {
        const Message *sent = message_at(expecting->simulation, i);
        has_sent |= sent->from == message.from && sent->to == message.to && sent->comm == message.comm &&
                    sent->tag == message.tag;
    }
    return (has_sent && are_all_received(expecting, &message)) || source_goes_on(expecting, &posted);
}

/* True if a thread of a process is in a collective operation of a communicator. Sets *location to that thread. */
static bool is_in_operation(const Simulation *simulation, unsigned proc, int comm, unsigned *location)
{
    for (*location = 0; *location < LOCATIONS_MAX; ++*location) {
        const Thread *thread = &simulation->threads[*location];
        if (proc_of(*location) == proc && thread->state == THREAD_CALLS &&
            is_collective(step_of(simulation, *location)->kind) && step_of(simulation, *location)->comm == comm)
            return true;
    }
    return false;
}

/* True if the trace shows that a process has called the operation that a thread is in. An operation of the process that
 * has ended counts with any function. */
static bool is_called(const Expecting *expecting, unsigned proc, unsigned location)
{
    const Simulation *simulation = expecting->simulation;
    const Step *step = step_of(simulation, location);
    unsigned witness, n_begun = simulation->operations[step->comm][proc]->len;
    unsigned operation = simulation->threads[location].operation;

    if (!is_in_operation(simulation, proc, step->comm, &witness))
        return n_begun > operation;
    return n_begun - 1 > operation || (n_begun - 1 == operation && step_of(simulation, witness)->kind == step->kind &&
                                       expected_counts(simulation, expecting->growing, witness));
}

static bool operation_goes_on(const Expecting *expecting, unsigned location)
{
    const Program *program = expecting->simulation->program;
    const Step *step = step_of(expecting->simulation, location);
    bool all = true, awaits = false, is_root = proc_of(location) == (unsigned)step->root;
    bool needs_all = step->kind == STEP_BARRIER || step->kind == STEP_ALLREDUCE ||
                     (program->names_requests && step->kind == STEP_REDUCE && is_root);

    if (program->names_requests && step->kind == STEP_BCAST && !is_root &&
        !is_called(expecting, (unsigned)step->root, location))
        return proc_goes_on(expecting, (unsigned)step->root);
    for (unsigned i = 0; i < program->n_members[step->comm]; i++) {
        unsigned proc = (unsigned)program->members[step->comm][i];
        if (is_called(expecting, proc, location))
            continue;
        awaits = true;
        all &= proc_goes_on(expecting, proc);
    }
    return !awaits || !needs_all || all; /* else the trace does not say whether the member waits */
}

static bool is_in_finalize(const Expecting *expecting, unsigned proc)
{
    const Simulation *simulation = expecting->simulation;
    unsigned main = location_of(proc, 0);

    return has_ended_well(simulation, proc) ||
           (expected_counts(simulation, expecting->growing, main) && step_of(simulation, main)->kind == STEP_FINALIZE);
}

static bool finalize_goes_on(const Expecting *expecting)
{
    bool all = true, any = false, awaits = false;

    for (unsigned proc = 0; proc < expecting->simulation->program->n_procs; proc++) {
        if (is_in_finalize(expecting, proc))
            continue;
        bool goes_on = proc_goes_on(expecting, proc);
        awaits = true;
        all &= goes_on;
        any |= goes_on;
    }
    return !awaits || (expecting->simulation->program->lists_requests ? all : any);
}

static bool call_goes_on(const Expecting *expecting, unsigned location)
{
    const Simulation *simulation = expecting->simulation;
    StepKind kind = step_of(simulation, location)->kind;
    g_autoptr(GArray) operations = g_array_new(FALSE, FALSE, sizeof(Operation));
    bool all;

    if (kind == STEP_FINALIZE)
        return finalize_goes_on(expecting);
    if (is_collective(kind))
        return operation_goes_on(expecting, location);
    if (kind == STEP_WAIT && !simulation->program->lists_requests)
        return wait_goes_on(expecting, location);
    if (!list_operations(simulation, location, operations, &all))
        return true;
    return all ? all_go_on(expecting, operations) : any_goes_on(expecting, operations);
}

void expected_find(const Simulation *simulation, bool growing, bool *is_stuck)
{
    Expecting expecting = {.simulation = simulation, .growing = growing, .last = last_time(simulation, growing)};
    bool changed = true;

    for (unsigned i = 0; i < LOCATIONS_MAX; i++)
        if (simulation_exists(simulation, i))
            expecting.goes_on[i] = !expected_counts(simulation, growing, i) && !has_ended_well(simulation, proc_of(i));
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
            if (!simulation_exists(simulation, i) || expecting.goes_on[i] || !expected_counts(simulation, growing, i) ||
                !call_goes_on(&expecting, i))
                continue;
            expecting.goes_on[i] = changed = true;
        }
    }
    for (unsigned i = 0; i < LOCATIONS_MAX; i++)
        is_stuck[i] =
            simulation_exists(simulation, i) && expected_counts(simulation, growing, i) && !expecting.goes_on[i];
}
