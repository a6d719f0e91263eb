/* Input and output. */
#include "all-events.h"

static uint32_t handle(Emitter *emitter)
{
    return emitter_ref(emitter, HANDLE_FIRST);
}

/* None, one or two of `n` flags. */
static uint32_t flags(const Emitter *emitter, unsigned n)
{
    uint32_t one = emitter->round % (n + 1), other = emitter->round % 3;
    return (one ? UINT32_C(1) << (one - 1) : 0) | (other == 2 ? 1 : 0);
}

static void emit_handles(Emitter *emitter)
{
    uint32_t status = flags(emitter, 9);

    EMIT(IoCreateHandle, handle(emitter), emitter_enum(emitter, 5), flags(emitter, 11), status);
    EMIT(IoDuplicateHandle, handle(emitter), handle(emitter), status);
    EMIT(IoSeek, handle(emitter), emitter_i64(emitter), emitter_enum(emitter, 5), emitter_u64(emitter));
    EMIT(IoChangeStatusFlags, handle(emitter), status);
    EMIT(IoAcquireLock, handle(emitter), emitter_enum(emitter, 2));
    EMIT(IoTryLock, handle(emitter), emitter_enum(emitter, 2));
    EMIT(IoReleaseLock, handle(emitter), emitter_enum(emitter, 2));
    EMIT(IoDestroyHandle, handle(emitter));
    EMIT(IoDeleteFile, emitter_enum(emitter, N_IO_PARADIGMS), emitter_ref(emitter, FILE_FIRST));
}

void emit_io(Emitter *emitter)
{
    emit_handles(emitter);
    EMIT(IoOperationBegin, handle(emitter), emitter_enum(emitter, 3), flags(emitter, 2), emitter_u64(emitter),
         emitter_u64(emitter));
    EMIT(IoOperationTest, handle(emitter), emitter_u64(emitter));
    EMIT(IoOperationIssued, handle(emitter), emitter_u64(emitter));
    EMIT(IoOperationComplete, handle(emitter), emitter_u64(emitter), emitter_u64(emitter));
    EMIT(IoOperationCancelled, handle(emitter), emitter_u64(emitter));
}
