/* One-sided communication. */
#include "all-events.h"

static void emit_locks(Emitter *emitter, OTF2_RmaWinRef win)
{
    OTF2_LockType lock = emitter_enum(emitter, 2);

    EMIT(RmaRequestLock, win, emitter_rank(emitter), emitter_u64(emitter), lock);
    EMIT(RmaTryLock, win, emitter_rank(emitter), emitter_u64(emitter), lock);
    EMIT(RmaAcquireLock, win, emitter_rank(emitter), emitter_u64(emitter), lock);
    EMIT(RmaReleaseLock, win, emitter_rank(emitter), emitter_u64(emitter));
}

static void emit_operations(Emitter *emitter, OTF2_RmaWinRef win)
{
    EMIT(RmaPut, win, emitter_rank(emitter), emitter_u64(emitter), emitter_u64(emitter));
    EMIT(RmaGet, win, emitter_rank(emitter), emitter_u64(emitter), emitter_u64(emitter));
    EMIT(RmaAtomic, win, emitter_rank(emitter), emitter_enum(emitter, 8), emitter_u64(emitter), emitter_u64(emitter),
         emitter_u64(emitter));
    EMIT(RmaOpCompleteBlocking, win, emitter_u64(emitter));
    EMIT(RmaOpCompleteNonBlocking, win, emitter_u64(emitter));
    EMIT(RmaOpTest, win, emitter_u64(emitter));
    EMIT(RmaOpCompleteRemote, win, emitter_u64(emitter));
}

void emit_rma(Emitter *emitter)
{
    OTF2_RmaWinRef win = emitter_ref(emitter, RMA_WIN_FIRST);
    OTF2_RmaSyncLevel level = emitter_enum(emitter, 4);
    OTF2_CollectiveOp op = emitter_enum(emitter, OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE + 1);

    EMIT(RmaWinCreate, win);
    EMIT(RmaCollectiveBegin);
    EMIT(RmaCollectiveEnd, op, level, win, emitter_rank(emitter), emitter_u64(emitter), emitter_u64(emitter));
    EMIT(RmaGroupSync, level, win, emitter_ref(emitter, COMM_GROUP_FIRST));
    emit_locks(emitter, win);
    EMIT(RmaSync, win, emitter_rank(emitter), emitter_enum(emitter, 3));
    EMIT(RmaWaitChange, win);
    emit_operations(emitter, win);
    EMIT(RmaWinDestroy, win);
}
