#include "src/analysis/predict/extract.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"
#include "src/trace/context/name-index.h"

/* A send of a call that also receives (MPI_Sendrecv): it is complete after the receive. */
typedef struct {
    uint64_t message, call; /* call: row of its ENTER */
    bool open;
} OpenSend;

typedef struct {
    XtfReplay *replay;
    XtfRunProgram *program;
    XtfExtraction *extraction;
    uint32_t *first; /* first location, by process */
    const char **regions;
    uint64_t n_regions;
    uint8_t *modes;       /* by region: how its sends complete */
    OpenSend *open_sends; /* by location */
    GError *error;
} Extract;

enum { STANDARD, BUFFERED, SYNCHRONOUS };

static uint32_t extracted_location(const Extract *extract, const XtfReplayEvent *at)
{
    return extract->first[at->process] + at->number;
}

static void put_op(Extract *extract, const XtfReplayEvent *at, XtfOp op)
{
    op.seq = at->seq;
    op.computing = at->call->outside;
    if (!extract->error)
        xtf_run_program_put(extract->program, extracted_location(extract, at), &op, &extract->error);
}

static void complete_open_send(Extract *extract, const XtfReplayEvent *at)
{
    OpenSend *send = &extract->open_sends[extracted_location(extract, at)];

    if (send->open)
        put_op(extract, at, (XtfOp){.kind = XTF_OP_SENT, .message = send->message});
    send->open = false;
}

/* Adds an operation, after the completion of a send of an earlier call. */
static void put_after_sends(Extract *extract, const XtfReplayEvent *at, XtfOp op)
{
    if (extract->open_sends[extracted_location(extract, at)].call != at->call->row)
        complete_open_send(extract, at);
    put_op(extract, at, op);
}

static uint64_t put_send(void *data, const XtfReplayEvent *at)
{
    Extract *extract = data;
    uint8_t mode = at->call->region < extract->n_regions ? extract->modes[at->call->region] : STANDARD;
    bool may_receive = at->blocks && at->call->kind == XTF_MPI_CALL_OTHER;

    put_after_sends(extract, at,
                    (XtfOp){.kind = XTF_OP_SEND,
                            .message = at->message,
                            .peer = at->peer,
                            .bytes = at->bytes,
                            .time = at->time,
                            .blocks = at->blocks && !may_receive,
                            .buffered = mode == BUFFERED,
                            .synchronous = mode == SYNCHRONOUS});
    if (may_receive)
        extract->open_sends[extracted_location(extract, at)] = (OpenSend){at->message, at->call->row, true};
    return at->message;
}

static void put_sent(void *data, const XtfReplayEvent *at, uint64_t value)
{
    put_after_sends(data, at, (XtfOp){.kind = XTF_OP_SENT, .message = value});
}

static uint64_t put_posting(void *data, const XtfReplayEvent *at)
{
    if (at->message != UINT64_MAX)
        put_after_sends(data, at, (XtfOp){.kind = XTF_OP_POST, .message = at->message});
    return at->time;
}

static void put_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    Extract *extract = data;
    bool waited = MAX(message->posted, at->call->enter) <= message->send.time;

    put_after_sends(extract, at,
                    (XtfOp){.kind = XTF_OP_RECEIVE,
                            .message = message->value,
                            .peer = message->send.process,
                            .comm = message->comm,
                            .tag = message->tag});
    complete_open_send(extract, at);
    if (at->time < message->send.time)
        extract->extraction->backward++;
    else if (message->send.process != at->process)
        xtf_estimate_add(&extract->extraction->estimate, message->bytes, at->time - message->send.time, waited);
}

static void put_probe(void *data, const XtfReplayEvent *at, uint64_t value)
{
    put_after_sends(data, at, (XtfOp){.kind = XTF_OP_PROBE, .message = value});
}

static uint64_t put_begin(void *data, const XtfReplayEvent *at)
{
    Extract *extract = data;
    uint32_t n, comm = (uint32_t)(at->message >> 32);
    const uint32_t *members = xtf_replay_members(extract->replay, comm, &n);

    if (members)
        xtf_run_program_add_comm(extract->program, comm, members, n);
    put_after_sends(extract, at,
                    (XtfOp){.kind = XTF_OP_BEGIN, .message = at->message, .peer = at->peer, .sends = at->sends});
    return at->time;
}

/* Returns the bytes of a block. The mean of all members counts if their begins are known at the end of any member. */
static uint64_t block_of(const Extract *extract, XtfReplayCollective *collective, const XtfReplayEvent *at)
{
    uint64_t sent = at->bytes, n = collective->n_members;

    if (collective->pattern == XTF_REPLAY_NOBODY || collective->operation >= extract->program->rounds->len)
        return sent;
    if (collective->pattern == XTF_REPLAY_ONE_TO_ALL) {
        const XtfReplayMember *root = &collective->members[collective->root];
        sent = root->begun ? root->begin.bytes : sent * n;
    } else if (collective->pattern == XTF_REPLAY_ALL_TO_ONE) {
        sent *= n;
    } else if (collective->pattern == XTF_REPLAY_SCAN) {
        sent = sent / (n - at->peer) * n * (n + 1) / 2;
    } else {
        if (collective->scratch == 0) {
            for (uint32_t rank = 0; rank < n; rank++)
                collective->scratch += collective->members[rank].begin.bytes;
            collective->scratch++;
        }
        sent = collective->scratch - 1;
    }
    return xtf_rounds_block(&g_array_index(extract->program->rounds, XtfRoundsKind, collective->operation), sent,
                            (uint32_t)n);
}

static void put_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    Extract *extract = data;
    uint64_t last;

    if (xtf_replay_latest(collective, rank, &last)) {
        extract->extraction->ends++;
        extract->extraction->backward_ends += at->time < last;
    }
    put_after_sends(extract, at,
                    (XtfOp){.kind = XTF_OP_END,
                            .message = at->message,
                            .peer = rank,
                            .root = collective->root,
                            .bytes = block_of(extract, collective, at),
                            .pattern = (uint8_t)collective->pattern,
                            .label = collective->operation,
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
            put_after_sends(extract, &at, (XtfOp){.kind = XTF_OP_EXIT});
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
        return xtf_run_program_end(extract->program, error);
    g_propagate_error(error, g_steal_pointer(&extract->error));
    return false;
}

/* Finds which regions send in another mode. */
static bool find_modes(Extract *extract, XtfTrace *trace, GError **error)
{
    static const char *const buffered[] = {"bsend", "ibsend", NULL}, *const synchronous[] = {"ssend", "issend", NULL};

    if (!xtf_table_names(trace, XTF_TABLE_REGIONS, &extract->regions, &extract->n_regions, error))
        return false;
    extract->n_regions = extract->regions ? extract->n_regions : 0;
    extract->modes = g_malloc(extract->n_regions + 1);
    for (uint64_t i = 0; i < extract->n_regions; i++) {
        const char *name = extract->regions[i];
        extract->modes[i] = !name                                           ? STANDARD
                            : xtf_mpi_function_find(name, buffered) >= 0    ? BUFFERED
                            : xtf_mpi_function_find(name, synchronous) >= 0 ? SYNCHRONOUS
                                                                            : STANDARD;
    }
    return true;
}

static void find_rounds(XtfTrace *trace, XtfRunProgram *program)
{
    const XtfSchema *collectives = xtf_trace_find_schema(trace, XTF_RECORD_COLLECTIVES);
    const XtfField *operation = collectives ? xtf_schema_field(collectives, "operation") : NULL;

    for (uint32_t i = 0; operation && i < operation->n_labels; i++) {
        const XtfRoundsKind kind = xtf_rounds_kind(operation->labels[i]);
        g_array_append_val(program->rounds, kind);
    }
}

static void extract_finish(Extract *extract)
{
    g_free(extract->first);
    g_free(extract->regions);
    g_free(extract->modes);
    g_free(extract->open_sends);
    g_clear_error(&extract->error);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Extract, extract_finish)

XtfRunProgram *xtf_extract(XtfReplay *replay, XtfExtraction *extraction, GError **error)
{
    XtfTrace *trace = xtf_replay_context(replay)->trace;
    uint32_t n = xtf_replay_n_processes(replay);
    g_auto(Extract) extract = {.replay = replay, .extraction = extraction, .first = xtf_replay_first_locations(replay)};
    g_autoptr(XtfRunProgram) program = xtf_run_program_new(extract.first, n, error);

    *extraction = (XtfExtraction){0};
    xtf_estimate_init(&extraction->estimate);
    if (!program || !find_modes(&extract, trace, error))
        return NULL;
    extract.program = program;
    extract.open_sends = g_new0(OpenSend, (gsize)program->n_locations + 1);
    find_rounds(trace, program);
    return run_extract(&extract, error) ? g_steal_pointer(&program) : NULL;
}
