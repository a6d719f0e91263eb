/*
 * Writes OTF2's events, except calls (locations.c), input and output, and remote memory access (events-io.c).
 */
#include "src/export/otf2/events.h"

#include "libxtf/trace.h"

#define WRITER XTF_OTF2_WRITER
#define EVENT  XTF_OTF2_EVENT
#define ID     XTF_OTF2_ID

/* Messages */

#define ENVELOPE r->peer, ID(COMMUNICATORS, r->comm), r->tag, r->bytes

WRITER(write_send, Sends)
{
    switch (r->event) {
        EVENT(MPI_SEND, MpiSend, ENVELOPE);
        EVENT(MPI_ISEND, MpiIsend, ENVELOPE, r->request);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_recv, Recvs)
{
    switch (r->event) {
        EVENT(MPI_RECV, MpiRecv, ENVELOPE);
        EVENT(MPI_IRECV, MpiIrecv, ENVELOPE, r->request);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_request, Requests)
{
    switch (r->event) {
        EVENT(MPI_ISEND_COMPLETE, MpiIsendComplete, r->request);
        EVENT(MPI_IRECV_REQUEST, MpiIrecvRequest, r->request);
        EVENT(MPI_REQUEST_TEST, MpiRequestTest, r->request);
        EVENT(MPI_REQUEST_CANCELLED, MpiRequestCancelled, r->request);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_collective, Collectives)
{
    switch (r->event) {
        EVENT(MPI_COLLECTIVE_BEGIN, MpiCollectiveBegin);
        EVENT(MPI_COLLECTIVE_END, MpiCollectiveEnd, r->operation, ID(COMMUNICATORS, r->comm), r->root, r->bytes,
              r->received);
        EVENT(NON_BLOCKING_COLLECTIVE_REQUEST, NonBlockingCollectiveRequest, r->request);
        EVENT(NON_BLOCKING_COLLECTIVE_COMPLETE, NonBlockingCollectiveComplete, r->operation, ID(COMMUNICATORS, r->comm),
              r->root, r->bytes, r->received, r->request);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_comm, Comms)
{
    switch (r->event) {
        EVENT(COMM_CREATE, CommCreate, ID(COMMUNICATORS, r->comm));
        EVENT(COMM_DESTROY, CommDestroy, ID(COMMUNICATORS, r->comm));
    }
    return XTF_OTF2_NO_EVENT;
}

/* Metrics */

static bool is_metric_type(uint8_t type)
{
    return type == OTF2_TYPE_INT64 || type == OTF2_TYPE_UINT64 || type == OTF2_TYPE_DOUBLE;
}

WRITER(write_metric, Counters)
{
    const uint32_t class = ID(METRIC_CLASSES, r->metric_class);
    OTF2_MetricValue values[UINT8_MAX];
    OTF2_Type types[UINT8_MAX];
    const void *side;
    unsigned n = 0;

    for (;;) {
        if (!xtf_location_reader_side(e->reader, XTF_MODEL_METRIC_VALUES, &side, &e->error))
            return OTF2_SUCCESS;
        const XtfMetricValuesRow *value = side;
        if (!value)
            break;
        if (n == UINT8_MAX || !is_metric_type(value->value_type)) {
            xtf_fail(&e->error, XTF_ERROR_INVALID, "a METRIC has %s",
                     n == UINT8_MAX ? "more than 255 values" : "a value of a type that OTF2 does not allow");
            return OTF2_SUCCESS;
        }
        types[n] = value->value_type;
        values[n++].unsigned_int = value->value;
    }
    return OTF2_EvtWriter_Metric(e->writer, e->attributes, e->time, class, (uint8_t)n, types, values);
}

/* Threads, locks, tasks. OTF2 deprecates its separate events for OpenMP, but archives have them. */

WRITER(write_thread, Threads)
{
    const uint32_t team = ID(COMMUNICATORS, r->team);

    switch (r->event) {
        EVENT(THREAD_FORK, ThreadFork, r->model, r->requested);
        EVENT(THREAD_JOIN, ThreadJoin, r->model);
        EVENT(THREAD_TEAM_BEGIN, ThreadTeamBegin, team);
        EVENT(THREAD_TEAM_END, ThreadTeamEnd, team);
        EVENT(THREAD_CREATE, ThreadCreate, team, r->sequence);
        EVENT(THREAD_BEGIN, ThreadBegin, team, r->sequence);
        EVENT(THREAD_WAIT, ThreadWait, team, r->sequence);
        EVENT(THREAD_END, ThreadEnd, team, r->sequence);
        EVENT(OMP_FORK, OmpFork, r->requested);
        EVENT(OMP_JOIN, OmpJoin);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_lock, Locks)
{
    switch (r->event) {
        EVENT(THREAD_ACQUIRE_LOCK, ThreadAcquireLock, r->model, r->lock, r->order);
        EVENT(THREAD_RELEASE_LOCK, ThreadReleaseLock, r->model, r->lock, r->order);
        EVENT(OMP_ACQUIRE_LOCK, OmpAcquireLock, r->lock, r->order);
        EVENT(OMP_RELEASE_LOCK, OmpReleaseLock, r->lock, r->order);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_task, Tasks)
{
    const uint32_t team = ID(COMMUNICATORS, r->team);

    switch (r->event) {
        EVENT(THREAD_TASK_CREATE, ThreadTaskCreate, team, r->creator, r->generation);
        EVENT(THREAD_TASK_SWITCH, ThreadTaskSwitch, team, r->creator, r->generation);
        EVENT(THREAD_TASK_COMPLETE, ThreadTaskComplete, team, r->creator, r->generation);
        EVENT(OMP_TASK_CREATE, OmpTaskCreate, r->task);
        EVENT(OMP_TASK_SWITCH, OmpTaskSwitch, r->task);
        EVENT(OMP_TASK_COMPLETE, OmpTaskComplete, r->task);
    }
    return XTF_OTF2_NO_EVENT;
}

/* Parameters, samples, the program, the measurement */

static uint32_t find_text_id(XtfOtf2Event *e, uint32_t text)
{
    uint32_t id = OTF2_UNDEFINED_STRING;

    if (!e->error)
        xtf_otf2_text(&e->export->names, text, &id, &e->error);
    return id;
}

WRITER(write_parameter, Parameters)
{
    const uint32_t parameter = ID(PARAMETER_DEFINITIONS, r->parameter);

    switch (r->event) {
        EVENT(PARAMETER_STRING, ParameterString, parameter, find_text_id(e, r->text));
        EVENT(PARAMETER_INT64, ParameterInt, parameter, r->integer);
        EVENT(PARAMETER_UINT64, ParameterUnsignedInt, parameter, r->unsigned_integer);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_sample, Samples)
{
    const uint32_t context = ID(CALLING_CONTEXTS, r->calling_context);

    switch (r->event) {
        EVENT(CALLING_CONTEXT_ENTER, CallingContextEnter, context, r->unwind_distance);
        EVENT(CALLING_CONTEXT_LEAVE, CallingContextLeave, context);
        EVENT(CALLING_CONTEXT_SAMPLE, CallingContextSample, context, r->unwind_distance,
              ID(INTERRUPT_GENERATORS, r->generator));
    }
    return XTF_OTF2_NO_EVENT;
}

/* Adds a word of a command line, and its id. */
static void add_word(XtfOtf2Event *e, uint32_t text, GPtrArray *words, GArray *ids)
{
    uint32_t id = find_text_id(e, text);
    const char *word;

    if (e->error || !xtf_trace_string(e->export->names.trace, text, &word, &e->error))
        return;
    g_array_append_val(ids, id);
    g_ptr_array_add(words, (char *)word);
}

static OTF2_ErrorCode write_program_begin(XtfOtf2Event *e, const XtfProgramsRow *r)
{
    g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(uint32_t)); /* of the program, then of its arguments */
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    const void *side;

    add_word(e, r->program, words, ids);
    for (;;) {
        if (e->error || !xtf_location_reader_side(e->reader, XTF_MODEL_ARGUMENTS, &side, &e->error))
            return OTF2_SUCCESS;
        if (!side)
            break;
        add_word(e, ((const XtfArgumentsRow *)side)->argument, words, ids);
    }
    xtf_otf2_note_program(e->export, words);
    return OTF2_EvtWriter_ProgramBegin(e->writer, e->attributes, e->time, g_array_index(ids, uint32_t, 0), ids->len - 1,
                                       (const uint32_t *)(const void *)ids->data + 1);
}

WRITER(write_program, Programs)
{
    switch (r->event) {
    case XTF_LABEL_PROGRAM_BEGIN:
        return write_program_begin(e, r);
        EVENT(PROGRAM_END, ProgramEnd, r->exit_status);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_measurement, Measurement)
{
    switch (r->event) {
        EVENT(MEASUREMENT_ON_OFF, MeasurementOnOff, r->mode);
        EVENT(BUFFER_FLUSH, BufferFlush, r->stop == XTF_NONE64 ? r->stop : r->stop * e->export->den);
    }
    return XTF_OTF2_NO_EVENT;
}

static const XtfOtf2EventWriter writers[XTF_N_RECORD_TYPES] = {
    [XTF_MODEL_SENDS] = write_send,
    [XTF_MODEL_RECVS] = write_recv,
    [XTF_MODEL_REQUESTS] = write_request,
    [XTF_MODEL_COLLECTIVES] = write_collective,
    [XTF_MODEL_COMMS] = write_comm,
    [XTF_MODEL_COUNTERS] = write_metric,
    [XTF_MODEL_THREADS] = write_thread,
    [XTF_MODEL_LOCKS] = write_lock,
    [XTF_MODEL_TASKS] = write_task,
    [XTF_MODEL_PARAMETERS] = write_parameter,
    [XTF_MODEL_SAMPLES] = write_sample,
    [XTF_MODEL_PROGRAMS] = write_program,
    [XTF_MODEL_MEASUREMENT] = write_measurement,
};

bool xtf_otf2_write_event(XtfOtf2Export *export, XtfLocationReader *reader, const XtfLocationRecord *record,
                          OTF2_EvtWriter *writer, uint64_t time, OTF2_ErrorCode *code, GError **error)
{
    XtfOtf2Event event = {
        .export = export, .reader = reader, .writer = writer, .attributes = export->attributes, .time = time};
    XtfOtf2EventWriter write = NULL;

    if (record->tag >= 0 && record->tag < XTF_N_RECORD_TYPES)
        write = writers[record->tag] ? writers[record->tag] : xtf_otf2_io_writers[record->tag];
    *code = write ? write(&event, record->fields) : XTF_OTF2_NO_EVENT;
    if (event.error)
        g_propagate_error(error, event.error);
    return !event.error;
}
