/*
 * The table of metrics. The metrics have Scalasca's names, which Cube and its tools know. The metrics of an analysis
 * are sums of the fields that sources.h describes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    XTF_CUBE_COUNT,   /* stored as a whole number */
    XTF_CUBE_BYTES,   /* stored as a whole number */
    XTF_CUBE_SECONDS, /* added up in ticks */
} XtfCubeUnit;

/* METRIC(TAG, unique name, parent's TAG or NONE, unit, name, description). Rows of `time` are
 * sums over a path and the paths below it; rows of all other metrics exclude the paths below. A parent precedes its
 * children, and its values include the children's. */
/* clang-format off */
#define XTF_CUBE_METRICS(METRIC)                                                                                       \
    METRIC(TIME, "time", NONE, SECONDS, "Time", "Total time")                                                          \
    METRIC(VISITS, "visits", NONE, COUNT, "Visits", "Number of visits")                                                \
    METRIC(SYNCS_SEND, "syncs_send", NONE, COUNT, "P2P send synchronizations", "Messages of no bytes sent")            \
    METRIC(SYNCS_RECV, "syncs_recv", NONE, COUNT, "P2P receive synchronizations", "Messages of no bytes received")     \
    METRIC(SYNCS_COLL, "syncs_coll", NONE, COUNT, "Collective synchronizations", "Collective operations that neither send nor receive") \
    METRIC(COMMS_SEND, "comms_send", NONE, COUNT, "P2P send communications", "Messages sent")                          \
    METRIC(COMMS_RECV, "comms_recv", NONE, COUNT, "P2P receive communications", "Messages received")                   \
    METRIC(COMMS_CXCH, "comms_cxch", NONE, COUNT, "Collective exchange communications", "Collective operations that send and receive") \
    METRIC(COMMS_CSRC, "comms_csrc", NONE, COUNT, "Collective communications as source", "Collective operations that only send") \
    METRIC(COMMS_CDST, "comms_cdst", NONE, COUNT, "Collective communications as destination", "Collective operations that only receive") \
    METRIC(COMMS_PUTS, "comms_rma_puts", NONE, COUNT, "One-sided put communications", "Puts")                          \
    METRIC(COMMS_GETS, "comms_rma_gets", NONE, COUNT, "One-sided get communications", "Gets")                          \
    METRIC(COMMS_ATOMICS, "comms_rma_atomics", NONE, COUNT, "One-sided atomic communications", "Atomic operations")    \
    METRIC(BYTES_SENT, "bytes_sent", NONE, BYTES, "P2P bytes sent", "Bytes of messages sent")                          \
    METRIC(BYTES_RCVD, "bytes_rcvd", NONE, BYTES, "P2P bytes received", "Bytes of messages received")                  \
    METRIC(BYTES_COUT, "bytes_cout", NONE, BYTES, "Collective bytes outgoing", "Bytes sent by collective operations")  \
    METRIC(BYTES_CIN, "bytes_cin", NONE, BYTES, "Collective bytes incoming", "Bytes received by collective operations") \
    METRIC(BYTES_PUT, "bytes_put", NONE, BYTES, "One-sided bytes sent", "Bytes of puts")                               \
    METRIC(BYTES_GET, "bytes_get", NONE, BYTES, "One-sided bytes received", "Bytes of gets")                           \
    /* Metrics of an analysis. */                                                                                      \
    METRIC(LATESENDER, "mpi_latesender", NONE, SECONDS, "Late Sender", NULL)                                           \
    METRIC(LATESENDER_WO, "mpi_latesender_wo", LATESENDER, SECONDS, "Late Sender, wrong order", "The part that another order of receiving would avoid") \
    METRIC(LSWO_DIFFERENT, "mpi_lswo_different", LATESENDER_WO, SECONDS, "Late Sender, wrong order (different source)", "The part due to messages of different senders") \
    METRIC(LSWO_SAME, "mpi_lswo_same", LATESENDER_WO, SECONDS, "Late Sender, wrong order (same source)", "The part due to messages of one sender") \
    METRIC(LATERECEIVER, "mpi_latereceiver", NONE, SECONDS, "Late Receiver", NULL)                                     \
    METRIC(BARRIER_WAIT, "mpi_barrier_wait", NONE, SECONDS, "Wait at Barrier", NULL)                                   \
    METRIC(BARRIER_COMPLETION, "mpi_barrier_completion", NONE, SECONDS, "Barrier Completion", NULL)                    \
    METRIC(WAIT_NXN, "mpi_wait_nxn", NONE, SECONDS, "Wait at N x N", NULL)                                             \
    METRIC(NXN_COMPLETION, "mpi_nxn_completion", NONE, SECONDS, "N x N Completion", "Time after the first process has ended the operation")   \
    METRIC(LATEBROADCAST, "mpi_latebroadcast", NONE, SECONDS, "Late Broadcast", NULL)                                  \
    METRIC(EARLYREDUCE, "mpi_earlyreduce", NONE, SECONDS, "Early Reduce", NULL)                                        \
    METRIC(EARLYSCAN, "mpi_earlyscan", NONE, SECONDS, "Early Scan", NULL)                                              \
    METRIC(INIT_COMPLETION, "mpi_init_completion", NONE, SECONDS, "MPI Initialization Completion", NULL)               \
    METRIC(FINALIZE_WAIT, "mpi_finalize_wait", NONE, SECONDS, "MPI Wait at Finalize", NULL)                            \
    METRIC(OMP_EBARRIER, "omp_ebarrier_wait", NONE, SECONDS, "OMP Wait at Explicit Barrier", "Waiting for the last thread to reach a barrier") \
    METRIC(OMP_IBARRIER, "omp_ibarrier_wait", NONE, SECONDS, "OMP Wait at Implicit Barrier", "Waiting for the last thread to end a region") \
    METRIC(OMP_CRITICAL, "omp_lock_contention_critical", NONE, SECONDS, "OMP Critical Contention", "Waiting to enter a critical section") \
    METRIC(OMP_LOCK, "omp_lock_contention_api", NONE, SECONDS, "OMP Lock API Contention", "Waiting for a lock of OpenMP") \
    METRIC(OMP_FORK, "omp_fork", NONE, SECONDS, "OMP Fork", NULL)                                                      \
    METRIC(OMP_IDLE, "omp_idle_threads", NONE, SECONDS, "OMP Idle Threads", "Time of threads that are in no team")              \
    METRIC(OMP_LIMITED, "omp_limited_parallelism", OMP_IDLE, SECONDS, "OMP Limited parallelism", "Idle time while other threads are in a parallel region") \
    METRIC(MUTEX, "pthread_lock_contention_mutex_lock", NONE, SECONDS, "POSIX threads Mutex Contention", "Waiting for a mutex") \
    METRIC(CONDITION, "pthread_lock_contention_conditional", NONE, SECONDS, "POSIX threads Condition Contention", "Waiting for the mutex of a condition") \
    METRIC(LOCK_COMPETITION, "rma_lock_competition", NONE, SECONDS, "Lock Competition", NULL)                          \
    METRIC(WAIT_ALLOC, "upc_wait_alloc", NONE, SECONDS, "Wait at Alloc", NULL)                                         \
    METRIC(WAIT_ENTRY, "upc_wait_entry", NONE, SECONDS, "Wait at Entry", NULL)                                         \
    METRIC(WAIT_EXIT, "upc_wait_exit", NONE, SECONDS, "Wait at Exit", NULL)                                            \
    METRIC(WAIT_INSIDE, "upc_wait_inside", NONE, SECONDS, "Wait Inside", NULL)                                         \
    METRIC(SLR_COUNT, "mpi_slr_count", NONE, COUNT, "Late Receiver instances (synchronizations)", "Waits for a receive of no bytes that is posted late") \
    METRIC(SLS_COUNT, "mpi_sls_count", NONE, COUNT, "Late Sender instances (synchronizations)", "Waits for a message of no bytes that is sent late") \
    METRIC(SLSWO_COUNT, "mpi_slswo_count", SLS_COUNT, COUNT, "Late Sender, wrong order instances (synchronizations)", "Instances that another order of receiving would avoid") \
    METRIC(CLR_COUNT, "mpi_clr_count", NONE, COUNT, "Late Receiver instances (communications)", "Waits for a receive of some bytes that is posted late") \
    METRIC(CLS_COUNT, "mpi_cls_count", NONE, COUNT, "Late Sender instances (communications)", "Waits for a message of some bytes that is sent late") \
    METRIC(CLSWO_COUNT, "mpi_clswo_count", CLS_COUNT, COUNT, "Late Sender, wrong order instances (communications)", "Instances that another order of receiving would avoid") \
    METRIC(INDIRECT_LS, "mpi_wait_indirect_latesender", NONE, SECONDS, "Indirect Late Sender", "Late Sender due to waits of the sender") \
    METRIC(INDIRECT_LR, "mpi_wait_indirect_latereceiver", NONE, SECONDS, "Indirect Late Receiver", "Late Receiver due to waits of the receiver") \
    METRIC(PROPAGATING_LS, "mpi_wait_propagating_ls", NONE, SECONDS, "Propagating Late Sender", "Late Sender that causes later waits of others") \
    METRIC(PROPAGATING_LR, "mpi_wait_propagating_lr", NONE, SECONDS, "Propagating Late Receiver", "Late Receiver that causes later waits of others") \
    METRIC(DELAY_LS, "delay_latesender", NONE, SECONDS, "Late Sender delay costs", "Waiting time of others that delays here cause directly") \
    METRIC(DELAY_LS_LONG, "delay_latesender_longterm", NONE, SECONDS, "Long-term Late Sender delay costs", "Waiting time of others that delays here cause through other waits") \
    METRIC(DELAY_LR, "delay_latereceiver", NONE, SECONDS, "Late Receiver delay costs", "Waiting time of others that delays here cause directly") \
    METRIC(DELAY_LR_LONG, "delay_latereceiver_longterm", NONE, SECONDS, "Long-term Late Receiver delay costs", "Waiting time of others that delays here cause through other waits") \
    METRIC(DELAY_BARRIER, "delay_barrier", NONE, SECONDS, "Barrier delay costs", "Waiting time of others that delays here cause directly") \
    METRIC(DELAY_BARRIER_LONG, "delay_barrier_longterm", NONE, SECONDS, "Long-term barrier delay costs", "Waiting time of others that delays here cause through other waits") \
    METRIC(DELAY_N2N, "delay_n2n", NONE, SECONDS, "N x N delay costs", "Waiting time of others that delays here cause directly")      \
    METRIC(DELAY_N2N_LONG, "delay_n2n_longterm", NONE, SECONDS, "Long-term N x N delay costs", "Waiting time of others that delays here cause through other waits") \
    METRIC(DELAY_12N, "delay_12n", NONE, SECONDS, "1-to-N delay costs", "Waiting time of others that delays here cause directly")     \
    METRIC(DELAY_12N_LONG, "delay_12n_longterm", NONE, SECONDS, "Long-term 1-to-N delay costs", "Waiting time of others that delays here cause through other waits") \
    METRIC(DELAY_N21, "delay_n21", NONE, SECONDS, "N-to-1 delay costs", "Waiting time of others that delays here cause directly")     \
    METRIC(DELAY_N21_LONG, "delay_n21_longterm", NONE, SECONDS, "Long-term N-to-1 delay costs", "Waiting time of others that delays here cause through other waits") \
    METRIC(DELAY_OMPBARRIER, "delay_ompbarrier", NONE, SECONDS, "OMP barrier delay costs", "Waiting time of other threads that delays here cause directly") \
    METRIC(DELAY_OMPBARRIER_LONG, "delay_ompbarrier_longterm", NONE, SECONDS, "Long-term OMP barrier delay costs", "Waiting time of others that delays here cause through other waits") \
    METRIC(DELAY_OMPIDLE, "delay_ompidle", NONE, SECONDS, "OMP idleness delay costs", "Idle time of other threads during the work here") \
    METRIC(DELAY_OMPIDLE_LONG, "delay_ompidle_longterm", NONE, SECONDS, "Long-term OMP idleness delay costs", "Idle time of other threads that delays here cause through other waits") \
    METRIC(CRITICAL_PATH, "critical_path", NONE, SECONDS, "Critical path", "Time on the path that determines the length of the run") \
    METRIC(ACTIVITIES, "critical_path_activities", NONE, SECONDS, "Activity impact", "Activity up to the time of the critical path") \
    METRIC(IMPACT, "critical_imbalance_impact", NONE, SECONDS, "Critical-path imbalance impact", "Waiting time for the critical path, by its call paths") \
    METRIC(OTHER_ACTIVITIES, "non_critical_path_activities", NONE, SECONDS, "Non-critical-path activities", "Activity beyond the time of the critical path")
/* clang-format on */

enum {
    XTF_CUBE_NONE = -1,
#define XTF_CUBE_TAG(TAG, ...) XTF_CUBE_##TAG,
    XTF_CUBE_METRICS(XTF_CUBE_TAG) XTF_N_CUBE_METRICS,
    XTF_CUBE_ANALYSED = XTF_CUBE_LATESENDER, /* the first metric that needs an analysis */
#undef XTF_CUBE_TAG
};

typedef struct {
    const char *unique;
    int parent; /* XTF_CUBE_...; XTF_CUBE_NONE */
    XtfCubeUnit unit;
    const char *name;
    const char *description; /* NULL: the sentence of the wait kind whose amount the metric is */
} XtfCubeMetric;

extern const XtfCubeMetric xtf_cube_metrics[XTF_N_CUBE_METRICS];

/* Returns XTF_CUBE_... of a unique name; XTF_CUBE_NONE if no metric has it. */
int xtf_cube_metric_named(const char *unique);
/* Returns a sentence that says what a metric means. */
const char *xtf_cube_metric_description(const XtfCubeMetric *metric);

/* True if rows are sums over the call tree, which Cube calls INCLUSIVE. */
static inline bool xtf_cube_metric_is_inclusive(unsigned metric)
{
    return metric == XTF_CUBE_TIME;
}
