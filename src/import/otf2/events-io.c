/*
 * OTF2's event callbacks of input and output and of remote memory access.
 */
#include "src/import/otf2/record.h"

/* Input and output */

ON_RECORD(IoCreateHandle, IO_CONTROL, IoControl, IO_CREATE_HANDLE,
          (OTF2_IoHandleRef handle, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status),
          .handle = LOOK_UP(IO_HANDLES, handle), .new_handle = NO32, .mode = mode, .creation_flags = creation,
          .status_flags = status, .io_paradigm = NO32, .file = NO32);

ON_RECORD(IoDestroyHandle, IO_CONTROL, IoControl, IO_DESTROY_HANDLE, (OTF2_IoHandleRef handle),
          .handle = LOOK_UP(IO_HANDLES, handle), .new_handle = NO32, .mode = NO8, .creation_flags = NO32,
          .status_flags = NO32, .io_paradigm = NO32, .file = NO32);

ON_RECORD(IoDuplicateHandle, IO_CONTROL, IoControl, IO_DUPLICATE_HANDLE,
          (OTF2_IoHandleRef old_handle, OTF2_IoHandleRef new_handle, OTF2_IoStatusFlag status),
          .handle = LOOK_UP(IO_HANDLES, old_handle), .new_handle = LOOK_UP(IO_HANDLES, new_handle), .mode = NO8,
          .creation_flags = NO32, .status_flags = status, .io_paradigm = NO32, .file = NO32);

ON_RECORD(IoChangeStatusFlags, IO_CONTROL, IoControl, IO_CHANGE_FLAGS,
          (OTF2_IoHandleRef handle, OTF2_IoStatusFlag status), .handle = LOOK_UP(IO_HANDLES, handle),
          .new_handle = NO32, .mode = NO8, .creation_flags = NO32, .status_flags = status, .io_paradigm = NO32,
          .file = NO32);

ON_RECORD(IoDeleteFile, IO_CONTROL, IoControl, IO_DELETE_FILE, (OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file),
          .handle = NO32, .new_handle = NO32, .mode = NO8, .creation_flags = NO32, .status_flags = NO32,
          .io_paradigm = LOOK_UP(IO_PARADIGMS, paradigm), .file = LOOK_UP(IO_FILES, file));

ON_RECORD(IoSeek, IO_SEEKS, IoSeeks, IO_SEEK,
          (OTF2_IoHandleRef handle, int64_t offset, OTF2_IoSeekOption whence, uint64_t result),
          .handle = LOOK_UP(IO_HANDLES, handle), .offset = offset, .whence = whence, .result = result);

ON_RECORD(IoOperationBegin, IO_OPERATIONS, IoOperations, IO_OPERATION_BEGIN,
          (OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t requested,
           uint64_t matching),
          .handle = LOOK_UP(IO_HANDLES, handle), .mode = mode, .operation_flags = flags, .requested = requested,
          .bytes = NO64, .matching = matching);

ON_RECORD(IoOperationComplete, IO_OPERATIONS, IoOperations, IO_OPERATION_COMPLETE,
          (OTF2_IoHandleRef handle, uint64_t bytes, uint64_t matching), .handle = LOOK_UP(IO_HANDLES, handle),
          .mode = NO8, .operation_flags = NO32, .requested = NO64, .bytes = bytes, .matching = matching);

#define ON_IO_OPERATION(Name, NAME)                                                                           \
    ON_RECORD(Name, IO_OPERATIONS, IoOperations, NAME, (OTF2_IoHandleRef handle, uint64_t matching),          \
              .handle = LOOK_UP(IO_HANDLES, handle), .mode = NO8, .operation_flags = NO32, .requested = NO64, \
              .bytes = NO64, .matching = matching)
ON_IO_OPERATION(IoOperationTest, IO_OPERATION_TEST);
ON_IO_OPERATION(IoOperationIssued, IO_OPERATION_ISSUED);
ON_IO_OPERATION(IoOperationCancelled, IO_OPERATION_CANCELLED);

#define ON_IO_LOCK(Name, NAME)                                                              \
    ON_RECORD(Name, IO_LOCKS, IoLocks, NAME, (OTF2_IoHandleRef handle, OTF2_LockType type), \
              .handle = LOOK_UP(IO_HANDLES, handle), .lock_type = type)
ON_IO_LOCK(IoAcquireLock, IO_ACQUIRE_LOCK);
ON_IO_LOCK(IoReleaseLock, IO_RELEASE_LOCK);
ON_IO_LOCK(IoTryLock, IO_TRY_LOCK);

/* Remote memory access */

#define ON_RMA(Name, NAME, FIELDS, PEER, ATOMIC, BYTES, RECEIVED)                                                      \
    ON_RECORD(Name, RMA_OPERATIONS, RmaOperations, NAME, FIELDS, .window = LOOK_UP(RMA_WINDOWS, window), .peer = PEER, \
              .atomic = ATOMIC, .bytes = BYTES, .received = RECEIVED, .matching = matching)

#define ON_TRANSFER(Name, NAME)                                                                                  \
    ON_RMA(Name, NAME, (OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t matching), remote, NO8, \
           bytes, NO64)
ON_TRANSFER(RmaPut, RMA_PUT);
ON_TRANSFER(RmaGet, RMA_GET);

ON_RMA(RmaAtomic, RMA_ATOMIC,
       (OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
        uint64_t matching),
       remote, type, sent, received);

#define ON_COMPLETION(Name, NAME) ON_RMA(Name, NAME, (OTF2_RmaWinRef window, uint64_t matching), NO32, NO8, NO64, NO64)
ON_COMPLETION(RmaOpCompleteBlocking, RMA_OP_COMPLETE_BLOCKING);
ON_COMPLETION(RmaOpCompleteNonBlocking, RMA_OP_COMPLETE_NON_BLOCKING);
ON_COMPLETION(RmaOpTest, RMA_OP_TEST);
ON_COMPLETION(RmaOpCompleteRemote, RMA_OP_COMPLETE_REMOTE);

ON_RECORD(RmaCollectiveBegin, RMA_COLLECTIVES, RmaCollectives, RMA_COLLECTIVE_BEGIN, (), .operation = NO8,
          .sync_level = NO32, .window = NO32, .root = NO32, .bytes = NO64, .received = NO64);

ON_RECORD(RmaCollectiveEnd, RMA_COLLECTIVES, RmaCollectives, RMA_COLLECTIVE_END,
          (OTF2_CollectiveOp operation, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
           uint64_t received),
          .operation = operation, .sync_level = level, .window = LOOK_UP(RMA_WINDOWS, window), .root = root,
          .bytes = sent, .received = received);

#define ON_SYNC(Name, NAME, FIELDS, PEER, TYPE, LEVEL, GROUP)                                                \
    ON_RECORD(Name, RMA_SYNCS, RmaSyncs, NAME, FIELDS, .window = LOOK_UP(RMA_WINDOWS, window), .peer = PEER, \
              .sync_type = TYPE, .sync_level = LEVEL, .group = GROUP)

#define ON_WINDOW(Name, NAME) ON_SYNC(Name, NAME, (OTF2_RmaWinRef window), NO32, NO8, NO32, NO32)
ON_WINDOW(RmaWinCreate, RMA_WIN_CREATE);
ON_WINDOW(RmaWinDestroy, RMA_WIN_DESTROY);
ON_WINDOW(RmaWaitChange, RMA_WAIT_CHANGE);

ON_SYNC(RmaGroupSync, RMA_GROUP_SYNC, (OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group), NO32, NO8,
        level, LOOK_UP(GROUPS, group));

ON_SYNC(RmaSync, RMA_SYNC, (OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaSyncType type), remote, type, NO32, NO32);

#define ON_RMA_LOCK(Name, NAME)                                                            \
    ON_RECORD(Name, RMA_LOCKS, RmaLocks, NAME,                                             \
              (OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type), \
              .window = LOOK_UP(RMA_WINDOWS, window), .peer = remote, .lock = lock, .lock_type = type)
ON_RMA_LOCK(RmaRequestLock, RMA_REQUEST_LOCK);
ON_RMA_LOCK(RmaAcquireLock, RMA_ACQUIRE_LOCK);
ON_RMA_LOCK(RmaTryLock, RMA_TRY_LOCK);

ON_RECORD(RmaReleaseLock, RMA_LOCKS, RmaLocks, RMA_RELEASE_LOCK,
          (OTF2_RmaWinRef window, uint32_t remote, uint64_t lock), .window = LOOK_UP(RMA_WINDOWS, window),
          .peer = remote, .lock = lock, .lock_type = NO8);

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
