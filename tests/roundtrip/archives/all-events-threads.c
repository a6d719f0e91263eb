/* Threads, locks and tasks, OpenMP's old events, and the measurement itself. */
#include "all-events.h"

/* The OpenMP events are deprecated, but readers must still read them. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void emit_openmp(Emitter *emitter)
{
    EMIT(OmpFork, emitter_u32(emitter));
    EMIT(OmpAcquireLock, emitter_u32(emitter), emitter_u32(emitter));
    EMIT(OmpReleaseLock, emitter_u32(emitter), emitter_u32(emitter));
    EMIT(OmpTaskCreate, emitter_u64(emitter));
    EMIT(OmpTaskSwitch, emitter_u64(emitter));
    EMIT(OmpTaskComplete, emitter_u64(emitter));
    EMIT(OmpJoin);
}

static void emit_teams(Emitter *emitter)
{
    OTF2_Paradigm paradigm = emitter_enum(emitter, OTF2_PARADIGM_KOKKOS + 1);
    OTF2_CommRef team = emitter_ref(emitter, COMM_FIRST);

    EMIT(ThreadFork, paradigm, emitter_u32(emitter));
    EMIT(ThreadTeamBegin, team);
    EMIT(ThreadAcquireLock, paradigm, emitter_u32(emitter), emitter_u32(emitter));
    EMIT(ThreadReleaseLock, paradigm, emitter_u32(emitter), emitter_u32(emitter));
    EMIT(ThreadTaskCreate, team, emitter_rank(emitter), emitter_u32(emitter));
    EMIT(ThreadTaskSwitch, team, emitter_rank(emitter), emitter_u32(emitter));
    EMIT(ThreadTaskComplete, team, emitter_rank(emitter), emitter_u32(emitter));
    EMIT(ThreadTeamEnd, team);
    EMIT(ThreadJoin, paradigm);
    EMIT(ThreadCreate, team, emitter_u64(emitter));
    EMIT(ThreadBegin, team, emitter_u64(emitter));
    EMIT(ThreadWait, team, emitter_u64(emitter));
    EMIT(ThreadEnd, team, emitter_u64(emitter));
}

void emit_threads(Emitter *emitter)
{
    emit_openmp(emitter);
    emit_teams(emitter);
    EMIT(MeasurementOnOff, OTF2_MEASUREMENT_ON + emitter_enum(emitter, 2));
    EMIT(BufferFlush, emitter->time + 1 + emitter->round);
    emitter->time += 1 + emitter->round;
}
