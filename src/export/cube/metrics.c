#include "src/export/cube/metrics.h"

#include <stddef.h>

#define METRIC(TAG, unique, PARENT, UNIT, name, description) \
    {unique, XTF_CUBE_##PARENT, XTF_CUBE_##UNIT, name, description},
const XtfCubeMetric xtf_cube_metrics[XTF_N_CUBE_METRICS] = {XTF_CUBE_METRICS(METRIC)};

/* clang-format off */
#define WAIT(TAG, kind)         {XTF_CUBE_##TAG, "waits", #kind, "amount", NULL, NULL, NULL, XTF_CUBE_ALL, XTF_CUBE_ANYWHERE}
#define WAIT_IN(TAG, kind, PLACE) {XTF_CUBE_##TAG, "waits", #kind, "amount", NULL, NULL, NULL, XTF_CUBE_ALL, XTF_CUBE_IN_##PLACE}
#define PART(TAG, kind, field)  {XTF_CUBE_##TAG, "waits", #kind, #field, NULL, NULL, NULL, XTF_CUBE_ALL, XTF_CUBE_ANYWHERE}
#define ORDER(TAG, label)       {XTF_CUBE_##TAG, "waits", "late_sender", "part", "part_kind", #label, NULL, XTF_CUBE_ALL, XTF_CUBE_ANYWHERE}
#define DELAY(TAG, kind) \
    {XTF_CUBE_DELAY_##TAG, "delays", #kind, "short_term", NULL, NULL, NULL, XTF_CUBE_ALL, XTF_CUBE_ANYWHERE}, \
    {XTF_CUBE_DELAY_##TAG##_LONG, "delays", #kind, "long_term", NULL, NULL, NULL, XTF_CUBE_ALL, XTF_CUBE_ANYWHERE}
#define COUNT(SYNC, COMM, kind, when) \
    {XTF_CUBE_##SYNC##_COUNT, "waits", #kind, NULL, when, NULL, NULL, XTF_CUBE_WITHOUT_BYTES, XTF_CUBE_ANYWHERE}, \
    {XTF_CUBE_##COMM##_COUNT, "waits", #kind, NULL, when, NULL, NULL, XTF_CUBE_WITH_BYTES, XTF_CUBE_ANYWHERE}
const XtfCubeSource xtf_cube_sources[XTF_CUBE_SOURCES_MAX] = {
    WAIT(LATESENDER, late_sender), WAIT(LATERECEIVER, late_receiver), WAIT(BARRIER_WAIT, wait_barrier),
    WAIT(BARRIER_COMPLETION, barrier_completion), WAIT(WAIT_NXN, wait_nxn), WAIT(NXN_COMPLETION, nxn_completion),
    WAIT(LATEBROADCAST, late_broadcast), WAIT(EARLYREDUCE, early_reduce), WAIT(EARLYSCAN, early_scan),
    WAIT(INIT_COMPLETION, init_completion), WAIT(FINALIZE_WAIT, finalize_wait),
    PART(LATESENDER_WO, late_sender, part), ORDER(LSWO_DIFFERENT, different_source), ORDER(LSWO_SAME, same_source),
    COUNT(SLS, CLS, late_sender, NULL), COUNT(SLSWO, CLSWO, late_sender, "part_kind"),
    COUNT(SLR, CLR, late_receiver, NULL),
    PART(INDIRECT_LS, late_sender, indirect), PART(INDIRECT_LR, late_receiver, indirect),
    PART(PROPAGATING_LS, late_sender, propagating), PART(PROPAGATING_LR, late_receiver, propagating),
    DELAY(LS, late_sender), DELAY(LR, late_receiver), DELAY(BARRIER, wait_barrier), DELAY(N2N, wait_nxn),
    DELAY(12N, late_broadcast), DELAY(N21, early_reduce), DELAY(OMPBARRIER, omp_barrier_wait), DELAY(OMPIDLE, omp_idle),
    WAIT_IN(OMP_EBARRIER, omp_barrier_wait, BARRIER), WAIT_IN(OMP_IBARRIER, omp_barrier_wait, IMPLICIT),
    WAIT_IN(OMP_CRITICAL, lock_contention, CRITICAL), WAIT_IN(OMP_LOCK, lock_contention, OPENMP),
    WAIT_IN(MUTEX, lock_contention, PTHREAD), WAIT_IN(CONDITION, lock_contention, CONDITION),
    WAIT(OMP_FORK, omp_fork), WAIT(OMP_IDLE, omp_idle), WAIT(OMP_IDLE, omp_limited), WAIT(OMP_LIMITED, omp_limited),
    {XTF_CUBE_CRITICAL_PATH, "critical", NULL, "amount", NULL, NULL, NULL, XTF_CUBE_ALL, XTF_CUBE_ANYWHERE},
    {XTF_CUBE_ACTIVITIES, "activity", NULL, "total", NULL, NULL, "waited", XTF_CUBE_ALL, XTF_CUBE_ANYWHERE}, /* impact.c makes three metrics of it */
};
/* clang-format on */
