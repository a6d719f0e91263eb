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
               .request = NO_REQUESTS};

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

static void report_request(Simulation *simulation, unsigned location, unsigned id)
{
    Thread *thread = &simulation->threads[location];
    Row row = {.kind = request_at(simulation, id)->sends ? ROW_PENDING_SEND : ROW_PENDING_RECEIVE,
               .since = thread->since,
               .request = NO_REQUESTS};

    set_envelope(simulation, id, &row);
    simulation_log(simulation, location, row);
    g_array_append_val(thread->listed, id);
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
                             .request = NO_REQUESTS});
    if (step->kind == STEP_WAIT)
        report_request(simulation, location, g_array_index(thread->requests, unsigned, 0));
    else if (waits_for_requests(step->kind)) /* the recorder does not know which of the process's requests they are */
        for (unsigned id = 0; id < simulation->all_requests->len; id++)
            if (request_at(simulation, id)->is_open && request_at(simulation, id)->proc == proc_of(location))
                report_request(simulation, location, id);
}
