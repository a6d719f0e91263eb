/* Calls and MPI messages, collectives and requests. */
#include "all-events.h"

static uint32_t comm(Emitter *emitter)
{
    return emitter_ref(emitter, COMM_FIRST);
}

static void emit_messages(Emitter *emitter)
{
    EMIT(MpiSend, emitter_rank(emitter), comm(emitter), emitter_u32(emitter), emitter_u64(emitter));
    EMIT(MpiIsend, emitter_rank(emitter), comm(emitter), emitter_u32(emitter), emitter_u64(emitter),
         emitter_u64(emitter));
    EMIT(MpiIrecvRequest, emitter_u64(emitter));
    EMIT(MpiRequestTest, emitter_u64(emitter));
    EMIT(MpiIsendComplete, emitter_u64(emitter));
    EMIT(MpiRequestCancelled, emitter_u64(emitter));
    EMIT(MpiRecv, emitter_rank(emitter), comm(emitter), emitter_u32(emitter), emitter_u64(emitter));
    EMIT(MpiIrecv, emitter_rank(emitter), comm(emitter), emitter_u32(emitter), emitter_u64(emitter),
         emitter_u64(emitter));
}

static void emit_collectives(Emitter *emitter)
{
    static const uint32_t roots[] = {
        0, 1, 2, 3, OTF2_COLLECTIVE_ROOT_NONE, OTF2_COLLECTIVE_ROOT_SELF, OTF2_COLLECTIVE_ROOT_THIS_GROUP,
    };
    uint32_t root = roots[emitter->round % G_N_ELEMENTS(roots)];
    OTF2_CollectiveOp op = emitter_enum(emitter, OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE + 1);

    EMIT(MpiCollectiveBegin);
    EMIT(MpiCollectiveEnd, op, comm(emitter), root, emitter_u64(emitter), emitter_u64(emitter));
    EMIT(NonBlockingCollectiveRequest, emitter_u64(emitter));
    EMIT(NonBlockingCollectiveComplete, op, comm(emitter), root, emitter_u64(emitter), emitter_u64(emitter),
         emitter_u64(emitter));
    EMIT(CommCreate, comm(emitter));
    EMIT(CommDestroy, comm(emitter));
}

void emit_mpi(Emitter *emitter)
{
    OTF2_RegionRef outer = emitter_ref(emitter, REGION_FIRST), inner = emitter_ref(emitter, REGION_FIRST);

    EMIT(Enter, outer);
    EMIT(Enter, outer); /* recursion */
    emit_messages(emitter);
    EMIT(Enter, inner);
    emit_collectives(emitter);
    EMIT(Leave, inner);
    EMIT(Leave, outer);
    EMIT(Leave, outer);
}
