#include "tests/waiting/simulation.h"

bool simulation_exists(const Simulation *simulation, unsigned location)
{
    unsigned proc = proc_of(location);

    return proc < simulation->program->n_procs && location % THREADS_MAX < simulation->program->n_threads[proc];
}

bool simulation_has_ended(const Simulation *simulation, unsigned proc)
{
    for (unsigned thread = 0; thread < simulation->program->n_threads[proc]; thread++)
        if (simulation->threads[location_of(proc, thread)].state != THREAD_ENDED)
            return false;
    return true;
}

/* True if the messages of a process make progress: a thread is blocked in a call, or the process has ended. */
static bool makes_progress(const Simulation *simulation, unsigned proc)
{
    for (unsigned thread = 0; thread < simulation->program->n_threads[proc]; thread++)
        if (simulation->threads[location_of(proc, thread)].is_blocked)
            return true;
    return simulation_has_ended(simulation, proc);
}

/* ---- Rows. */

void simulation_log(Simulation *simulation, unsigned location, Row row)
{
    Thread *thread = &simulation->threads[location];

    row.time = simulation->now;
    row.call = step_of(simulation, location)->kind;
    g_array_append_val(thread->log, row);
}

static void log_message(Simulation *simulation, unsigned location, RowKind kind, unsigned number, int64_t request)
{
    const Message *message = message_at(simulation, number);
    bool sends = kind == ROW_SEND || kind == ROW_ISEND;

    simulation_log(simulation, location,
                   (Row){.kind = kind,
                         .peer = sends ? message->to : message->from,
                         .tag = message->tag,
                         .comm = message->comm,
                         .request = request});
}

static void log_received(Simulation *simulation, unsigned location, RowKind kind, unsigned posted, int64_t request)
{
    unsigned number = (unsigned)posted_at(simulation, posted)->message;

    message_at(simulation, number)->is_received = true;
    log_message(simulation, location, kind, number, request);
}

/* ---- Messages. */

bool simulation_accepts(const Posted *posted, const Message *message)
{
    return message->to == (int)posted->proc && message->comm == posted->comm &&
           (posted->source == ANY || posted->source == message->from) &&
           (posted->tag == ANY || posted->tag == message->tag);
}

static unsigned add_message(Simulation *simulation, unsigned location)
{
    const Step *step = step_of(simulation, location);
    Message message = {.from = (int)proc_of(location),
                       .to = step->dest,
                       .comm = step->comm,
                       .tag = step->sendtag,
                       .arrival = simulation->now + step->ticks,
                       .synchronous = step->synchronous};

    for (unsigned i = 0; i < simulation->messages->len; i++) { /* it does not overtake earlier ones */
        const Message *earlier = message_at(simulation, i);
        if (earlier->from == message.from && earlier->to == message.to)
            message.arrival = MAX(message.arrival, earlier->arrival);
    }
    g_array_append_val(simulation->messages, message);
    return simulation->messages->len - 1;
}

static unsigned add_posted(Simulation *simulation, unsigned location)
{
    const Step *step = step_of(simulation, location);
    Posted posted = {
        .proc = proc_of(location), .source = step->source, .tag = step->recvtag, .comm = step->comm, .message = -1};

    g_array_append_val(simulation->posted, posted);
    return simulation->posted->len - 1;
}

static unsigned add_request(Simulation *simulation, unsigned location, bool sends, unsigned number)
{
    Request request = {.proc = proc_of(location), .sends = sends, .is_open = true, .number = number};
    unsigned id = simulation->all_requests->len;

    g_array_append_val(simulation->all_requests, request);
    g_array_append_val(simulation->threads[location].requests, id);
    return id;
}

static void let_arrive(Simulation *simulation)
{
    for (unsigned i = 0; i < simulation->messages->len; i++) {
        Message *message = message_at(simulation, i);
        if (simulation->now >= message->arrival || makes_progress(simulation, (unsigned)message->from))
            message->has_arrived = true;
    }
}

static void match_messages(Simulation *simulation)
{
    let_arrive(simulation);
    for (unsigned i = 0; i < simulation->posted->len; i++) {
        Posted *posted = posted_at(simulation, i);
        for (unsigned k = 0; k < simulation->messages->len && posted->message < 0; k++) {
            Message *message = message_at(simulation, k);
            if (!message->has_arrived || message->is_taken || !simulation_accepts(posted, message))
                continue;
            message->is_taken = true;
            posted->message = (int)k;
        }
    }
}

static bool is_sent(const Simulation *simulation, unsigned message)
{
    return !message_at(simulation, message)->synchronous || message_at(simulation, message)->is_taken;
}

static bool is_complete(const Simulation *simulation, unsigned id)
{
    const Request *request = request_at(simulation, id);

    return request->sends ? is_sent(simulation, request->number) : posted_at(simulation, request->number)->message >= 0;
}

/* ---- Collective operations. */

static bool has_begun(const Simulation *simulation, int comm, int proc, unsigned operation, StepKind kind)
{
    const GArray *begun = simulation->operations[comm][proc];

    return operation < begun->len && g_array_index(begun, StepKind, operation) == kind;
}

/* True if a member of an operation needs another one to begin it. Ranks are relative to the root. */
static bool needs_member(const Program *program, StepKind kind, unsigned rank, unsigned member)
{
    if (kind == STEP_BARRIER || kind == STEP_ALLREDUCE || program->rooted == ROOTED_SYNCHRONISED)
        return true;
    if (program->rooted == ROOTED_FLAT)
        return kind == STEP_BCAST ? member == 0 : rank == 0;
    return kind == STEP_BCAST ? member < rank : member > rank;
}

static bool is_operation_over(const Simulation *simulation, unsigned location)
{
    const Program *program = simulation->program;
    const Step *step = step_of(simulation, location);
    unsigned n = program->n_members[step->comm], root = (unsigned)program_rank(program, step->comm, step->root);
    unsigned own = (unsigned)program_rank(program, step->comm, (int)proc_of(location));

    for (unsigned i = 0; i < n; i++)
        if (needs_member(program, step->kind, (own + n - root) % n, (i + n - root) % n) &&
            !has_begun(simulation, step->comm, program->members[step->comm][i], simulation->threads[location].operation,
                       step->kind))
            return false;
    return true;
}

static bool is_finalize_over(const Simulation *simulation)
{
    for (unsigned proc = 0; proc < simulation->program->n_procs; proc++)
        if (!simulation->is_finalizing[proc])
            return false;
    return true;
}

/* ---- Steps. */

/* Takes complete requests of a call from the list of its thread and logs them: all, or only the first if `all` is
 * false. */
static void complete_requests(Simulation *simulation, unsigned location, bool all)
{
    Thread *thread = &simulation->threads[location];

    for (unsigned i = 0, left = thread->n_awaited; left > 0; left--) {
        unsigned id = g_array_index(thread->requests, unsigned, i);
        Request *request = request_at(simulation, id);
        if (!is_complete(simulation, id)) {
            i++;
            continue;
        }
        request->is_open = false;
        g_array_remove_index(thread->requests, i);
        if (request->sends)
            simulation_log(simulation, location, (Row){.kind = ROW_ISEND_COMPLETE, .request = id});
        else
            log_received(simulation, location, ROW_IRECV, request->number, id);
        if (!all)
            return;
    }
}

static bool are_requests_complete(const Simulation *simulation, const Thread *thread, bool all)
{
    for (unsigned i = 0; i < thread->n_awaited; i++)
        if (is_complete(simulation, g_array_index(thread->requests, unsigned, i)) != all)
            return !all;
    return all;
}

static void begin_call(Simulation *simulation, unsigned location)
{
    Thread *thread = &simulation->threads[location];
    const Step *step = step_of(simulation, location);
    bool sends = step->kind == STEP_SEND || step->kind == STEP_ISEND || step->kind == STEP_SENDRECV;
    bool receives = step->kind == STEP_RECV || step->kind == STEP_IRECV || step->kind == STEP_SENDRECV;

    thread->state = THREAD_CALLS;
    thread->since = simulation->now;
    thread->is_reported = false;
    simulation_log(simulation, location, (Row){.kind = ROW_ENTER});
    if (sends)
        thread->message = add_message(simulation, location);
    if (receives)
        thread->posted = add_posted(simulation, location);
    if (step->kind == STEP_SEND || step->kind == STEP_SENDRECV)
        log_message(simulation, location, ROW_SEND, thread->message, -1);
    if (step->kind == STEP_ISEND)
        log_message(simulation, location, ROW_ISEND, thread->message,
                    add_request(simulation, location, true, thread->message));
    if (step->kind == STEP_IRECV)
        simulation_log(
            simulation, location,
            (Row){.kind = ROW_IRECV_REQUEST, .request = add_request(simulation, location, false, thread->posted)});
    if (waits_for_requests(step->kind))
        thread->n_awaited = MIN(step->n, thread->requests->len);
    if (step->kind == STEP_FINALIZE)
        simulation->is_finalizing[proc_of(location)] = true;
    if (is_collective(step->kind)) {
        GArray *begun = simulation->operations[step->comm][proc_of(location)];
        thread->operation = begun->len;
        g_array_append_val(begun, step->kind);
        simulation_log(simulation, location, (Row){.kind = ROW_COLLECTIVE_BEGIN, .comm = step->comm});
    }
}

static bool is_call_over(const Simulation *simulation, unsigned location)
{
    const Thread *thread = &simulation->threads[location];
    const Step *step = step_of(simulation, location);

    switch (step->kind) {
    case STEP_SEND:
        return is_sent(simulation, thread->message);
    case STEP_RECV:
        return posted_at(simulation, thread->posted)->message >= 0;
    case STEP_SENDRECV:
        return is_sent(simulation, thread->message) && posted_at(simulation, thread->posted)->message >= 0;
    case STEP_WAIT:
    case STEP_WAITALL:
        return are_requests_complete(simulation, thread, true);
    case STEP_WAITANY:
        return are_requests_complete(simulation, thread, false) || thread->n_awaited == 0;
    case STEP_FINALIZE:
        return !simulation->program->finalize_waits || is_finalize_over(simulation);
    default:
        return !is_collective(step->kind) || is_operation_over(simulation, location);
    }
}

static void end_step(Simulation *simulation, unsigned location)
{
    Thread *thread = &simulation->threads[location];

    thread->step++;
    thread->state = thread->step < simulation->program->n_steps[location] ? THREAD_COMPUTES : THREAD_ENDED;
    thread->until = simulation->now;
    if (thread->state == THREAD_COMPUTES && step_of(simulation, location)->kind == STEP_COMPUTE)
        thread->until += step_of(simulation, location)->ticks;
}

static void end_call(Simulation *simulation, unsigned location)
{
    Thread *thread = &simulation->threads[location];
    const Step *step = step_of(simulation, location);

    if (step->kind == STEP_RECV || step->kind == STEP_SENDRECV)
        log_received(simulation, location, ROW_RECV, thread->posted, -1);
    if (waits_for_requests(step->kind))
        complete_requests(simulation, location, step->kind != STEP_WAITANY);
    if (is_collective(step->kind))
        simulation_log(simulation, location, (Row){.kind = ROW_COLLECTIVE_END, .comm = step->comm});
    simulation_log(simulation, location, (Row){.kind = ROW_LEAVE});
    end_step(simulation, location);
}

static bool is_join_over(const Simulation *simulation, unsigned location)
{
    return simulation->threads[location_of(proc_of(location), 1)].state == THREAD_ENDED;
}

/* True if a thread must not call MPI yet, since another one of its process is in a call. */
static bool is_shut_out(const Simulation *simulation, unsigned location)
{
    unsigned proc = proc_of(location);

    for (unsigned thread = 0; thread < simulation->program->n_threads[proc]; thread++)
        if (location_of(proc, thread) != location &&
            simulation->threads[location_of(proc, thread)].state == THREAD_CALLS)
            return simulation->program->levels[proc] == LEVEL_SERIALIZED;
    return false;
}

/* Advances a thread once, if it can at the present time. Returns false if nothing changed. */
static bool advance_thread(Simulation *simulation, unsigned location)
{
    Thread *thread = &simulation->threads[location];

    if (thread->state == THREAD_CALLS) {
        match_messages(simulation);
        bool is_over = is_call_over(simulation, location), was_blocked = thread->is_blocked;
        thread->is_blocked = !is_over;
        if (is_over)
            end_call(simulation, location);
        return is_over || !was_blocked;
    }
    if (thread->state == THREAD_ENDED || (thread->state == THREAD_COMPUTES && thread->until > simulation->now) ||
        (thread->state == THREAD_JOINS && !is_join_over(simulation, location)))
        return false;
    StepKind kind = step_of(simulation, location)->kind;
    if (kind == STEP_COMPUTE || thread->state == THREAD_JOINS)
        end_step(simulation, location);
    else if (kind == STEP_JOIN)
        thread->state = THREAD_JOINS;
    else if (is_shut_out(simulation, location))
        return false;
    else
        begin_call(simulation, location);
    return true;
}

/* ---- Running. */

void simulation_init(Simulation *simulation, const Program *program)
{
    *simulation = (Simulation){.program = program,
                               .messages = g_array_new(FALSE, FALSE, sizeof(Message)),
                               .posted = g_array_new(FALSE, FALSE, sizeof(Posted)),
                               .all_requests = g_array_new(FALSE, FALSE, sizeof(Request))};
    for (unsigned comm = 0; comm < N_COMMS; comm++)
        for (unsigned proc = 0; proc < PROCS_MAX; proc++)
            simulation->operations[comm][proc] = g_array_new(FALSE, FALSE, sizeof(StepKind));
    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        Thread *thread = &simulation->threads[i];
        thread->requests = g_array_new(FALSE, FALSE, sizeof(unsigned));
        thread->listed = g_array_new(FALSE, FALSE, sizeof(unsigned));
        thread->log = g_array_new(FALSE, FALSE, sizeof(Row));
        thread->step = UINT32_MAX; /* end_step() begins the first one */
        thread->state = THREAD_ENDED;
        if (simulation_exists(simulation, i))
            end_step(simulation, i);
    }
}

void simulation_clear(Simulation *simulation)
{
    g_array_unref(simulation->messages);
    g_array_unref(simulation->posted);
    g_array_unref(simulation->all_requests);
    for (unsigned comm = 0; comm < N_COMMS; comm++)
        for (unsigned proc = 0; proc < PROCS_MAX; proc++)
            g_array_unref(simulation->operations[comm][proc]);
    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        g_array_unref(simulation->threads[i].requests);
        g_array_unref(simulation->threads[i].listed);
        g_array_unref(simulation->threads[i].log);
    }
}

static void settle_threads(Simulation *simulation)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (unsigned i = 0; i < LOCATIONS_MAX; i++)
            changed |= simulation_exists(simulation, i) && advance_thread(simulation, i);
    }
}

/* Returns the time of the next change; UINT64_MAX: none. */
static uint64_t next_time(const Simulation *simulation)
{
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < LOCATIONS_MAX; i++) {
        const Thread *thread = &simulation->threads[i];
        if (thread->state == THREAD_COMPUTES && thread->until > simulation->now) /* else it must not call MPI yet */
            next = MIN(next, thread->until);
        if (thread->state == THREAD_CALLS && simulation->program->reports_early && !thread->is_reported)
            next = MIN(next, thread->since + SECOND);
    }
    for (unsigned i = 0; i < simulation->messages->len; i++)
        if (message_at(simulation, i)->arrival > simulation->now)
            next = MIN(next, message_at(simulation, i)->arrival);
    return next;
}

void simulation_run(Simulation *simulation, uint64_t until)
{
    for (;;) {
        settle_threads(simulation);
        for (unsigned i = 0; i < LOCATIONS_MAX; i++)
            if (simulation->program->reports_early && simulation->threads[i].state == THREAD_CALLS &&
                simulation->now - simulation->threads[i].since >= SECOND)
                simulation_report(simulation, i);
        uint64_t next = next_time(simulation);
        if (next > until || next == UINT64_MAX) {
            simulation->now = MAX(simulation->now, until == UINT64_MAX ? 0 : until);
            return;
        }
        simulation->now = next;
    }
}
