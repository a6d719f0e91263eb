/*
 * Messages between two processes, also in collective operations.
 */
#include <math.h>

#include "src/analysis/predict/engine-private.h"

/* ---- The table of messages. */

static uint32_t find_engine_message(XtfEngine *engine, XtfFlights *table, uint64_t key, uint32_t operation)
{
    XtfFlight *known = xtf_flights_find(table, key);

    if (known)
        return (uint32_t)known->words[0];
    uint32_t index = engine->free_message;
    if (index != XTF_NO_INDEX) {
        engine->free_message = xtf_engine_message(engine, index)->next;
    } else {
        index = engine->messages->len;
        g_array_set_size(engine->messages, index + 1);
    }
    *xtf_engine_message(engine, index) = (XtfEngineMessage){
        .key = key, .sender = XTF_NO_INDEX, .receiver = XTF_NO_INDEX, .operation = operation, .source = XTF_NO_INDEX};
    xtf_flights_add(table, key)->words[0] = index;
    return index;
}

uint32_t xtf_engine_find_message(XtfEngine *engine, uint64_t key)
{
    return find_engine_message(engine, &engine->by_key, key, XTF_NO_INDEX);
}

uint32_t xtf_engine_find_member_message(XtfEngine *engine, uint32_t operation, uint32_t from, uint32_t to)
{
    return find_engine_message(engine, &xtf_engine_operation(engine, operation)->messages, (uint64_t)from << 32 | to,
                               operation);
}

/* Frees a message that neither end needs any more. */
static void release_message(XtfEngine *engine, uint32_t index)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);

    if (!message->received || !message->settled)
        return;
    XtfFlights *table = message->operation == XTF_NO_INDEX
                            ? &engine->by_key
                            : &xtf_engine_operation(engine, message->operation)->messages;
    XtfFlight *flight = xtf_flights_find(table, message->key);
    if (flight)
        xtf_flights_remove(table, flight);
    message->next = engine->free_message;
    engine->free_message = index;
}

/* ---- The transfer. */

void xtf_engine_arrive(XtfEngine *engine, uint32_t index, uint64_t arrival)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);

    message->arrival = arrival;
    message->arrived = true;
    xtf_engine_wake(engine, message->receiver);
    xtf_engine_wake(engine, message->sender);
}

/* Starts the transfer of a message whose ends are ready. */
static void start_message(XtfEngine *engine, uint32_t index)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);
    const XtfMachine *machine = engine->machine;

    if (message->started || !message->has_send || (!message->eager && !message->has_post))
        return;
    message->started = true;
    message->start = message->eager ? message->sent : MAX(message->sent, message->posted);
    if (message->from == message->to) {
        xtf_engine_arrive(engine, index, message->start);
        return;
    }
    const XtfLinkTimes link = xtf_machine_link(machine, message->from, message->to);
    uint64_t begin = message->start + link.latency;
    uint32_t source = xtf_machine_node(machine, message->from), target = xtf_machine_node(machine, message->to);
    if (engine->flows && source != target && message->bytes > 0 && link.per_byte > 0)
        xtf_flows_add(engine->flows, MAX(begin, engine->now), source, target, message->bytes, 1 / link.per_byte, index);
    else
        xtf_engine_arrive(engine, index, begin + xtf_link_parts(&link, message->bytes));
}

void xtf_engine_send_message(XtfEngine *engine, uint32_t location, uint32_t index, uint32_t to, uint64_t bytes,
                             bool eager)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);
    XtfEngineLocation *of = &engine->locations[location];

    message->from = engine->program->processes[location];
    message->to = to;
    message->source = location;
    message->bytes = bytes;
    message->eager = message->from == to || eager;
    message->settled = message->eager;
    of->message = message->settled ? XTF_NO_INDEX : index; /* an eager one may be done before its sender continues */
    if (message->from != to)
        xtf_engine_spend_overhead(engine, of);
    message->sent = of->times.end;
    message->has_send = true;
    of->n_inflight++;
    engine->result->messages++;
    xtf_engine_wake(engine, message->receiver);
    start_message(engine, index);
}

void xtf_engine_post_message(XtfEngine *engine, uint32_t location, uint32_t index)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);

    if (message->has_post)
        return;
    message->posted = engine->locations[location].times.end;
    message->has_post = true;
    start_message(engine, index);
}

bool xtf_engine_await_receive(XtfEngine *engine, uint32_t location, uint32_t index)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);
    XtfEngineLocation *of = &engine->locations[location];

    if (!message->arrived) {
        message->receiver = location;
        return false;
    }
    xtf_engine_wait(of, message->start, message->arrival);
    if (message->from != message->to)
        xtf_engine_spend_overhead(engine, of);
    message->received = true;
    message->receiver = XTF_NO_INDEX;
    if (message->source != XTF_NO_INDEX)
        engine->locations[message->source].n_inflight--;
    release_message(engine, index);
    return true;
}

bool xtf_engine_await_sent(XtfEngine *engine, uint32_t location, uint32_t index)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);

    if (message->settled)
        return true;
    if (!message->arrived) {
        message->sender = location;
        return false;
    }
    xtf_engine_wait(&engine->locations[location], message->start, message->arrival);
    message->settled = true;
    message->sender = XTF_NO_INDEX;
    release_message(engine, index);
    return true;
}

void xtf_engine_force_message(XtfEngine *engine, uint32_t index)
{
    XtfEngineMessage *message = xtf_engine_message(engine, index);

    if (message->has_send && !message->started) {
        engine->result->forced_sends++;
        message->eager = true;
        start_message(engine, index);
        return;
    }
    engine->result->forced_others++;
    message->settled = true;
    message->start = 0;
    xtf_engine_arrive(engine, index, 0);
}

/* ---- Operations of a location. */

bool xtf_engine_send(XtfEngine *engine, uint32_t location, const XtfOp *op)
{
    XtfEngineLocation *of = &engine->locations[location];

    if (of->phase == 0) {
        uint32_t index = xtf_engine_find_message(engine, op->message);
        xtf_engine_message(engine, index)->recorded = op->time;
        bool synchronous = op->synchronous && engine->machine->eager != UINT64_MAX;
        bool eager = op->buffered || (xtf_engine_is_eager(engine, op->bytes) && !synchronous);
        xtf_engine_send_message(engine, location, index, op->peer, op->bytes, eager);
        of->phase = 1;
    }
    if (op->blocks && of->message != XTF_NO_INDEX && !xtf_engine_await_sent(engine, location, of->message))
        return false;
    xtf_engine_shift(engine, location, op->seq + 1);
    return true;
}

bool xtf_engine_complete_send(XtfEngine *engine, uint32_t location, const XtfOp *op)
{
    const XtfFlight *known = xtf_flights_find(&engine->by_key, op->message);

    if (!known)
        return true;
    if (!xtf_engine_await_sent(engine, location, (uint32_t)known->words[0]))
        return false;
    xtf_engine_shift(engine, location, op->seq);
    return true;
}

void xtf_engine_post(XtfEngine *engine, uint32_t location, const XtfOp *op)
{
    xtf_engine_post_message(engine, location, xtf_engine_find_message(engine, op->message));
}

bool xtf_engine_receive(XtfEngine *engine, uint32_t location, const XtfOp *op)
{
    XtfEngineLocation *of = &engine->locations[location];

    if (of->phase == 0) {
        of->received = xtf_engine_find_message(engine, op->message);
        xtf_engine_post_message(engine, location, of->received);
        of->phase = 1;
    }
    const XtfEngineMessage message = *xtf_engine_message(engine, of->received);
    if (!xtf_engine_await_receive(engine, location, of->received))
        return false;
    xtf_engine_note_receive(engine, location, op, &message);
    xtf_engine_shift(engine, location, op->seq);
    return true;
}

bool xtf_engine_probe(XtfEngine *engine, uint32_t location, const XtfOp *op)
{
    uint32_t index = xtf_engine_find_message(engine, op->message);
    XtfEngineMessage *message = xtf_engine_message(engine, index);

    if (!message->arrived && (!message->has_send || message->eager)) {
        message->receiver = location;
        return false;
    }
    message->receiver = XTF_NO_INDEX;
    if (message->arrived) {
        xtf_engine_wait(&engine->locations[location], message->start, message->arrival);
    } else {
        const XtfLinkTimes link = xtf_machine_link(engine->machine, message->from, message->to);
        xtf_engine_wait(&engine->locations[location], message->sent, message->sent + link.latency);
    }
    xtf_engine_shift(engine, location, op->seq);
    return true;
}
