/* Input and output. */
#include "all-events.h"

static uint32_t next_handle(Emitter *emitter)
{
    return emitter_ref(emitter, HANDLE_FIRST);
}

/* Returns zero, one or two of `n` flags. */
static uint32_t make_flags(const Emitter *emitter, unsigned n)
{
    uint32_t first = emitter->round % (n + 1), second = emitter->round % 3;
    return (first ? UINT32_C(1) << (first - 1) : 0) | (second == 2 ? 1 : 0);
}

static void emit_handles(Emitter *emitter)
{
    uint32_t status = make_flags(emitter, 9);

    EMIT(IoCreateHandle, next_handle(emitter), emitter_enum(emitter, 5), make_flags(emitter, 11), status);
    EMIT(IoDuplicateHandle, next_handle(emitter), next_handle(emitter), status);
    EMIT(IoSeek, next_handle(emitter), emitter_i64(emitter), emitter_enum(emitter, 5), emitter_u64(emitter));
    EMIT(IoChangeStatusFlags, next_handle(emitter), status);
    EMIT(IoAcquireLock, next_handle(emitter), emitter_enum(emitter, 2));
    EMIT(IoTryLock, next_handle(emitter), emitter_enum(emitter, 2));
    EMIT(IoReleaseLock, next_handle(emitter), emitter_enum(emitter, 2));
    EMIT(IoDestroyHandle, next_handle(emitter));
    EMIT(IoDeleteFile, emitter_enum(emitter, N_IO_PARADIGMS), emitter_ref(emitter, FILE_FIRST));
}

void emit_io(Emitter *emitter)
{
    emit_handles(emitter);
    EMIT(IoOperationBegin, next_handle(emitter), emitter_enum(emitter, 3), make_flags(emitter, 2), emitter_u64(emitter),
         emitter_u64(emitter));
    EMIT(IoOperationTest, next_handle(emitter), emitter_u64(emitter));
    EMIT(IoOperationIssued, next_handle(emitter), emitter_u64(emitter));
    EMIT(IoOperationComplete, next_handle(emitter), emitter_u64(emitter), emitter_u64(emitter));
    EMIT(IoOperationCancelled, next_handle(emitter), emitter_u64(emitter));
}
