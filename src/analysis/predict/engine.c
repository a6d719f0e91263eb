#include "src/analysis/predict/engine.h"

#include "libxtf/error.h"
#include "src/analysis/predict/engine-private.h"
#include "src/analysis/predict/heap.h"

enum {
    FACTOR_BITS = 20,
    BUFFERS_BYTES = 16 << 20, /* of all readers together */
    BUFFER_MAX = 32 << 10,
    IN_FLIGHT = 1 << 18,   /* messages of all locations; one that has more than its share waits for the others */
    IN_FLIGHT_LEAST = 256, /* of one location */
    OPS_AT_ONCE = 4096,    /* operations between reports of the progress */
};

/* A location that ran far ahead. */
typedef struct {
    uint64_t clock;
    uint32_t location;
} Ahead;

void xtf_prediction_finish(XtfPrediction *prediction)
{
    g_clear_pointer(&prediction->locations, g_free);
}

uint64_t xtf_predict_computing(const XtfRunProgram *program, uint64_t computing, uint64_t factor)
{
    unsigned __int128 parts = (unsigned __int128)computing * (program->in_parts ? 1 : XTF_PREDICT_PARTS);

    return (uint64_t)(parts * factor >> FACTOR_BITS);
}

/* ---- Queues. */

static bool is_less_ahead(const void *a, const void *b)
{
    const Ahead *left = a, *right = b;

    return left->clock < right->clock || (left->clock == right->clock && left->location < right->location);
}

/* Puts a location off until the other locations have reached its clock. */
static void put_off(XtfEngine *engine, uint32_t location)
{
    const Ahead ahead = {engine->locations[location].times.end, location};

    engine->locations[location].queued = true;
    xtf_heap_add(engine->ahead, &ahead, sizeof ahead, is_less_ahead);
}

/* Returns the location of the heap whose clock is least; the heap has some. */
static uint32_t take_ahead(XtfEngine *engine)
{
    uint32_t location = g_array_index(engine->ahead, Ahead, 0).location;

    xtf_heap_remove_first(engine->ahead, sizeof(Ahead), is_less_ahead);
    return location;
}

/* ---- Locations. */

/* Does the operation of a location; false: it waits. */
static bool do_op(XtfEngine *engine, uint32_t location)
{
    const XtfOp *op = &engine->locations[location].reader.op;

    switch (op->kind) {
    case XTF_OP_SEND:
        return xtf_engine_send(engine, location, op);
    case XTF_OP_SENT:
        return xtf_engine_complete_send(engine, location, op);
    case XTF_OP_POST:
        xtf_engine_post(engine, location, op);
        return true;
    case XTF_OP_RECEIVE:
        return xtf_engine_receive(engine, location, op);
    case XTF_OP_PROBE:
        return xtf_engine_probe(engine, location, op);
    case XTF_OP_BEGIN:
        xtf_engine_begin(engine, location, op);
        return true;
    case XTF_OP_END:
        return xtf_engine_end(engine, location, op);
    case XTF_OP_EXIT:
        break;
    }
    return true;
}

/* Reads the next operation of a location, and computes up to it. */
static bool next_op(XtfEngine *engine, XtfEngineLocation *location, GError **error)
{
    if (engine->n_ops++ % OPS_AT_ONCE == 0 && !xtf_steps_advance(engine->steps, OPS_AT_ONCE, error))
        return false;
    if (!xtf_op_reader_next(&location->reader, &location->has_op, error))
        return false;
    if (!location->has_op) {
        location->done = true;
        xtf_op_reader_finish(&location->reader);
        return true;
    }
    uint64_t computing = xtf_predict_computing(engine->program, location->reader.op.computing, location->factor);
    if (computing > location->times.computing) {
        location->times.end += computing - location->times.computing;
        location->times.computing = computing;
    }
    location->phase = 0;
    location->in_rounds = false;
    return true;
}

/* Runs a location until it waits, ends, or is far ahead. */
static bool run_location(XtfEngine *engine, uint32_t number, GError **error)
{
    XtfEngineLocation *location = &engine->locations[number];

    location->queued = false;
    for (;;) {
        if (!location->has_op && !next_op(engine, location, error))
            return false;
        if (location->done || !do_op(engine, number))
            return true;
        location->has_op = false;
        if (location->n_inflight > engine->ahead_limit) {
            put_off(engine, number);
            return true;
        }
    }
}

static bool run_ready(XtfEngine *engine, GError **error)
{
    while (!g_queue_is_empty(&engine->ready)) {
        if (!run_location(engine, GPOINTER_TO_UINT(g_queue_pop_head(&engine->ready)), error))
            return false;
        if (engine->error) {
            g_propagate_error(error, g_steal_pointer(&engine->error));
            return false;
        }
    }
    return true;
}

static void advance_flows(XtfEngine *engine)
{
    uint32_t n;

    engine->now = xtf_flows_next_time(engine->flows);
    const uint32_t *users = xtf_flows_advance(engine->flows, &n);
    for (uint32_t i = 0; i < n; i++)
        xtf_engine_arrive(engine, users[i], engine->now);
}

/* Ends a wait of a location that would last for ever. */
static void force_wait(XtfEngine *engine, uint32_t number)
{
    XtfEngineLocation *location = &engine->locations[number];
    const XtfOp *op = &location->reader.op;

    uint32_t message = op->kind == XTF_OP_END    ? xtf_engine_awaited(engine, location)
                       : op->kind == XTF_OP_SEND ? location->message
                                                 : xtf_engine_find_message(engine, op->message);

    if (message != XTF_NO_INDEX) {
        xtf_engine_force_message(engine, message);
        return;
    }
    engine->result->forced_others++;
    location->has_op = false;
    xtf_engine_wake(engine, number);
}

/* Lets one of the locations that wait go on; false: all are done. A send that waits for its receive is the first. */
static bool break_deadlock(XtfEngine *engine)
{
    uint32_t found = XTF_NO_INDEX;

    for (uint32_t i = 0; i < engine->n_locations; i++) {
        const XtfEngineLocation *location = &engine->locations[i];
        if (location->done)
            continue;
        bool sends = location->reader.op.kind == XTF_OP_SEND || location->reader.op.kind == XTF_OP_SENT;
        if (sends) {
            found = i;
            break;
        }
        if (found == XTF_NO_INDEX)
            found = i;
    }
    if (found == XTF_NO_INDEX)
        return false;
    force_wait(engine, found);
    return true;
}

static bool run_all(XtfEngine *engine, GError **error)
{
    for (uint32_t i = 0; i < engine->n_locations; i++)
        xtf_engine_wake(engine, i);
    for (;;) {
        if (!run_ready(engine, error))
            return false;
        uint64_t flow = engine->flows ? xtf_flows_next_time(engine->flows) : UINT64_MAX;
        if (engine->ahead->len > 0 && g_array_index(engine->ahead, Ahead, 0).clock <= flow) {
            if (!run_location(engine, take_ahead(engine), error))
                return false;
        } else if (flow != UINT64_MAX) {
            if (!xtf_steps_advance(engine->steps, 0, error)) /* no operation may follow for long */
                return false;
            advance_flows(engine);
        } else if (!break_deadlock(engine)) {
            return true;
        }
    }
}

/* ---- A run. */

static uint32_t count_nodes(const XtfRunProgram *program, const XtfMachine *machine)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < program->n_processes; i++)
        n = MAX(n, xtf_machine_node(machine, i) + 1);
    return n;
}

/* Makes the links of nodes, as fast as the fastest pair. Links of infinite bandwidth need no flows. */
static XtfFlows *make_flows(const XtfRunProgram *program, const XtfMachine *machine)
{
    double least = machine->remote.per_byte;

    if (!machine->contention)
        return NULL;
    for (uint64_t i = 0; machine->pairs && i < (uint64_t)machine->n_pairs * machine->n_pairs; i++)
        if (machine->pairs[i].per_byte > 0 && (least <= 0 || machine->pairs[i].per_byte < least))
            least = machine->pairs[i].per_byte;
    return least > 0 ? xtf_flows_new(count_nodes(program, machine), 1 / least) : NULL;
}

static void init_engine(XtfEngine *engine, const uint64_t *factors)
{
    const XtfRunProgram *program = engine->program;
    uint32_t n = program->n_locations;

    engine->n_locations = n;
    engine->ideal = xtf_machine_is_ideal(engine->machine);
    engine->locations = g_new0(XtfEngineLocation, (gsize)n + 1);
    engine->orders = g_new0(XtfEngineOrder, (gsize)n + 1);
    engine->messages = g_array_new(FALSE, FALSE, sizeof(XtfEngineMessage));
    engine->operations = g_array_new(FALSE, FALSE, sizeof(XtfEngineOperation));
    engine->ahead = g_array_new(FALSE, FALSE, sizeof(Ahead));
    engine->free_message = engine->free_operation = XTF_NO_INDEX;
    engine->by_key.few_words = engine->operations_by_key.few_words = 1;
    engine->ahead_limit = MAX(IN_FLIGHT / (n + 1), IN_FLIGHT_LEAST);
    engine->flows = make_flows(program, engine->machine);
    g_queue_init(&engine->ready);
    for (uint32_t i = 0; i < n; i++) {
        xtf_op_reader_init(&engine->locations[i].reader, program, i,
                           MAX(MIN(BUFFERS_BYTES / (n + 1), BUFFER_MAX), XTF_LOG_BUFFER_MIN));
        engine->locations[i].factor = factors ? factors[program->processes[i]] : UINT64_C(1) << FACTOR_BITS;
    }
}

static void finish_engine(XtfEngine *engine)
{
    for (uint32_t i = 0; i < engine->n_locations; i++)
        xtf_op_reader_finish(&engine->locations[i].reader);
    xtf_engine_operations_finish(engine);
    xtf_flights_finish(&engine->by_key);
    xtf_flights_finish(&engine->operations_by_key);
    xtf_flows_free(engine->flows);
    g_queue_clear(&engine->ready);
    g_array_unref(engine->ahead);
    g_array_unref(engine->messages);
    g_array_unref(engine->operations);
    g_free(engine->orders);
    g_free(engine->locations);
    g_clear_error(&engine->error);
}

bool xtf_predict_run(const XtfRunProgram *program, const XtfMachine *machine, const uint64_t *factors,
                     const XtfPredictionConsumer *consumer, XtfSteps *steps, XtfPrediction *prediction, GError **error)
{
    XtfPrediction result = {.n_locations = program->n_locations};
    XtfEngine engine = {
        .program = program, .machine = machine, .consumer = consumer, .steps = steps, .result = &result};

    init_engine(&engine, factors);
    bool good = run_all(&engine, error);
    if (good && engine.error) {
        g_propagate_error(error, g_steal_pointer(&engine.error));
        good = false;
    }
    if (good) {
        result.locations = g_new(XtfPredictedTimes, (gsize)program->n_locations + 1);
        for (uint32_t i = 0; i < program->n_locations; i++)
            result.locations[i] = engine.locations[i].times;
        *prediction = result;
    }
    finish_engine(&engine);
    return good;
}
