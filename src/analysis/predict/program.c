#include "src/analysis/predict/program.h"

enum {
    BUFFERS_BYTES = 16 << 20, /* of the buffers of all locations together */
    BUFFER_MAX = 32 << 10,
    KIND_BITS = 3,
};

/* Flags of a record, above its kind. */
enum {
    BLOCKS = 1 << KIND_BITS,
    SENDS = 2 << KIND_BITS,
    RECEIVES = 4 << KIND_BITS,
    BUFFERED = 8 << KIND_BITS,
    SYNCHRONOUS = 16 << KIND_BITS,
};

XtfRunProgram *xtf_run_program_new(const uint32_t *first, uint32_t n_processes, GError **error)
{
    g_autoptr(XtfRunProgram) program = g_new0(XtfRunProgram, 1);
    uint32_t n = first[n_processes];

    program->spool = XTF_SPOOL_NONE;
    program->comms = g_array_new(FALSE, TRUE, sizeof(XtfRunProgramComm));
    program->rounds = g_array_new(FALSE, TRUE, sizeof(XtfRoundsKind));
    program->n_processes = n_processes;
    program->n_locations = n;
    program->locations = g_new0(XtfRunProgramLocation, (gsize)n + 1);
    program->processes = g_new(uint32_t, (gsize)n + 1);
    for (uint32_t process = 0; process < n_processes; process++)
        for (uint32_t location = first[process]; location < first[process + 1]; location++)
            program->processes[location] = process;
    if (!xtf_spool_open(&program->spool, error))
        return NULL;
    uint32_t buffer = MAX(MIN(BUFFERS_BYTES / (n + 1), BUFFER_MAX), XTF_LOG_BUFFER_MIN);
    for (uint32_t i = 0; i < n; i++)
        xtf_log_writer_init(&program->locations[i].writer, &program->spool, buffer);
    return g_steal_pointer(&program);
}

void xtf_run_program_free(XtfRunProgram *program)
{
    if (!program)
        return;
    for (uint32_t i = 0; i < program->n_locations; i++)
        xtf_log_writer_finish(&program->locations[i].writer);
    for (guint i = 0; i < program->comms->len; i++)
        g_free(g_array_index(program->comms, XtfRunProgramComm, i).processes);
    g_array_unref(program->comms);
    g_array_unref(program->rounds);
    xtf_spool_close(&program->spool);
    g_free(program->locations);
    g_free(program->processes);
    g_free(program);
}

void xtf_run_program_add_comm(XtfRunProgram *program, uint32_t comm, const uint32_t *processes, uint32_t n)
{
    if (comm >= program->comms->len)
        g_array_set_size(program->comms, comm + 1);
    XtfRunProgramComm *to = &g_array_index(program->comms, XtfRunProgramComm, comm);
    if (to->processes)
        return;
    to->n = n;
    to->processes = g_memdup2(processes, n * sizeof *processes);
}

static uint8_t *put_key(uint8_t *to, uint64_t key, uint64_t last)
{
    to = xtf_log_put_near(to, (key >> 32) - (last >> 32));
    return xtf_log_put(to, (uint32_t)key);
}

static uint64_t get_key(const uint8_t **from, uint64_t last)
{
    uint64_t high = (last >> 32) + xtf_log_get_near(from);
    return high << 32 | (uint32_t)xtf_log_get(from);
}

static uint8_t *put_fields(uint8_t *to, const XtfOp *op, const XtfOp *last)
{
    switch (op->kind) {
    case XTF_OP_SEND:
        to = xtf_log_put(xtf_log_put(to, op->peer), op->bytes);
        return xtf_log_put_near(to, op->time - last->time);
    case XTF_OP_RECEIVE:
        return xtf_log_put(xtf_log_put(xtf_log_put(to, op->peer), op->comm), op->tag);
    case XTF_OP_BEGIN:
        return xtf_log_put(to, op->peer);
    case XTF_OP_END:
        to = xtf_log_put(xtf_log_put(xtf_log_put(to, op->peer), op->root), op->bytes);
        *to++ = op->pattern;
        return xtf_log_put(to, op->label);
    case XTF_OP_SENT:
    case XTF_OP_POST:
    case XTF_OP_PROBE:
    case XTF_OP_EXIT:
        break;
    }
    return to;
}

static void get_fields(const uint8_t *from, XtfOp *op)
{
    switch (op->kind) {
    case XTF_OP_SEND:
        op->peer = (uint32_t)xtf_log_get(&from);
        op->bytes = xtf_log_get(&from);
        op->time += xtf_log_get_near(&from);
        return;
    case XTF_OP_RECEIVE:
        op->peer = (uint32_t)xtf_log_get(&from);
        op->comm = (uint32_t)xtf_log_get(&from);
        op->tag = (uint32_t)xtf_log_get(&from);
        return;
    case XTF_OP_BEGIN:
        op->peer = (uint32_t)xtf_log_get(&from);
        return;
    case XTF_OP_END:
        op->peer = (uint32_t)xtf_log_get(&from);
        op->root = (uint32_t)xtf_log_get(&from);
        op->bytes = xtf_log_get(&from);
        op->pattern = *from++;
        op->label = (uint32_t)xtf_log_get(&from);
        return;
    case XTF_OP_SENT:
    case XTF_OP_POST:
    case XTF_OP_PROBE:
    case XTF_OP_EXIT:
        break;
    }
}

static uint8_t head_of(const XtfOp *op)
{
    return (uint8_t)(op->kind | (op->blocks ? BLOCKS : 0) | (op->sends ? SENDS : 0) | (op->receives ? RECEIVES : 0) |
                     (op->buffered ? BUFFERED : 0) | (op->synchronous ? SYNCHRONOUS : 0));
}

bool xtf_run_program_put(XtfRunProgram *program, uint32_t location, const XtfOp *op, GError **error)
{
    XtfRunProgramLocation *of = &program->locations[location];
    XtfOp last = of->last;
    uint8_t *to = xtf_log_begin(&of->writer, error);

    if (!to)
        return false;
    *to++ = head_of(op);
    to = xtf_log_put_near(to, op->computing - last.computing);
    to = xtf_log_put_near(to, op->seq - last.seq);
    to = put_key(to, op->message, last.message);
    xtf_log_end(&of->writer, put_fields(to, op, &last));
    uint64_t time = op->kind == XTF_OP_SEND ? op->time : last.time;
    of->last = *op;
    of->last.time = time;
    return true;
}

bool xtf_run_program_end(XtfRunProgram *program, GError **error)
{
    for (uint32_t i = 0; i < program->n_locations; i++)
        if (!xtf_log_writer_end(&program->locations[i].writer, &program->locations[i].log, error))
            return false;
    return true;
}

void xtf_op_reader_init(XtfOpReader *reader, const XtfRunProgram *program, uint32_t location, uint32_t buffer)
{
    *reader = (XtfOpReader){0};
    xtf_log_reader_init(&reader->log, &program->spool, &program->locations[location].log, buffer);
}

void xtf_op_reader_finish(XtfOpReader *reader)
{
    xtf_log_reader_finish(&reader->log);
}

bool xtf_op_reader_next(XtfOpReader *reader, bool *found, GError **error)
{
    const uint8_t *from, *end;
    XtfOp *op = &reader->op;

    if (!xtf_log_next(&reader->log, &from, &end, error))
        return false;
    *found = from != NULL;
    if (!from)
        return true;
    uint8_t head = *from++;
    op->kind = (XtfOpKind)(head & ((1 << KIND_BITS) - 1));
    op->blocks = head & BLOCKS;
    op->sends = head & SENDS;
    op->receives = head & RECEIVES;
    op->buffered = head & BUFFERED;
    op->synchronous = head & SYNCHRONOUS;
    op->computing += xtf_log_get_near(&from);
    op->seq += xtf_log_get_near(&from);
    op->message = get_key(&from, op->message);
    get_fields(from, op);
    return true;
}
