/*
 * OTF2's 80 event callbacks. Each appends one record: docs/OTF2.md has the table. Callbacks of I/O and remote memory
 * access are in events-io.c.
 */
#include "src/import/messages.h"
#include "src/import/otf2/record.h"

/* Calls */

/* Returns the call site of an ENTER, by the attribute of call sites. */
static uint32_t find_site_of_enter(XtfStream *stream, uint32_t region, const OTF2_AttributeList *attributes)
{
    uint32_t n = stream->call_sites ? OTF2_AttributeList_GetNumberOfElements(attributes) : 0;

    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute;
        OTF2_AttributeValue value;
        OTF2_Type type;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) == OTF2_SUCCESS &&
            type == OTF2_TYPE_SOURCE_CODE_LOCATION && attribute == xtf_call_sites_attribute(stream->call_sites))
            return xtf_call_sites_row(stream->call_sites, region,
                                      LOOK_UP(SOURCE_LOCATIONS, value.sourceCodeLocationRef));
    }
    return NO32;
}

#define ON_CALL(Name, append)                                                                                \
    ON(Name, OTF2_RegionRef region)                                                                          \
    {                                                                                                        \
        uint32_t row = LOOK_UP(REGIONS, region);                                                             \
        return xtf_otf2_done(stream, append(stream, time, row) && xtf_stream_region_id(stream, row, region), \
                             attributes);                                                                    \
    }                                                                                                        \
    _Static_assert(true, "")
#define ENTER(stream, time, region) \
    xtf_stream_enter_from(stream, time, region, find_site_of_enter(stream, region, attributes))
ON_CALL(Enter, ENTER);
ON_CALL(Leave, xtf_stream_leave);

/* Messages */

#define ON_MESSAGE(Name, append, Type, REQUEST, FIELDS)                       \
    static OTF2_CallbackCode on_##Name(CALLBACK_PARAMETERS FIELDS)            \
    {                                                                         \
        Xtf##Type##Row row = {.region = xtf_stream_region(stream),            \
                              .peer = peer,                                   \
                              .comm = LOOK_UP(COMMUNICATORS, comm),           \
                              .tag = tag,                                     \
                              .bytes = length,                                \
                              .request = REQUEST};                            \
        return xtf_otf2_done(stream, append(stream, time, &row), attributes); \
    }                                                                         \
    _Static_assert(true, "")
#define ENVELOPE uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t length
ON_MESSAGE(MpiSend, xtf_stream_send, Sends, NO64, (ENVELOPE));
ON_MESSAGE(MpiRecv, xtf_stream_recv, Recvs, NO64, (ENVELOPE));
ON_MESSAGE(MpiIsend, xtf_stream_isend, Sends, request, (ENVELOPE, uint64_t request));
ON_MESSAGE(MpiIrecv, xtf_stream_irecv, Recvs, request, (ENVELOPE, uint64_t request));

#define ON_REQUEST(Name, NAME)                                                                              \
    ON(Name, uint64_t request)                                                                              \
    {                                                                                                       \
        XtfRequestsRow row = {.region = xtf_stream_region(stream), .request = request};                     \
        return xtf_otf2_done(stream, xtf_stream_request(stream, XTF_LABEL_##NAME, time, &row), attributes); \
    }                                                                                                       \
    _Static_assert(true, "")
ON_REQUEST(MpiIsendComplete, MPI_ISEND_COMPLETE);
ON_REQUEST(MpiIrecvRequest, MPI_IRECV_REQUEST);
ON_REQUEST(MpiRequestTest, MPI_REQUEST_TEST);
ON_REQUEST(MpiRequestCancelled, MPI_REQUEST_CANCELLED);

/* Collectives and communicators */

ON_RECORD(MpiCollectiveBegin, COLLECTIVES, Collectives, MPI_COLLECTIVE_BEGIN, (), .operation = NO8, .comm = NO32,
          .root = NO32, .bytes = NO64, .received = NO64, .request = NO64, .n_to_n = NO8);

ON_RECORD(MpiCollectiveEnd, COLLECTIVES, Collectives, MPI_COLLECTIVE_END,
          (OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received),
          .operation = operation, .comm = LOOK_UP(COMMUNICATORS, comm), .root = root, .bytes = sent,
          .received = received, .request = NO64, .n_to_n = NO8);

ON_RECORD(NonBlockingCollectiveRequest, COLLECTIVES, Collectives, NON_BLOCKING_COLLECTIVE_REQUEST, (uint64_t request),
          .operation = NO8, .comm = NO32, .root = NO32, .bytes = NO64, .received = NO64, .request = request,
          .n_to_n = NO8);

ON_RECORD(NonBlockingCollectiveComplete, COLLECTIVES, Collectives, NON_BLOCKING_COLLECTIVE_COMPLETE,
          (OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received,
           uint64_t request),
          .operation = operation, .comm = LOOK_UP(COMMUNICATORS, comm), .root = root, .bytes = sent,
          .received = received, .request = request, .n_to_n = NO8);

ON_RECORD(CommCreate, COMMS, Comms, COMM_CREATE, (OTF2_CommRef comm), .comm = LOOK_UP(COMMUNICATORS, comm));

ON_RECORD(CommDestroy, COMMS, Comms, COMM_DESTROY, (OTF2_CommRef comm), .comm = LOOK_UP(COMMUNICATORS, comm));

/* Metrics */

static uint64_t growth_to(XtfStream *stream, uint32_t class, uint8_t i, OTF2_Type type, uint64_t value)
{
    uint32_t metric = xtf_otf2_class_member(stream->definitions, class, i);
    const XtfMetricRow *row = metric < xtf_definitions_n_rows(stream->definitions, XTF_MODEL_METRICS)
                                  ? xtf_definitions_at(stream->definitions, XTF_MODEL_METRICS, metric)
                                  : NULL;
    return row ? xtf_growth_to(&stream->growth, class, i, row->mode, type, value) : 0;
}

ON(Metric, OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)
{
    uint32_t class = LOOK_UP(METRIC_CLASSES, metric);
    XtfDefinitions *definitions = ((XtfStream *)stream)->definitions;
    XtfCountersRow row = {.metric = xtf_otf2_class_member(definitions, class, 0), .metric_class = class, .n_values = n};

    OTF2_CallbackCode code = RECORD(COUNTERS, METRIC, row);
    for (unsigned i = 0; i < n && code == OTF2_CALLBACK_SUCCESS; i++) {
        XtfMetricValuesRow value = {
            .time = row.time,
            .seq = row.seq,
            .metric = xtf_otf2_class_member(definitions, class, i),
            .value_type = types[i],
            .value = values[i].unsigned_int,
            .region = ((XtfStream *)stream)->previous_region,
            .growth = growth_to(stream, class, (uint8_t)i, types[i], values[i].unsigned_int),
        };
        if (!xtf_stream_append_row(stream, XTF_MODEL_METRIC_VALUES, &value))
            code = OTF2_CALLBACK_INTERRUPT;
    }
    return code;
}

/* Threads, locks, tasks */

#define ON_THREAD(Name, NAME, FIELDS, MODEL, REQUESTED, TEAM, SEQUENCE)                                   \
    ON_RECORD(Name, THREADS, Threads, NAME, FIELDS, .model = MODEL, .requested = REQUESTED, .team = TEAM, \
              .sequence = SEQUENCE)
ON_THREAD(ThreadFork, THREAD_FORK, (OTF2_Paradigm model, uint32_t requested), model, requested, NO32, NO64);
ON_THREAD(ThreadJoin, THREAD_JOIN, (OTF2_Paradigm model), model, NO32, NO32, NO64);
ON_THREAD(OmpFork, OMP_FORK, (uint32_t requested), NO8, requested, NO32, NO64);
ON_THREAD(OmpJoin, OMP_JOIN, (), NO8, NO32, NO32, NO64);

#define ON_TEAM(Name, NAME) ON_THREAD(Name, NAME, (OTF2_CommRef team), NO8, NO32, LOOK_UP(COMMUNICATORS, team), NO64)
ON_TEAM(ThreadTeamBegin, THREAD_TEAM_BEGIN);
ON_TEAM(ThreadTeamEnd, THREAD_TEAM_END);

#define ON_CONTINGENT(Name, NAME)                                                                                      \
    ON_THREAD(Name, NAME, (OTF2_CommRef contingent, uint64_t sequence), NO8, NO32, LOOK_UP(COMMUNICATORS, contingent), \
              sequence)
ON_CONTINGENT(ThreadCreate, THREAD_CREATE);
ON_CONTINGENT(ThreadBegin, THREAD_BEGIN);
ON_CONTINGENT(ThreadWait, THREAD_WAIT);
ON_CONTINGENT(ThreadEnd, THREAD_END);

#define ON_OMP_LOCK(Name, NAME) \
    ON_RECORD(Name, LOCKS, Locks, NAME, (uint32_t lock, uint32_t order), .model = NO8, .lock = lock, .order = order)
ON_OMP_LOCK(OmpAcquireLock, OMP_ACQUIRE_LOCK);
ON_OMP_LOCK(OmpReleaseLock, OMP_RELEASE_LOCK);

#define ON_THREAD_LOCK(Name, NAME)                                                                            \
    ON_RECORD(Name, LOCKS, Locks, NAME, (OTF2_Paradigm model, uint32_t lock, uint32_t order), .model = model, \
              .lock = lock, .order = order)
ON_THREAD_LOCK(ThreadAcquireLock, THREAD_ACQUIRE_LOCK);
ON_THREAD_LOCK(ThreadReleaseLock, THREAD_RELEASE_LOCK);

#define ON_OMP_TASK(Name, NAME)                                                                       \
    ON_RECORD(Name, TASKS, Tasks, NAME, (uint64_t task), .task = task, .team = NO32, .creator = NO32, \
              .generation = NO32)
ON_OMP_TASK(OmpTaskCreate, OMP_TASK_CREATE);
ON_OMP_TASK(OmpTaskSwitch, OMP_TASK_SWITCH);
ON_OMP_TASK(OmpTaskComplete, OMP_TASK_COMPLETE);

#define ON_THREAD_TASK(Name, NAME)                                                                               \
    ON_RECORD(Name, TASKS, Tasks, NAME, (OTF2_CommRef team, uint32_t thread, uint32_t generation), .task = NO64, \
              .team = LOOK_UP(COMMUNICATORS, team), .creator = thread, .generation = generation)
ON_THREAD_TASK(ThreadTaskCreate, THREAD_TASK_CREATE);
ON_THREAD_TASK(ThreadTaskSwitch, THREAD_TASK_SWITCH);
ON_THREAD_TASK(ThreadTaskComplete, THREAD_TASK_COMPLETE);

/* Parameters */

ON_RECORD(ParameterString, PARAMETERS, Parameters, PARAMETER_STRING,
          (OTF2_ParameterRef parameter, OTF2_StringRef string), .parameter = LOOK_UP(PARAMETER_DEFINITIONS, parameter),
          .text = TEXT(string));

ON_RECORD(ParameterInt, PARAMETERS, Parameters, PARAMETER_INT64, (OTF2_ParameterRef parameter, int64_t value),
          .parameter = LOOK_UP(PARAMETER_DEFINITIONS, parameter), .integer = value);

ON_RECORD(ParameterUnsignedInt, PARAMETERS, Parameters, PARAMETER_UINT64, (OTF2_ParameterRef parameter, uint64_t value),
          .parameter = LOOK_UP(PARAMETER_DEFINITIONS, parameter), .unsigned_integer = value);

/* Calling contexts. Entering and leaving them are calls of their regions. A sample is no call. */

/* Returns the region of a calling context, a row of the table. */
static uint32_t context_region(XtfStream *stream, uint32_t context)
{
    if (context >= xtf_definitions_n_rows(stream->definitions, XTF_MODEL_CALLING_CONTEXTS))
        return NO32;
    const XtfCallingContextRow *row = xtf_definitions_at(stream->definitions, XTF_MODEL_CALLING_CONTEXTS, context);
    return row->region;
}

/* Returns the call site of an ENTER of a calling context: that of its attribute, or else by the context's callers. */
static uint32_t find_site_of_context(XtfStream *stream, uint32_t region, uint32_t context,
                                     const OTF2_AttributeList *attributes)
{
    uint32_t site = find_site_of_enter(stream, region, attributes);

    return site == NO32 && stream->context_sites ? xtf_context_sites_row(stream->context_sites, context) : site;
}

/* Notes the calling context of the call that the last record enters or leaves. An archive without definitions of
 * contexts has nothing to note: all its contexts are undefined. */
static bool note_context(XtfStream *stream, uint32_t context, uint32_t unwind_distance)
{
    XtfCallContextsRow row = {.time = stream->last_time,
                              .seq = stream->seq - 1,
                              .calling_context = context,
                              .unwind_distance = unwind_distance};
    return !stream->has_contexts || xtf_stream_append_row(stream, XTF_MODEL_CALL_CONTEXTS, &row);
}

ON(CallingContextEnter, OTF2_CallingContextRef context, uint32_t unwind_distance)
{
    uint32_t row = LOOK_UP(CALLING_CONTEXTS, context), region = context_region(stream, row);
    uint32_t site = find_site_of_context(stream, region, row, attributes);

    return xtf_otf2_done(
        stream, xtf_stream_enter_from(stream, time, region, site) && note_context(stream, row, unwind_distance),
        attributes);
}

ON(CallingContextLeave, OTF2_CallingContextRef context)
{
    uint32_t row = LOOK_UP(CALLING_CONTEXTS, context);

    return xtf_otf2_done(stream,
                         xtf_stream_leave(stream, time, context_region(stream, row)) && note_context(stream, row, NO32),
                         attributes);
}

ON_RECORD(CallingContextSample, SAMPLES, Samples, CALLING_CONTEXT_SAMPLE,
          (OTF2_CallingContextRef context, uint32_t unwind_distance, OTF2_InterruptGeneratorRef generator),
          .calling_context = LOOK_UP(CALLING_CONTEXTS, context), .unwind_distance = unwind_distance,
          .generator = LOOK_UP(INTERRUPT_GENERATORS, generator));

/* The program, the measurement, and events unknown to this version of OTF2 */

ON(ProgramBegin, OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
{
    XtfProgramsRow row = {.n_arguments = n, .program = TEXT(name)};
    OTF2_CallbackCode code = RECORD(PROGRAMS, PROGRAM_BEGIN, row);

    for (uint32_t i = 0; i < n && code == OTF2_CALLBACK_SUCCESS; i++) {
        XtfArgumentsRow argument = {.time = row.time, .seq = row.seq, .argument = TEXT(arguments[i])};
        if (!xtf_stream_append_row(stream, XTF_MODEL_ARGUMENTS, &argument))
            code = OTF2_CALLBACK_INTERRUPT;
    }
    return code;
}

ON_RECORD(ProgramEnd, PROGRAMS, Programs, PROGRAM_END, (int64_t exit_status), .n_arguments = NO32,
          .exit_status = exit_status);

ON_RECORD(MeasurementOnOff, MEASUREMENT, Measurement, MEASUREMENT_ON_OFF, (OTF2_MeasurementMode mode), .mode = mode,
          .stop = NO64);

ON_RECORD(BufferFlush, MEASUREMENT, Measurement, BUFFER_FLUSH, (OTF2_TimeStamp stop), .mode = NO8, .stop = stop);

ON_RECORD(Unknown, UNKNOWN, Unknown, UNKNOWN, (), 0);

OTF2_EvtReaderCallbacks *xtf_otf2_event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

#define SET(Name) OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name)
    SET(Unknown), SET(BufferFlush), SET(MeasurementOnOff), SET(Enter), SET(Leave), SET(MpiSend), SET(MpiIsend),
        SET(MpiIsendComplete), SET(MpiIrecvRequest), SET(MpiRecv), SET(MpiIrecv), SET(MpiRequestTest),
        SET(MpiRequestCancelled), SET(MpiCollectiveBegin), SET(MpiCollectiveEnd), SET(OmpFork), SET(OmpJoin),
        SET(OmpAcquireLock), SET(OmpReleaseLock), SET(OmpTaskCreate), SET(OmpTaskSwitch), SET(OmpTaskComplete),
        SET(Metric), SET(ParameterString), SET(ParameterInt), SET(ParameterUnsignedInt), SET(ThreadFork),
        SET(ThreadJoin), SET(ThreadTeamBegin), SET(ThreadTeamEnd), SET(ThreadAcquireLock), SET(ThreadReleaseLock),
        SET(ThreadTaskCreate), SET(ThreadTaskSwitch), SET(ThreadTaskComplete), SET(ThreadCreate), SET(ThreadBegin),
        SET(ThreadWait), SET(ThreadEnd), SET(CallingContextEnter), SET(CallingContextLeave), SET(CallingContextSample),
        SET(ProgramBegin), SET(ProgramEnd), SET(NonBlockingCollectiveRequest), SET(NonBlockingCollectiveComplete),
        SET(CommCreate), SET(CommDestroy);
#undef SET
    xtf_otf2_set_io_callbacks(callbacks);
    return callbacks;
}
