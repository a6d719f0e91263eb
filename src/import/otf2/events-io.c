/*
 * OTF2's event callbacks of input and output and of remote memory access.
 */
#include "src/import/otf2/record.h"

/* Input and output */

#define NO_CONTROL                                                                                 \
    .handle = NO32, .new_handle = NO32, .mode = NO8, .creation_flags = NO32, .status_flags = NO32, \
    .io_paradigm = NO32, .file = NO32

ON(IoCreateHandle, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation,
   OTF2_IoStatusFlag status)
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

ON_RECORD(IoOperationBegin, IO_OPERATIONS, IoOperations, IO_OPERATION_BEGIN,
          (OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t requested,
           uint64_t matching),
          .handle = LOOK_UP(IO_HANDLES, handle), .mode = mode, .operation_flags = flags, .requested = requested,
          .bytes = NO64, .matching = matching)

ON(IoOperationComplete, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching)
{
    XtfIoOperationsRow row = {NO_OPERATION, .handle = LOOK_UP(IO_HANDLES, handle), .matching = matching};
    row.bytes = bytes;
    return RECORD(IO_OPERATIONS, IO_OPERATION_COMPLETE, row);
}

#define ON_IO_OPERATION(Name, NAME)                                                                           \
    ON(Name, OTF2_IoHandleRef handle, uint64_t matching)                                                      \
    {                                                                                                         \
        XtfIoOperationsRow row = {NO_OPERATION, .handle = LOOK_UP(IO_HANDLES, handle), .matching = matching}; \
        return RECORD(IO_OPERATIONS, NAME, row);                                                              \
    }
ON_IO_OPERATION(IoOperationTest, IO_OPERATION_TEST)
ON_IO_OPERATION(IoOperationIssued, IO_OPERATION_ISSUED)
ON_IO_OPERATION(IoOperationCancelled, IO_OPERATION_CANCELLED)

#define ON_IO_LOCK(Name, NAME)                                                          \
    ON(Name, OTF2_IoHandleRef handle, OTF2_LockType type)                               \
    {                                                                                   \
        XtfIoLocksRow row = {.handle = LOOK_UP(IO_HANDLES, handle), .lock_type = type}; \
        return RECORD(IO_LOCKS, NAME, row);                                             \
    }
ON_IO_LOCK(IoAcquireLock, IO_ACQUIRE_LOCK)
ON_IO_LOCK(IoReleaseLock, IO_RELEASE_LOCK)
ON_IO_LOCK(IoTryLock, IO_TRY_LOCK)

/* Remote memory access */

#define ON_TRANSFER(Name, NAME)                                                         \
    ON(Name, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t matching) \
    {                                                                                   \
        XtfRmaOperationsRow row = {.window = LOOK_UP(RMA_WINDOWS, window),              \
                                   .peer = remote,                                      \
                                   .atomic = NO8,                                       \
                                   .bytes = bytes,                                      \
                                   .received = NO64,                                    \
                                   .matching = matching};                               \
        return RECORD(RMA_OPERATIONS, NAME, row);                                       \
    }
ON_TRANSFER(RmaPut, RMA_PUT)
ON_TRANSFER(RmaGet, RMA_GET)

ON(RmaAtomic, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
   uint64_t matching)
{
    XtfRmaOperationsRow row = {.window = LOOK_UP(RMA_WINDOWS, window),
                               .peer = remote,
                               .atomic = type,
                               .bytes = sent,
                               .received = received,
                               .matching = matching};
    return RECORD(RMA_OPERATIONS, RMA_ATOMIC, row);
}

#define ON_COMPLETION(Name, NAME)                                          \
    ON(Name, OTF2_RmaWinRef window, uint64_t matching)                     \
    {                                                                      \
        XtfRmaOperationsRow row = {.window = LOOK_UP(RMA_WINDOWS, window), \
                                   .peer = NO32,                           \
                                   .atomic = NO8,                          \
                                   .bytes = NO64,                          \
                                   .received = NO64,                       \
                                   .matching = matching};                  \
        return RECORD(RMA_OPERATIONS, NAME, row);                          \
    }
ON_COMPLETION(RmaOpCompleteBlocking, RMA_OP_COMPLETE_BLOCKING)
ON_COMPLETION(RmaOpCompleteNonBlocking, RMA_OP_COMPLETE_NON_BLOCKING)
ON_COMPLETION(RmaOpTest, RMA_OP_TEST)
ON_COMPLETION(RmaOpCompleteRemote, RMA_OP_COMPLETE_REMOTE)

ON(RmaCollectiveBegin)
{
    XtfRmaCollectivesRow row = {
        .operation = NO8, .sync_level = NO32, .window = NO32, .root = NO32, .bytes = NO64, .received = NO64};
    return RECORD(RMA_COLLECTIVES, RMA_COLLECTIVE_BEGIN, row);
}

ON_RECORD(RmaCollectiveEnd, RMA_COLLECTIVES, RmaCollectives, RMA_COLLECTIVE_END,
          (OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
           uint64_t received),
          .operation = operation, .sync_level = level, .window = LOOK_UP(RMA_WINDOWS, window), .root = root,
          .bytes = sent, .received = received)

#define NO_SYNC .peer = NO32, .sync_type = NO8, .sync_level = NO32, .group = NO32

#define ON_WINDOW(Name, NAME)                                                   \
    ON(Name, OTF2_RmaWinRef window)                                             \
    {                                                                           \
        XtfRmaSyncsRow row = {NO_SYNC, .window = LOOK_UP(RMA_WINDOWS, window)}; \
        return RECORD(RMA_SYNCS, NAME, row);                                    \
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

#define ON_RMA_LOCK(Name, NAME)                                                                       \
    ON(Name, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)               \
    {                                                                                                 \
        XtfRmaLocksRow row = {                                                                        \
            .window = LOOK_UP(RMA_WINDOWS, window), .peer = remote, .lock = lock, .lock_type = type}; \
        return RECORD(RMA_LOCKS, NAME, row);                                                          \
    }
ON_RMA_LOCK(RmaRequestLock, RMA_REQUEST_LOCK)
ON_RMA_LOCK(RmaAcquireLock, RMA_ACQUIRE_LOCK)
ON_RMA_LOCK(RmaTryLock, RMA_TRY_LOCK)

ON(RmaReleaseLock, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock)
{
    XtfRmaLocksRow row = {.window = LOOK_UP(RMA_WINDOWS, window), .peer = remote, .lock = lock, .lock_type = NO8};
    return RECORD(RMA_LOCKS, RMA_RELEASE_LOCK, row);
}

void xtf_otf2_set_io_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
#define SET(Name) OTF2_EvtReaderCallbacks_Set##Name##Callback(callbacks, on_##Name)
    SET(RmaWinCreate), SET(RmaWinDestroy), SET(RmaCollectiveBegin), SET(RmaCollectiveEnd), SET(RmaGroupSync),
        SET(RmaRequestLock), SET(RmaAcquireLock), SET(RmaTryLock), SET(RmaReleaseLock), SET(RmaSync),
        SET(RmaWaitChange), SET(RmaPut), SET(RmaGet), SET(RmaAtomic), SET(RmaOpCompleteBlocking),
        SET(RmaOpCompleteNonBlocking), SET(RmaOpTest), SET(RmaOpCompleteRemote), SET(IoCreateHandle),
        SET(IoDestroyHandle), SET(IoDuplicateHandle), SET(IoSeek), SET(IoChangeStatusFlags), SET(IoDeleteFile),
        SET(IoOperationBegin), SET(IoOperationTest), SET(IoOperationIssued), SET(IoOperationComplete),
        SET(IoOperationCancelled), SET(IoAcquireLock), SET(IoReleaseLock), SET(IoTryLock);
#undef SET
}
