/*
 * OTF2's 80 event callbacks: each makes one record. docs/OTF2.md has the table.
 */
#include "src/import/otf2.h"

/* A callback of the given name. Beside the event's own fields it has stream, time and attributes. */
#define ON(Name, ...)                                                                                                  \
    static OTF2_CallbackCode on_##Name(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *stream,  \
                                       OTF2_AttributeList *attributes, ##__VA_ARGS__)

/* Appends the event's record, `row`, and returns what OTF2 is to do next. */
#define RECORD(TAG, NAME, row)                                                                                         \
    record(stream, XTF_MODEL_##TAG, XTF_FIRST_##TAG, XTF_ID_##NAME, time, attributes, &(row))
#define LOOK_UP(TABLE, id) xtf_definitions_row(((XtfStream *)stream)->definitions, XTF_MODEL_##TABLE, id)
#define TEXT(id)           xtf_definitions_string(((XtfStream *)stream)->definitions, id)

#define NO8  UINT8_MAX
#define NO32 XTF_NONE32
#define NO64 XTF_NONE64

static OTF2_CallbackCode add_attributes(XtfStream *stream, const OTF2_AttributeList *attributes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute;
        OTF2_AttributeValue value;
        OTF2_Type type;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) != OTF2_SUCCESS)
            return OTF2_CALLBACK_INTERRUPT;
        XtfAttributesRow row = {
            .time = stream->last,
            .seq = stream->seq - 1,
            .attribute = xtf_definitions_row(stream->definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS, attribute),
            .type = type,
            .value = xtf_definitions_value(stream->definitions, type, xtf_otf2_raw_value(type, value)),
        };
        if (!xtf_stream_append_row(stream, XTF_MODEL_ATTRIBUTES, &row))
            return OTF2_CALLBACK_INTERRUPT;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static inline OTF2_CallbackCode done(XtfStream *stream, bool appended, const OTF2_AttributeList *attributes)
{
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);

    if (G_UNLIKELY(!appended))
        return OTF2_CALLBACK_INTERRUPT;
    return G_LIKELY(n == 0) ? OTF2_CALLBACK_SUCCESS : add_attributes(stream, attributes, n);
}

static inline OTF2_CallbackCode record(XtfStream *stream, unsigned type, unsigned first_event, unsigned event, uint64_t time,
                                       const OTF2_AttributeList *attributes, void *row)
{
    ((XtfRecordHead *)row)->region = xtf_stream_region(stream);
    return done(stream, xtf_stream_append(stream, type, first_event, event, time, row), attributes);
}

/* Calls */

ON(Enter, OTF2_RegionRef region)
{
    return done(stream, xtf_stream_enter(stream, time, LOOK_UP(REGIONS, region)), attributes);
}

ON(Leave, OTF2_RegionRef region)
{
    return done(stream, xtf_stream_leave(stream, time, LOOK_UP(REGIONS, region)), attributes);
}

/* Messages */

ON(MpiSend, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    XtfSendsRow row = {.peer = receiver, .comm = LOOK_UP(COMMUNICATORS, comm), .tag = tag, .bytes = length,
                       .request = NO64};
    return RECORD(SENDS, MPI_SEND, row);
}

ON(MpiIsend, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request)
{
    XtfSendsRow row = {.peer = receiver, .comm = LOOK_UP(COMMUNICATORS, comm), .tag = tag, .bytes = length,
                       .request = request};
    return RECORD(SENDS, MPI_ISEND, row);
}

ON(MpiRecv, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    XtfRecvsRow row = {.peer = sender, .comm = LOOK_UP(COMMUNICATORS, comm), .tag = tag, .bytes = length,
                       .request = NO64};
    return RECORD(RECVS, MPI_RECV, row);
}

ON(MpiIrecv, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request)
{
    XtfRecvsRow row = {.peer = sender, .comm = LOOK_UP(COMMUNICATORS, comm), .tag = tag, .bytes = length,
                       .request = request};
    return RECORD(RECVS, MPI_IRECV, row);
}

#define ON_REQUEST(Name, NAME)                                                                                         \
    ON(Name, uint64_t request)                                                                                         \
    {                                                                                                                  \
        XtfRequestsRow row = {.request = request};                                                                     \
        return RECORD(REQUESTS, NAME, row);                                                                            \
    }
ON_REQUEST(MpiIsendComplete, MPI_ISEND_COMPLETE)
ON_REQUEST(MpiIrecvRequest, MPI_IRECV_REQUEST)
ON_REQUEST(MpiRequestTest, MPI_REQUEST_TEST)
ON_REQUEST(MpiRequestCancelled, MPI_REQUEST_CANCELLED)

/* Collectives and communicators */

#define NO_COLLECTIVE                                                                                                  \
    .operation = NO8, .comm = NO32, .root = NO32, .bytes = NO64, .received = NO64, .request = NO64

ON(MpiCollectiveBegin)
{
    XtfCollectivesRow row = {NO_COLLECTIVE};
    return RECORD(COLLECTIVES, MPI_COLLECTIVE_BEGIN, row);
}

ON(MpiCollectiveEnd, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
    XtfCollectivesRow row = {.operation = operation, .comm = LOOK_UP(COMMUNICATORS, comm), .root = root, .bytes = sent,
                             .received = received, .request = NO64};
    return RECORD(COLLECTIVES, MPI_COLLECTIVE_END, row);
}

ON(NonBlockingCollectiveRequest, uint64_t request)
{
    XtfCollectivesRow row = {NO_COLLECTIVE};
    row.request = request;
    return RECORD(COLLECTIVES, NON_BLOCKING_COLLECTIVE_REQUEST, row);
}

ON(NonBlockingCollectiveComplete, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
   uint64_t received, uint64_t request)
{
    XtfCollectivesRow row = {.operation = operation, .comm = LOOK_UP(COMMUNICATORS, comm), .root = root, .bytes = sent,
                             .received = received, .request = request};
    return RECORD(COLLECTIVES, NON_BLOCKING_COLLECTIVE_COMPLETE, row);
}

ON(CommCreate, OTF2_CommRef comm)
{
    XtfCommsRow row = {.comm = LOOK_UP(COMMUNICATORS, comm)};
    return RECORD(COMMS, COMM_CREATE, row);
}

ON(CommDestroy, OTF2_CommRef comm)
{
    XtfCommsRow row = {.comm = LOOK_UP(COMMUNICATORS, comm)};
    return RECORD(COMMS, COMM_DESTROY, row);
}

/* Metrics */

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
        };
        if (!xtf_stream_append_row(stream, XTF_MODEL_METRIC_VALUES, &value))
            code = OTF2_CALLBACK_INTERRUPT;
    }
    return code;
}

/* Threads, locks, tasks */

#define NO_THREAD .model = NO8, .requested = NO32, .team = NO32, .sequence = NO64

ON(ThreadFork, OTF2_Paradigm model, uint32_t requested)
{
    XtfThreadsRow row = {NO_THREAD};
    row.model = model;
    row.requested = requested;
    return RECORD(THREADS, THREAD_FORK, row);
}

ON(ThreadJoin, OTF2_Paradigm model)
{
    XtfThreadsRow row = {NO_THREAD};
    row.model = model;
    return RECORD(THREADS, THREAD_JOIN, row);
}

ON(OmpFork, uint32_t requested)
{
    XtfThreadsRow row = {NO_THREAD};
    row.requested = requested;
    return RECORD(THREADS, OMP_FORK, row);
}

ON(OmpJoin)
{
    XtfThreadsRow row = {NO_THREAD};
    return RECORD(THREADS, OMP_JOIN, row);
}

#define ON_TEAM(Name, NAME)                                                                                            \
    ON(Name, OTF2_CommRef team)                                                                                        \
    {                                                                                                                  \
        XtfThreadsRow row = {NO_THREAD};                                                                               \
        row.team = LOOK_UP(COMMUNICATORS, team);                                                                       \
        return RECORD(THREADS, NAME, row);                                                                             \
    }
ON_TEAM(ThreadTeamBegin, THREAD_TEAM_BEGIN)
ON_TEAM(ThreadTeamEnd, THREAD_TEAM_END)

#define ON_CONTINGENT(Name, NAME)                                                                                      \
    ON(Name, OTF2_CommRef contingent, uint64_t sequence)                                                               \
    {                                                                                                                  \
        XtfThreadsRow row = {NO_THREAD};                                                                               \
        row.team = LOOK_UP(COMMUNICATORS, contingent);                                                                 \
        row.sequence = sequence;                                                                                       \
        return RECORD(THREADS, NAME, row);                                                                             \
    }
ON_CONTINGENT(ThreadCreate, THREAD_CREATE)
ON_CONTINGENT(ThreadBegin, THREAD_BEGIN)
ON_CONTINGENT(ThreadWait, THREAD_WAIT)
ON_CONTINGENT(ThreadEnd, THREAD_END)

#define ON_OMP_LOCK(Name, NAME)                                                                                        \
    ON(Name, uint32_t lock, uint32_t order)                                                                            \
    {                                                                                                                  \
        XtfLocksRow row = {.model = NO8, .lock = lock, .order = order};                                                \
        return RECORD(LOCKS, NAME, row);                                                                               \
    }
ON_OMP_LOCK(OmpAcquireLock, OMP_ACQUIRE_LOCK)
ON_OMP_LOCK(OmpReleaseLock, OMP_RELEASE_LOCK)

#define ON_THREAD_LOCK(Name, NAME)                                                                                     \
    ON(Name, OTF2_Paradigm model, uint32_t lock, uint32_t order)                                                       \
    {                                                                                                                  \
        XtfLocksRow row = {.model = model, .lock = lock, .order = order};                                              \
        return RECORD(LOCKS, NAME, row);                                                                               \
    }
ON_THREAD_LOCK(ThreadAcquireLock, THREAD_ACQUIRE_LOCK)
ON_THREAD_LOCK(ThreadReleaseLock, THREAD_RELEASE_LOCK)

#define ON_OMP_TASK(Name, NAME)                                                                                        \
    ON(Name, uint64_t task)                                                                                            \
    {                                                                                                                  \
        XtfTasksRow row = {.task = task, .team = NO32, .thread = NO32, .generation = NO32};                            \
        return RECORD(TASKS, NAME, row);                                                                               \
    }
ON_OMP_TASK(OmpTaskCreate, OMP_TASK_CREATE)
ON_OMP_TASK(OmpTaskSwitch, OMP_TASK_SWITCH)
ON_OMP_TASK(OmpTaskComplete, OMP_TASK_COMPLETE)

#define ON_THREAD_TASK(Name, NAME)                                                                                     \
    ON(Name, OTF2_CommRef team, uint32_t thread, uint32_t generation)                                                  \
    {                                                                                                                  \
        XtfTasksRow row = {.task = NO64, .team = LOOK_UP(COMMUNICATORS, team), .thread = thread,                       \
                           .generation = generation};                                                                  \
        return RECORD(TASKS, NAME, row);                                                                               \
    }
ON_THREAD_TASK(ThreadTaskCreate, THREAD_TASK_CREATE)
ON_THREAD_TASK(ThreadTaskSwitch, THREAD_TASK_SWITCH)
ON_THREAD_TASK(ThreadTaskComplete, THREAD_TASK_COMPLETE)

/* Parameters */

ON(ParameterString, OTF2_ParameterRef parameter, OTF2_StringRef string)
{
    XtfParametersRow row = {.parameter = LOOK_UP(PARAMETER_DEFINITIONS, parameter), .text = TEXT(string)};
    return RECORD(PARAMETERS, PARAMETER_STRING, row);
}

ON(ParameterInt, OTF2_ParameterRef parameter, int64_t value)
{
    XtfParametersRow row = {.parameter = LOOK_UP(PARAMETER_DEFINITIONS, parameter), .integer = value};
    return RECORD(PARAMETERS, PARAMETER_INT64, row);
}

ON(ParameterUnsignedInt, OTF2_ParameterRef parameter, uint64_t value)
{
    XtfParametersRow row = {.parameter = LOOK_UP(PARAMETER_DEFINITIONS, parameter), .unsigned_integer = value};
    return RECORD(PARAMETERS, PARAMETER_UINT64, row);
}

/* Input and output */

#define NO_CONTROL                                                                                                     \
    .handle = NO32, .new_handle = NO32, .mode = NO8, .creation_flags = NO32, .status_flags = NO32,                     \
    .io_paradigm = NO32, .file = NO32

ON(IoCreateHandle, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status)
{
    XtfIoControlRow row = {NO_CONTROL};
    row.handle = LOOK_UP(IO_HANDLES, handle);
    row.mode = mode;
    row.creation_flags = creation;
    row.status_flags = status;
    return RECORD(IO_CONTROL, IO_CREATE_HANDLE, row);
}

ON(IoDestroyHandle, OTF2_IoHandleRef handle)
{
    XtfIoControlRow row = {NO_CONTROL};
    row.handle = LOOK_UP(IO_HANDLES, handle);
    return RECORD(IO_CONTROL, IO_DESTROY_HANDLE, row);
}

ON(IoDuplicateHandle, OTF2_IoHandleRef old_handle, OTF2_IoHandleRef new_handle, OTF2_IoStatusFlag status)
{
    XtfIoControlRow row = {NO_CONTROL};
    row.handle = LOOK_UP(IO_HANDLES, old_handle);
    row.new_handle = LOOK_UP(IO_HANDLES, new_handle);
    row.status_flags = status;
    return RECORD(IO_CONTROL, IO_DUPLICATE_HANDLE, row);
}

ON(IoChangeStatusFlags, OTF2_IoHandleRef handle, OTF2_IoStatusFlag status)
{
    XtfIoControlRow row = {NO_CONTROL};
    row.handle = LOOK_UP(IO_HANDLES, handle);
    row.status_flags = status;
    return RECORD(IO_CONTROL, IO_CHANGE_FLAGS, row);
}

ON(IoDeleteFile, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file)
{
    XtfIoControlRow row = {NO_CONTROL};
    row.io_paradigm = LOOK_UP(IO_PARADIGMS, paradigm);
    row.file = LOOK_UP(IO_FILES, file);
    return RECORD(IO_CONTROL, IO_DELETE_FILE, row);
}

ON(IoSeek, OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence, uint64_t result)
{
    XtfIoSeeksRow row = {.handle = LOOK_UP(IO_HANDLES, handle), .offset = offset, .whence = whence, .result = result};
    return RECORD(IO_SEEKS, IO_SEEK, row);
}

#define NO_OPERATION .mode = NO8, .operation_flags = NO32, .requested = NO64, .bytes = NO64

ON(IoOperationBegin, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t requested,
   uint64_t matching)
{
    XtfIoOperationsRow row = {.handle = LOOK_UP(IO_HANDLES, handle), .mode = mode, .operation_flags = flags,
                              .requested = requested, .bytes = NO64, .matching = matching};
    return RECORD(IO_OPERATIONS, IO_OPERATION_BEGIN, row);
}

ON(IoOperationComplete, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching)
{
    XtfIoOperationsRow row = {NO_OPERATION, .handle = LOOK_UP(IO_HANDLES, handle), .matching = matching};
    row.bytes = bytes;
    return RECORD(IO_OPERATIONS, IO_OPERATION_COMPLETE, row);
}

#define ON_IO_OPERATION(Name, NAME)                                                                                    \
    ON(Name, OTF2_IoHandleRef handle, uint64_t matching)                                                               \
    {                                                                                                                  \
        XtfIoOperationsRow row = {NO_OPERATION, .handle = LOOK_UP(IO_HANDLES, handle), .matching = matching};          \
        return RECORD(IO_OPERATIONS, NAME, row);                                                                       \
    }
ON_IO_OPERATION(IoOperationTest, IO_OPERATION_TEST)
ON_IO_OPERATION(IoOperationIssued, IO_OPERATION_ISSUED)
ON_IO_OPERATION(IoOperationCancelled, IO_OPERATION_CANCELLED)

#define ON_IO_LOCK(Name, NAME)                                                                                         \
    ON(Name, OTF2_IoHandleRef handle, OTF2_LockType type)                                                              \
    {                                                                                                                  \
        XtfIoLocksRow row = {.handle = LOOK_UP(IO_HANDLES, handle), .lock_type = type};                                \
        return RECORD(IO_LOCKS, NAME, row);                                                                            \
    }
ON_IO_LOCK(IoAcquireLock, IO_ACQUIRE_LOCK)
ON_IO_LOCK(IoReleaseLock, IO_RELEASE_LOCK)
ON_IO_LOCK(IoTryLock, IO_TRY_LOCK)

/* Remote memory access */

#define ON_TRANSFER(Name, NAME)                                                                                        \
    ON(Name, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t matching)                                \
    {                                                                                                                  \
        XtfRmaOperationsRow row = {.window = LOOK_UP(RMA_WINDOWS, window), .peer = remote, .atomic = NO8,              \
                                   .bytes = bytes, .received = NO64, .matching = matching};                            \
        return RECORD(RMA_OPERATIONS, NAME, row);                                                                      \
    }
ON_TRANSFER(RmaPut, RMA_PUT)
ON_TRANSFER(RmaGet, RMA_GET)

ON(RmaAtomic, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
   uint64_t matching)
{
    XtfRmaOperationsRow row = {.window = LOOK_UP(RMA_WINDOWS, window), .peer = remote, .atomic = type, .bytes = sent,
                               .received = received, .matching = matching};
    return RECORD(RMA_OPERATIONS, RMA_ATOMIC, row);
}

#define ON_COMPLETION(Name, NAME)                                                                                      \
    ON(Name, OTF2_RmaWinRef window, uint64_t matching)                                                                 \
    {                                                                                                                  \
        XtfRmaOperationsRow row = {.window = LOOK_UP(RMA_WINDOWS, window), .peer = NO32, .atomic = NO8, .bytes = NO64, \
                                   .received = NO64, .matching = matching};                                            \
        return RECORD(RMA_OPERATIONS, NAME, row);                                                                      \
    }
ON_COMPLETION(RmaOpCompleteBlocking, RMA_OP_COMPLETE_BLOCKING)
ON_COMPLETION(RmaOpCompleteNonBlocking, RMA_OP_COMPLETE_NON_BLOCKING)
ON_COMPLETION(RmaOpTest, RMA_OP_TEST)
ON_COMPLETION(RmaOpCompleteRemote, RMA_OP_COMPLETE_REMOTE)

ON(RmaCollectiveBegin)
{
    XtfRmaCollectivesRow row = {.operation = NO8, .sync_level = NO32, .window = NO32, .root = NO32, .bytes = NO64,
                                .received = NO64};
    return RECORD(RMA_COLLECTIVES, RMA_COLLECTIVE_BEGIN, row);
}

ON(RmaCollectiveEnd, OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root,
   uint64_t sent, uint64_t received)
{
    XtfRmaCollectivesRow row = {.operation = operation, .sync_level = level, .window = LOOK_UP(RMA_WINDOWS, window),
                                .root = root, .bytes = sent, .received = received};
    return RECORD(RMA_COLLECTIVES, RMA_COLLECTIVE_END, row);
}

#define NO_SYNC .peer = NO32, .sync_type = NO8, .sync_level = NO32, .group = NO32

#define ON_WINDOW(Name, NAME)                                                                                          \
    ON(Name, OTF2_RmaWinRef window)                                                                                    \
    {                                                                                                                  \
        XtfRmaSyncsRow row = {NO_SYNC, .window = LOOK_UP(RMA_WINDOWS, window)};                                        \
        return RECORD(RMA_SYNCS, NAME, row);                                                                           \
    }
ON_WINDOW(RmaWinCreate, RMA_WIN_CREATE)
ON_WINDOW(RmaWinDestroy, RMA_WIN_DESTROY)
ON_WINDOW(RmaWaitChange, RMA_WAIT_CHANGE)

ON(RmaGroupSync, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group)
{
    XtfRmaSyncsRow row = {NO_SYNC, .window = LOOK_UP(RMA_WINDOWS, window)};
    row.sync_level = level;
    row.group = LOOK_UP(GROUPS, group);
    return RECORD(RMA_SYNCS, RMA_GROUP_SYNC, row);
}

ON(RmaSync, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaSyncType type)
{
    XtfRmaSyncsRow row = {NO_SYNC, .window = LOOK_UP(RMA_WINDOWS, window)};
    row.peer = remote;
    row.sync_type = type;
    return RECORD(RMA_SYNCS, RMA_SYNC, row);
}

#define ON_RMA_LOCK(Name, NAME)                                                                                        \
    ON(Name, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)                                \
    {                                                                                                                  \
        XtfRmaLocksRow row = {.window = LOOK_UP(RMA_WINDOWS, window), .peer = remote, .lock = lock, .lock_type = type};  \
        return RECORD(RMA_LOCKS, NAME, row);                                                                           \
    }
ON_RMA_LOCK(RmaRequestLock, RMA_REQUEST_LOCK)
ON_RMA_LOCK(RmaAcquireLock, RMA_ACQUIRE_LOCK)
ON_RMA_LOCK(RmaTryLock, RMA_TRY_LOCK)

ON(RmaReleaseLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock)
{
    XtfRmaLocksRow row = {.window = LOOK_UP(RMA_WINDOWS, window), .peer = remote, .lock = lock, .lock_type = NO8};
    return RECORD(RMA_LOCKS, RMA_RELEASE_LOCK, row);
}

/* Samples. Entering and leaving a calling context also moves the stack, so that records know their region. */

/* The region of a calling context, given by row. */
static uint32_t context_region(XtfStream *stream, uint32_t context)
{
    if (context >= xtf_definitions_n_rows(stream->definitions, XTF_MODEL_CALLING_CONTEXTS))
        return NO32;
    const XtfCallingContextRow *row = xtf_definitions_at(stream->definitions, XTF_MODEL_CALLING_CONTEXTS, context);
    return row->region;
}

ON(CallingContextEnter, OTF2_CallingContextRef context, uint32_t unwind_distance)
{
    XtfSamplesRow row = {.calling_context = LOOK_UP(CALLING_CONTEXTS, context), .unwind_distance = unwind_distance,
                         .generator = NO32};
    xtf_stream_push(stream, context_region(stream, row.calling_context), false, xtf_stream_enclosing(stream));
    return RECORD(SAMPLES, CALLING_CONTEXT_ENTER, row);
}

ON(CallingContextLeave, OTF2_CallingContextRef context)
{
    XtfSamplesRow row = {.calling_context = LOOK_UP(CALLING_CONTEXTS, context), .unwind_distance = NO32,
                         .generator = NO32};
    OTF2_CallbackCode code = RECORD(SAMPLES, CALLING_CONTEXT_LEAVE, row);
    xtf_stream_pop(stream, context_region(stream, row.calling_context));
    return code;
}

ON(CallingContextSample, OTF2_CallingContextRef context, uint32_t unwind_distance, OTF2_InterruptGeneratorRef generator)
{
    XtfSamplesRow row = {.calling_context = LOOK_UP(CALLING_CONTEXTS, context), .unwind_distance = unwind_distance,
                         .generator = LOOK_UP(INTERRUPT_GENERATORS, generator)};
    return RECORD(SAMPLES, CALLING_CONTEXT_SAMPLE, row);
}

/* The program, the measurement, and what this version of OTF2 does not know */

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

ON(ProgramEnd, int64_t exit_status)
{
    XtfProgramsRow row = {.n_arguments = NO32, .exit_status = exit_status};
    return RECORD(PROGRAMS, PROGRAM_END, row);
}

ON(MeasurementOnOff, OTF2_MeasurementMode mode)
{
    XtfMeasurementRow row = {.mode = mode, .stop = NO64};
    return RECORD(MEASUREMENT, MEASUREMENT_ON_OFF, row);
}

ON(BufferFlush, OTF2_TimeStamp stop)
{
    XtfMeasurementRow row = {.mode = NO8, .stop = stop};
    return RECORD(MEASUREMENT, BUFFER_FLUSH, row);
}

ON(Unknown)
{
    XtfUnknownRow row = {0};
    return RECORD(UNKNOWN, UNKNOWN, row);
}

OTF2_EvtReaderCallbacks *xtf_otf2_event_callbacks(void)
{
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

#define SET(Name) OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name);
    SET(Unknown) SET(BufferFlush) SET(MeasurementOnOff) SET(Enter) SET(Leave) SET(MpiSend) SET(MpiIsend)
    SET(MpiIsendComplete) SET(MpiIrecvRequest) SET(MpiRecv) SET(MpiIrecv) SET(MpiRequestTest) SET(MpiRequestCancelled)
    SET(MpiCollectiveBegin) SET(MpiCollectiveEnd) SET(OmpFork) SET(OmpJoin) SET(OmpAcquireLock) SET(OmpReleaseLock)
    SET(OmpTaskCreate) SET(OmpTaskSwitch) SET(OmpTaskComplete) SET(Metric) SET(ParameterString) SET(ParameterInt)
    SET(ParameterUnsignedInt) SET(RmaWinCreate) SET(RmaWinDestroy) SET(RmaCollectiveBegin) SET(RmaCollectiveEnd)
    SET(RmaGroupSync) SET(RmaRequestLock) SET(RmaAcquireLock) SET(RmaTryLock) SET(RmaReleaseLock) SET(RmaSync)
    SET(RmaWaitChange) SET(RmaPut) SET(RmaGet) SET(RmaAtomic) SET(RmaOpCompleteBlocking) SET(RmaOpCompleteNonBlocking)
    SET(RmaOpTest) SET(RmaOpCompleteRemote) SET(ThreadFork) SET(ThreadJoin) SET(ThreadTeamBegin) SET(ThreadTeamEnd)
    SET(ThreadAcquireLock) SET(ThreadReleaseLock) SET(ThreadTaskCreate) SET(ThreadTaskSwitch) SET(ThreadTaskComplete)
    SET(ThreadCreate) SET(ThreadBegin) SET(ThreadWait) SET(ThreadEnd) SET(CallingContextEnter)
    SET(CallingContextLeave) SET(CallingContextSample) SET(IoCreateHandle) SET(IoDestroyHandle) SET(IoDuplicateHandle)
    SET(IoSeek) SET(IoChangeStatusFlags) SET(IoDeleteFile) SET(IoOperationBegin) SET(IoOperationTest)
    SET(IoOperationIssued) SET(IoOperationComplete) SET(IoOperationCancelled) SET(IoAcquireLock) SET(IoReleaseLock)
    SET(IoTryLock) SET(ProgramBegin) SET(ProgramEnd) SET(NonBlockingCollectiveRequest)
    SET(NonBlockingCollectiveComplete) SET(CommCreate) SET(CommDestroy)
#undef SET
    return callbacks;
}
