/* The rows of `pending` of a simulated call. */
#include "tests/waiting/simulation.h"

/* Returns the awaited message of a row of `pending`. */
static Row pending_row(const Simulation *simulation, unsigned location)
{
    const Thread *thread = &simulation->threads[location];
    const Step *step = step_of(simulation, location);
    Row row = {.kind = ROW_PENDING,
               .since = thread->since,
               .peer = NO_PEER,
               .tag = NO_TAG,
               .comm = NO_COMM,
               .request = NO_REQUESTS,
               .root = NO_PEER,
               .id = NO_REQUESTS};

    if (is_collective(step->kind) && step->kind >= STEP_BCAST && simulation->program->names_requests)
        row.root = program_rank(simulation->program, step->comm, step->root);
    if (step->kind == STEP_SEND) {
        row.peer = step->dest;
        row.tag = step->sendtag;
    } else if (step->kind == STEP_RECV || step->kind == STEP_SENDRECV) {
        row.peer = step->source;
        row.tag = step->recvtag;
    }
    if (step->kind <= STEP_SENDRECV || is_collective(step->kind) ||
        (step->kind == STEP_FINALIZE && simulation->program->lists_requests))
        row.comm = step->comm;
    if (waits_for_requests(step->kind) && simulation->program->lists_requests)
        row.request = thread->n_awaited;
    return row;
}

/* Sets the envelope of a request in a row. */
static void set_envelope(const Simulation *simulation, unsigned id, Row *row)
{
    const Request *request = request_at(simulation, id);

    if (request->sends) {
        const Message *message = message_at(simulation, request->number);
        row->peer = message->to;
        row->tag = message->tag;
        row->comm = message->comm;
    } else {
        const Posted *posted = posted_at(simulation, request->number);
        row->peer = posted->source;
        row->tag = posted->tag;
        row->comm = posted->comm;
    }
}

/* Logs the row of a request. `posted`: the call does not wait for it. */
static void report_request(Simulation *simulation, unsigned location, unsigned id, bool posted)
{
    Thread *thread = &simulation->threads[location];
    bool sends = request_at(simulation, id)->sends, is_named = simulation->program->names_requests && !posted;
    Row row = {.kind = posted  ? ROW_PENDING_POSTED
                       : sends ? ROW_PENDING_SEND
                               : ROW_PENDING_RECEIVE,
               .since = thread->since,
               .request = NO_REQUESTS,
               .root = NO_PEER,
               .id = is_named ? (int64_t)id : NO_REQUESTS};

    set_envelope(simulation, id, &row);
    simulation_log(simulation, location, row);
    g_array_append_val(thread->listed, id);
}

static bool is_awaited(const Thread *thread, unsigned id)
{
    for (unsigned i = 0; i < thread->n_awaited; i++)
        if (g_array_index(thread->requests, unsigned, i) == id)
            return true;
    return false;
}

/* Logs the rows of the requests of a call that waits for requests: its own, and the other posted receives of its
 * process. A recorder that does not name them logs all open ones. */
static void report_requests(Simulation *simulation, unsigned location)
{
    const Thread *thread = &simulation->threads[location];
    bool is_named = simulation->program->names_requests;

    for (unsigned i = 0; is_named && i < thread->n_awaited; i++)
        report_request(simulation, location, g_array_index(thread->requests, unsigned, i), false);
    for (unsigned id = 0; id < simulation->all_requests->len; id++) {
        const Request *request = request_at(simulation, id);
        bool is_other = !request->sends && !is_awaited(thread, id);
        if (request->is_open && request->proc == proc_of(location) && (!is_named || is_other))
            report_request(simulation, location, id, is_named);
    }
}

void simulation_report(Simulation *simulation, unsigned location)
{
    Thread *thread = &simulation->threads[location];
    const Step *step = step_of(simulation, location);
    Row row = pending_row(simulation, location);

    if (thread->is_reported)
        return;
    thread->is_reported = true;
    g_array_set_size(thread->listed, 0);
    if (step->kind == STEP_WAIT)
        set_envelope(simulation, g_array_index(thread->requests, unsigned, 0), &row);
    simulation_log(simulation, location, row);
    if (!simulation->program->lists_requests)
        return;
    if (step->kind == STEP_SENDRECV)
        simulation_log(simulation, location,
                       (Row){.kind = ROW_PENDING_SEND,
                             .since = thread->since,
                             .peer = step->dest,
                             .tag = step->sendtag,
                             .comm = step->comm,
                             .request = NO_REQUESTS,
                             .root = NO_PEER,
                             .id = NO_REQUESTS});
    if (step->kind == STEP_WAIT && !simulation->program->names_requests)
        report_request(simulation, location, g_array_index(thread->requests, unsigned, 0), false);
    else if (waits_for_requests(step->kind))
        report_requests(simulation, location);
}
