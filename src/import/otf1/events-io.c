/*
 * Handlers of operations on files and of remote memory access.
 */
#include "src/import/otf1/attributes.h"
#include "src/import/otf1/import.h"

enum { READ, WRITE, FLUSH };           /* indices in xtf_io_operation_modes */
enum { COLLECTIVE = 1, NON_BLOCKING }; /* bits of operation_flags */
enum { EXCLUSIVE, SHARED };            /* indices in xtf_lock_types */
enum { IO_PARADIGM = 0 };              /* id of the only one */

/* An operation on a file, of both kinds of events. */
typedef struct {
    uint64_t time, duration, handle, bytes, matching;
    uint32_t file, operation, flags;
    bool has_begun; /* an event before has its begin, so this is its end */
} FileOperation;

/* ---- Files. */

static bool is_transfer(uint32_t operation)
{
    return operation == OTF_FILEOP_READ || operation == OTF_FILEOP_WRITE || operation == OTF_FILEOP_SYNC;
}

static uint8_t mode_of(uint32_t operation)
{
    return operation == OTF_FILEOP_READ ? READ : operation == OTF_FILEOP_WRITE ? WRITE : FLUSH;
}

/* Appends an operation that transfers data: its end, and its begin if no event before has it. */
static bool append_transfer(XtfOtf1Import *import, XtfOtf1Location *location, const FileOperation *operation)
{
    XtfStream *stream = &location->stream;
    uint32_t handle = xtf_otf1_row(import, XTF_MODEL_IO_HANDLES, operation->file);
    XtfIoOperationsRow begin = {.region = xtf_stream_region(stream),
                                .handle = handle,
                                .mode = mode_of(operation->operation),
                                .operation_flags = (operation->flags & OTF_IOFLAG_ASYNC ? NON_BLOCKING : 0) |
                                                   (operation->flags & OTF_IOFLAG_COLL ? COLLECTIVE : 0),
                                .requested = operation->bytes,
                                .bytes = XTF_NONE64,
                                .matching = operation->matching};
    XtfIoOperationsRow end = {.region = begin.region,
                              .handle = handle,
                              .mode = UINT8_MAX,
                              .operation_flags = XTF_NONE32,
                              .requested = XTF_NONE64,
                              .bytes = operation->bytes,
                              .matching = operation->matching};

    if (operation->has_begun)
        return xtf_stream_append(stream, XTF_MODEL_IO_OPERATIONS, XTF_LABEL_IO_OPERATION_COMPLETE, operation->time,
                                 &end);
    import->job->report.read++; /* for the second record */
    xtf_otf1_postpone(location, &(XtfOtf1Postponed){.time = operation->duration < UINT64_MAX - operation->time
                                                                ? operation->time + operation->duration
                                                                : operation->time,
                                                    .type = XTF_MODEL_IO_OPERATIONS,
                                                    .event = XTF_LABEL_IO_OPERATION_COMPLETE,
                                                    .row.operation = end});
    return xtf_stream_append(stream, XTF_MODEL_IO_OPERATIONS, XTF_LABEL_IO_OPERATION_BEGIN, operation->time, &begin);
}

/* Returns the label of `io_control` of an operation. */
static unsigned control_event(uint32_t operation)
{
    switch (operation) {
    case OTF_FILEOP_OPEN:
        return XTF_LABEL_IO_CREATE_HANDLE;
    case OTF_FILEOP_CLOSE:
        return XTF_LABEL_IO_DESTROY_HANDLE;
    case OTF_FILEOP_DUP:
        return XTF_LABEL_IO_DUPLICATE_HANDLE;
    case OTF_FILEOP_UNLINK:
        return XTF_LABEL_IO_DELETE_FILE;
    case OTF_FILEOP_RENAME:
        return XTF_OTF1_FILE_RENAME;
    default:
        return XTF_OTF1_FILE_OTHER;
    }
}

static bool append_control(XtfOtf1Import *import, XtfOtf1Location *location, const FileOperation *operation)
{
    unsigned event = control_event(operation->operation);
    uint32_t handle = xtf_otf1_row(import, XTF_MODEL_IO_HANDLES, operation->file);
    bool deletes = event == XTF_LABEL_IO_DELETE_FILE;
    XtfIoControlRow row = {.region = xtf_stream_region(&location->stream),
                           .handle = deletes ? XTF_NONE32 : handle,
                           .new_handle = event == XTF_LABEL_IO_DUPLICATE_HANDLE ? handle : XTF_NONE32,
                           .mode = UINT8_MAX,
                           .creation_flags = XTF_NONE32,
                           .status_flags = XTF_NONE32,
                           .io_paradigm =
                               deletes ? xtf_otf1_row(import, XTF_MODEL_IO_PARADIGMS, IO_PARADIGM) : XTF_NONE32,
                           .file = deletes ? xtf_otf1_row(import, XTF_MODEL_IO_FILES, operation->file) : XTF_NONE32};

    return xtf_stream_append(&location->stream, XTF_MODEL_IO_CONTROL, event, operation->time, &row);
}

static bool append_operation(XtfOtf1Import *import, XtfOtf1Location *location, const FileOperation *operation)
{
    XtfStream *stream = &location->stream;
    uint32_t handle = xtf_otf1_row(import, XTF_MODEL_IO_HANDLES, operation->file);
    XtfIoSeeksRow seek = {.region = xtf_stream_region(stream),
                          .handle = handle,
                          .offset = (int64_t)operation->bytes,
                          .result = operation->bytes};
    XtfIoLocksRow lock = {.region = seek.region,
                          .handle = handle,
                          .lock_type = operation->flags & OTF_IOFLAG_ISREADLOCK ? SHARED : EXCLUSIVE};

    switch (operation->operation) {
    case OTF_FILEOP_SEEK:
        return xtf_stream_append(stream, XTF_MODEL_IO_SEEKS, XTF_LABEL_IO_SEEK, operation->time, &seek);
    case OTF_FILEOP_LOCK:
        return xtf_stream_append(stream, XTF_MODEL_IO_LOCKS, XTF_LABEL_IO_ACQUIRE_LOCK, operation->time, &lock);
    case OTF_FILEOP_UNLOCK:
        return xtf_stream_append(stream, XTF_MODEL_IO_LOCKS, XTF_LABEL_IO_RELEASE_LOCK, operation->time, &lock);
    default:
        return is_transfer(operation->operation) ? append_transfer(import, location, operation)
                                                 : append_control(import, location, operation);
    }
}

/* Appends the fields of an operation that its record lacks. */
static bool add_fields(XtfOtf1Location *location, const FileOperation *operation)
{
    bool has_duration = !is_transfer(operation->operation) && operation->duration > 0;

    return xtf_otf1_add_field(&location->stream, XTF_OTF1_HANDLE, operation->handle) &&
           (operation->flags == 0 || xtf_otf1_add_field(&location->stream, XTF_OTF1_FLAGS, operation->flags)) &&
           (!has_duration || xtf_otf1_add_field(&location->stream, XTF_OTF1_DURATION, operation->duration));
}

/* Appends a whole operation: OTF's older event, which gives a duration. */
static int on_file_operation(void *data, uint64_t time, uint32_t file, uint32_t process, uint64_t handle,
                             uint32_t operation, uint64_t bytes, uint64_t duration, uint32_t source,
                             OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(data, process, time);

    if (!location)
        return xtf_otf1_skip(data);
    const FileOperation whole = {.time = time,
                                 .duration = duration,
                                 .handle = handle,
                                 .bytes = bytes,
                                 .matching = (UINT64_C(1) << 63) + location->next_matching++,
                                 .file = file,
                                 .operation = OTF_FILEOP(operation),
                                 .flags = operation & OTF_IOFLAGS_BITS};
    return xtf_otf1_end(data, location, append_operation(data, location, &whole) && add_fields(location, &whole),
                        source, list);
}

/* Appends the begin of an operation. Only its end names the file and the operation. */
static int on_begin_file_operation(void *data, uint64_t time, uint32_t process, uint64_t matching, uint32_t source,
                                   OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(data, process, time);

    if (!location)
        return xtf_otf1_skip(data);
    XtfIoOperationsRow row = {.region = xtf_stream_region(&location->stream),
                              .handle = XTF_NONE32,
                              .mode = UINT8_MAX,
                              .operation_flags = XTF_NONE32,
                              .requested = XTF_NONE64,
                              .bytes = XTF_NONE64,
                              .matching = matching};
    bool appended =
        xtf_stream_append(&location->stream, XTF_MODEL_IO_OPERATIONS, XTF_LABEL_IO_OPERATION_BEGIN, time, &row);
    return xtf_otf1_end(data, location, appended, source, list);
}

static int on_end_file_operation(void *data, uint64_t time, uint32_t process, uint32_t file, uint64_t matching,
                                 uint64_t handle, uint32_t operation, uint64_t bytes, uint32_t source,
                                 OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(data, process, time);

    if (!location)
        return xtf_otf1_skip(data);
    const FileOperation end = {.time = time,
                               .handle = handle,
                               .bytes = bytes,
                               .matching = matching,
                               .file = file,
                               .operation = OTF_FILEOP(operation),
                               .flags = operation & OTF_IOFLAGS_BITS,
                               .has_begun = true};
    return xtf_otf1_end(data, location, append_operation(data, location, &end) && add_fields(location, &end), source,
                        list);
}

/* ---- Remote memory access. Each communicator has a window with its id. */

static int on_transfer(XtfOtf1Import *import, unsigned event, uint64_t time, uint32_t process, uint32_t origin,
                       uint32_t target, uint32_t group, uint32_t tag, uint64_t bytes, uint32_t source,
                       OTF_KeyValueList *list)
{
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);

    if (!location)
        return xtf_otf1_skip(import);
    group = xtf_otf1_common_group(&import->ranks, group, process, target);
    XtfRmaOperationsRow row = {.region = xtf_stream_region(&location->stream),
                               .window = xtf_otf1_row(import, XTF_MODEL_RMA_WINDOWS, group),
                               .peer = xtf_otf1_peer(import, group, target),
                               .atomic = UINT8_MAX,
                               .bytes = bytes,
                               .received = XTF_NONE64,
                               .matching = tag};
    bool appended =
        xtf_stream_append(&location->stream, XTF_MODEL_RMA_OPERATIONS, event, time, &row) &&
        (origin == 0 || origin == process || xtf_otf1_add_field(&location->stream, XTF_OTF1_ORIGIN, origin));
    return xtf_otf1_end(import, location, appended, source, list);
}

static int on_put(void *data, uint64_t time, uint32_t process, uint32_t origin, uint32_t target, uint32_t group,
                  uint32_t tag, uint64_t bytes, uint32_t source, OTF_KeyValueList *list)
{
    return on_transfer(data, XTF_LABEL_RMA_PUT, time, process, origin, target, group, tag, bytes, source, list);
}

static int on_put_remote_end(void *data, uint64_t time, uint32_t process, uint32_t origin, uint32_t target,
                             uint32_t group, uint32_t tag, uint64_t bytes, uint32_t source, OTF_KeyValueList *list)
{
    return on_transfer(data, XTF_OTF1_RMA_PUT_REMOTE_END, time, process, origin, target, group, tag, bytes, source,
                       list);
}

static int on_get(void *data, uint64_t time, uint32_t process, uint32_t origin, uint32_t target, uint32_t group,
                  uint32_t tag, uint64_t bytes, uint32_t source, OTF_KeyValueList *list)
{
    return on_transfer(data, XTF_LABEL_RMA_GET, time, process, origin, target, group, tag, bytes, source, list);
}

static int on_end(void *data, uint64_t time, uint32_t process, uint32_t remote, uint32_t group, uint32_t tag,
                  uint32_t source, OTF_KeyValueList *list)
{
    XtfOtf1Import *import = data;
    XtfOtf1Location *location = xtf_otf1_begin(import, process, time);

    if (!location)
        return xtf_otf1_skip(import);
    if (remote != 0)
        group = xtf_otf1_common_group(&import->ranks, group, process, remote);
    XtfRmaOperationsRow row = {.region = xtf_stream_region(&location->stream),
                               .window = xtf_otf1_row(import, XTF_MODEL_RMA_WINDOWS, group),
                               .peer = remote == 0 ? XTF_NONE32 : xtf_otf1_peer(import, group, remote),
                               .atomic = UINT8_MAX,
                               .bytes = XTF_NONE64,
                               .received = XTF_NONE64,
                               .matching = tag};
    bool appended =
        xtf_stream_append(&location->stream, XTF_MODEL_RMA_OPERATIONS, XTF_LABEL_RMA_OP_COMPLETE_BLOCKING, time, &row);
    return xtf_otf1_end(import, location, appended, source, list);
}

void xtf_otf1_set_io_handlers(OTF_HandlerArray *handlers, XtfOtf1Import *import)
{
    static const XtfOtf1Handler all[] = {
        XTF_OTF1_HANDLER(on_file_operation, FILEOPERATION),
        XTF_OTF1_HANDLER(on_begin_file_operation, BEGINFILEOP),
        XTF_OTF1_HANDLER(on_end_file_operation, ENDFILEOP),
        XTF_OTF1_HANDLER(on_put, RMAPUT),
        XTF_OTF1_HANDLER(on_put_remote_end, RMAPUTRE),
        XTF_OTF1_HANDLER(on_get, RMAGET),
        XTF_OTF1_HANDLER(on_end, RMAEND),
    };

    xtf_otf1_set_handlers(handlers, all, G_N_ELEMENTS(all), import);
}
