#include "src/analysis/predict/extract.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/analysis/predict/schedule.h"

typedef struct {
    XtfReplay *replay;
    XtfProgram *program;
    XtfExtraction *extraction;
    uint32_t *first; /* first location, by process */
    const XtfField *operations; /* the field of collectives with the label of the operation; NULL: none */
    GError *error;
} Extract;

static void put(Extract *extract, const XtfReplayEvent *at, XtfOp op)
{
    op.seq = at->seq;
    op.computing = at->call->outside;
    if (!extract->error)
        xtf_program_put(extract->program, extract->first[at->process] + at->number, &op, &extract->error);
}

static uint64_t put_send(void *data, const XtfReplayEvent *at)
{
    put(data, at,
        (XtfOp){.kind = XTF_OP_SEND,
                .message = at->message,
                .peer = at->peer,
                .bytes = at->bytes,
                .time = at->time,
                .blocks = at->blocks});
    return at->message;
}

static void put_sent(void *data, const XtfReplayEvent *at, uint64_t value)
{
    put(data, at, (XtfOp){.kind = XTF_OP_SENT, .message = value});
}

static uint64_t put_posting(void *data, const XtfReplayEvent *at)
{
    if (at->message != UINT64_MAX)
        put(data, at, (XtfOp){.kind = XTF_OP_POST, .message = at->message});
    return at->time;
}

static void put_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    Extract *extract = data;
    bool waited = MAX(message->posted, at->call->enter) <= message->send.time;

    put(extract, at,
        (XtfOp){.kind = XTF_OP_RECEIVE,
                .message = message->value,
                .peer = message->send.process,
                .comm = message->comm,
                .tag = message->tag});
    if (at->time < message->send.time)
        extract->extraction->backward++;
    else if (message->send.process != at->process)
        xtf_estimate_add(&extract->extraction->estimate, message->bytes, at->time - message->send.time, waited);
}

static void put_probe(void *data, const XtfReplayEvent *at, uint64_t value)
{
    put(data, at, (XtfOp){.kind = XTF_OP_PROBE, .message = value});
}

static uint64_t put_begin(void *data, const XtfReplayEvent *at)
{
    Extract *extract = data;
    uint32_t n, comm = (uint32_t)(at->message >> 32);
    const uint32_t *members = xtf_replay_members(extract->replay, comm, &n);

    if (members)
        xtf_program_add_comm(extract->program, comm, members, n);
    put(extract, at,
        (XtfOp){.kind = XTF_OP_BEGIN,
                .message = at->message,
                .peer = at->peer,
                .bytes = at->bytes,
                .sends = at->sends});
    return 0;
}

static void put_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    Extract *extract = data;
    const XtfField *field = extract->operations;
    const char *label = field && collective->operation < field->n_labels ? field->labels[collective->operation] : NULL;

    put(extract, at,
        (XtfOp){.kind = XTF_OP_END,
                .message = at->message,
                .peer = rank,
                .root = collective->root,
                .pattern = (uint8_t)collective->pattern,
                .schedule = (uint8_t)xtf_schedule_kind(label, collective->shape),
                .receives = at->receives});
}

/* Adds the time of computing from the last operation to the end of each location. */
static void put_exits(Extract *extract)
{
    for (uint32_t process = 0; process < extract->program->n_processes; process++)
        for (uint32_t i = 0; i < xtf_replay_process(extract->replay, process)->n_locations; i++) {
            XtfReplayBounds bounds;
            xtf_replay_bounds(extract->replay, process, i, &bounds);
            const XtfReplayCall last = {.outside = bounds.outside};
            const XtfReplayEvent at = {.process = process, .number = i, .seq = UINT64_MAX, .call = &last};
            put(extract, &at, (XtfOp){.kind = XTF_OP_EXIT});
        }
}

static bool run_extract(Extract *extract, GError **error)
{
    const XtfReplayConsumer consumer = {.data = extract,
                                        .send = put_send,
                                        .begin = put_begin,
                                        .receive = put_receive,
                                        .end = put_end,
                                        .post = put_posting,
                                        .probe = put_probe,
                                        .sent = put_sent};

    if (!xtf_replay_run(extract->replay, &consumer, &extract->extraction->counts, error))
        return false;
    put_exits(extract);
    if (!extract->error)
        return xtf_program_end(extract->program, error);
    g_propagate_error(error, g_steal_pointer(&extract->error));
    return false;
}

XtfProgram *xtf_extract(XtfReplay *replay, XtfExtraction *extraction, GError **error)
{
    XtfTrace *trace = xtf_replay_context(replay)->trace;
    const XtfSchema *collectives = xtf_trace_find_schema(trace, XTF_RECORD_COLLECTIVES);
    g_autofree uint32_t *first = xtf_replay_first_locations(replay);
    g_autoptr(XtfProgram) program = xtf_program_new(first, xtf_replay_n_processes(replay), error);
    Extract extract = {.replay = replay, .program = program, .extraction = extraction, .first = first};

    *extraction = (XtfExtraction){0};
    xtf_estimate_init(&extraction->estimate);
    if (!program)
        return NULL;
    if (collectives)
        extract.operations = xtf_schema_field(collectives, "operation");
    return run_extract(&extract, error) ? g_steal_pointer(&program) : NULL;
}
