/*
 * Writes OTF2's events of input and output and of remote memory access.
 */
#include "src/export/otf2/events.h"

#define WRITER XTF_OTF2_WRITER
#define EVENT  XTF_OTF2_EVENT
#define ID     XTF_OTF2_ID

/* Input and output */

WRITER(write_control, IoControl)
{
    const uint32_t handle = ID(IO_HANDLES, r->handle);

    switch (r->event) {
        EVENT(IO_CREATE_HANDLE, IoCreateHandle, handle, r->mode, r->creation_flags, r->status_flags);
        EVENT(IO_DESTROY_HANDLE, IoDestroyHandle, handle);
        EVENT(IO_DUPLICATE_HANDLE, IoDuplicateHandle, handle, ID(IO_HANDLES, r->new_handle), r->status_flags);
        EVENT(IO_CHANGE_FLAGS, IoChangeStatusFlags, handle, r->status_flags);
        EVENT(IO_DELETE_FILE, IoDeleteFile, (OTF2_IoParadigmRef)ID(IO_PARADIGMS, r->io_paradigm),
              ID(IO_FILES, r->file));
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_seek, IoSeeks)
{
    switch (r->event) {
        EVENT(IO_SEEK, IoSeek, ID(IO_HANDLES, r->handle), r->offset, r->whence, r->result);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_operation, IoOperations)
{
    const uint32_t handle = ID(IO_HANDLES, r->handle);

    switch (r->event) {
        EVENT(IO_OPERATION_BEGIN, IoOperationBegin, handle, r->mode, r->operation_flags, r->requested, r->matching);
        EVENT(IO_OPERATION_TEST, IoOperationTest, handle, r->matching);
        EVENT(IO_OPERATION_ISSUED, IoOperationIssued, handle, r->matching);
        EVENT(IO_OPERATION_COMPLETE, IoOperationComplete, handle, r->bytes, r->matching);
        EVENT(IO_OPERATION_CANCELLED, IoOperationCancelled, handle, r->matching);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_file_lock, IoLocks)
{
    const uint32_t handle = ID(IO_HANDLES, r->handle);

    switch (r->event) {
        EVENT(IO_ACQUIRE_LOCK, IoAcquireLock, handle, r->lock_type);
        EVENT(IO_RELEASE_LOCK, IoReleaseLock, handle, r->lock_type);
        EVENT(IO_TRY_LOCK, IoTryLock, handle, r->lock_type);
    }
    return XTF_OTF2_NO_EVENT;
}

/* Remote memory access */

WRITER(write_rma, RmaOperations)
{
    const uint32_t window = ID(RMA_WINDOWS, r->window);

    switch (r->event) {
        EVENT(RMA_PUT, RmaPut, window, r->peer, r->bytes, r->matching);
        EVENT(RMA_GET, RmaGet, window, r->peer, r->bytes, r->matching);
        EVENT(RMA_ATOMIC, RmaAtomic, window, r->peer, r->atomic, r->bytes, r->received, r->matching);
        EVENT(RMA_OP_COMPLETE_BLOCKING, RmaOpCompleteBlocking, window, r->matching);
        EVENT(RMA_OP_COMPLETE_NON_BLOCKING, RmaOpCompleteNonBlocking, window, r->matching);
        EVENT(RMA_OP_TEST, RmaOpTest, window, r->matching);
        EVENT(RMA_OP_COMPLETE_REMOTE, RmaOpCompleteRemote, window, r->matching);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_rma_collective, RmaCollectives)
{
    switch (r->event) {
        EVENT(RMA_COLLECTIVE_BEGIN, RmaCollectiveBegin);
        EVENT(RMA_COLLECTIVE_END, RmaCollectiveEnd, r->operation, r->sync_level, ID(RMA_WINDOWS, r->window), r->root,
              r->bytes, r->received);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_rma_sync, RmaSyncs)
{
    const uint32_t window = ID(RMA_WINDOWS, r->window);

    switch (r->event) {
        EVENT(RMA_WIN_CREATE, RmaWinCreate, window);
        EVENT(RMA_WIN_DESTROY, RmaWinDestroy, window);
        EVENT(RMA_GROUP_SYNC, RmaGroupSync, r->sync_level, window, ID(GROUPS, r->group));
        EVENT(RMA_SYNC, RmaSync, window, r->peer, r->sync_type);
        EVENT(RMA_WAIT_CHANGE, RmaWaitChange, window);
    }
    return XTF_OTF2_NO_EVENT;
}

WRITER(write_rma_lock, RmaLocks)
{
    const uint32_t window = ID(RMA_WINDOWS, r->window);

    switch (r->event) {
        EVENT(RMA_REQUEST_LOCK, RmaRequestLock, window, r->peer, r->lock, r->lock_type);
        EVENT(RMA_ACQUIRE_LOCK, RmaAcquireLock, window, r->peer, r->lock, r->lock_type);
        EVENT(RMA_TRY_LOCK, RmaTryLock, window, r->peer, r->lock, r->lock_type);
        EVENT(RMA_RELEASE_LOCK, RmaReleaseLock, window, r->peer, r->lock);
    }
    return XTF_OTF2_NO_EVENT;
}

const XtfOtf2EventWriter xtf_otf2_io_writers[XTF_N_RECORD_TYPES] = {
    [XTF_MODEL_IO_CONTROL] = write_control,      [XTF_MODEL_IO_SEEKS] = write_seek,
    [XTF_MODEL_IO_OPERATIONS] = write_operation, [XTF_MODEL_IO_LOCKS] = write_file_lock,
    [XTF_MODEL_RMA_OPERATIONS] = write_rma,      [XTF_MODEL_RMA_COLLECTIVES] = write_rma_collective,
    [XTF_MODEL_RMA_SYNCS] = write_rma_sync,      [XTF_MODEL_RMA_LOCKS] = write_rma_lock,
};
