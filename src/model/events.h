/*
 * The events of each record type, in the order of their labels. Most are OTF2's, under the names of otf2-print. `links`
 * has network_test's statistics. From `slices` on the events are OpenTS's elements, and states of its tasks
 * (task-states.h). A source with other events adds labels, see xtf_model_schema_with_events().
 * The labels of waits are in wait-kinds.h.
 */
#pragma once

/* clang-format off */
#define XTF_ENTERS_LEAVES_EVENTS(EVENT)           EVENT(ENTER) EVENT(LEAVE)
#define XTF_SENDS_EVENTS(EVENT)           EVENT(MPI_SEND) EVENT(MPI_ISEND)
#define XTF_RECVS_EVENTS(EVENT)           EVENT(MPI_RECV) EVENT(MPI_IRECV)
#define XTF_REQUESTS_EVENTS(EVENT)                                                                                     \
    EVENT(MPI_ISEND_COMPLETE) EVENT(MPI_IRECV_REQUEST) EVENT(MPI_REQUEST_TEST) EVENT(MPI_REQUEST_CANCELLED)
#define XTF_COLLECTIVES_EVENTS(EVENT)                                                                                  \
    EVENT(MPI_COLLECTIVE_BEGIN) EVENT(MPI_COLLECTIVE_END)                                                              \
    EVENT(NON_BLOCKING_COLLECTIVE_REQUEST) EVENT(NON_BLOCKING_COLLECTIVE_COMPLETE)
#define XTF_COMMS_EVENTS(EVENT)           EVENT(COMM_CREATE) EVENT(COMM_DESTROY)
#define XTF_COUNTERS_EVENTS(EVENT)        EVENT(METRIC)
#define XTF_THREADS_EVENTS(EVENT)                                                                                      \
    EVENT(THREAD_FORK) EVENT(THREAD_JOIN) EVENT(THREAD_TEAM_BEGIN) EVENT(THREAD_TEAM_END)                              \
    EVENT(THREAD_CREATE) EVENT(THREAD_BEGIN) EVENT(THREAD_WAIT) EVENT(THREAD_END) EVENT(OMP_FORK) EVENT(OMP_JOIN)
#define XTF_LOCKS_EVENTS(EVENT)                                                                                        \
    EVENT(THREAD_ACQUIRE_LOCK) EVENT(THREAD_RELEASE_LOCK) EVENT(OMP_ACQUIRE_LOCK) EVENT(OMP_RELEASE_LOCK)
#define XTF_TASKS_EVENTS(EVENT)                                                                                        \
    EVENT(THREAD_TASK_CREATE) EVENT(THREAD_TASK_SWITCH) EVENT(THREAD_TASK_COMPLETE)                                    \
    EVENT(OMP_TASK_CREATE) EVENT(OMP_TASK_SWITCH) EVENT(OMP_TASK_COMPLETE)
#define XTF_PARAMETERS_EVENTS(EVENT)      EVENT(PARAMETER_STRING) EVENT(PARAMETER_INT64) EVENT(PARAMETER_UINT64)
#define XTF_IO_CONTROL_EVENTS(EVENT)                                                                                   \
    EVENT(IO_CREATE_HANDLE) EVENT(IO_DESTROY_HANDLE) EVENT(IO_DUPLICATE_HANDLE) EVENT(IO_CHANGE_FLAGS)                 \
    EVENT(IO_DELETE_FILE)
#define XTF_IO_SEEKS_EVENTS(EVENT)        EVENT(IO_SEEK)
#define XTF_IO_OPERATIONS_EVENTS(EVENT)                                                                                \
    EVENT(IO_OPERATION_BEGIN) EVENT(IO_OPERATION_TEST) EVENT(IO_OPERATION_ISSUED) EVENT(IO_OPERATION_COMPLETE)         \
    EVENT(IO_OPERATION_CANCELLED)
#define XTF_IO_LOCKS_EVENTS(EVENT)        EVENT(IO_ACQUIRE_LOCK) EVENT(IO_RELEASE_LOCK) EVENT(IO_TRY_LOCK)
#define XTF_RMA_OPERATIONS_EVENTS(EVENT)                                                                               \
    EVENT(RMA_PUT) EVENT(RMA_GET) EVENT(RMA_ATOMIC) EVENT(RMA_OP_COMPLETE_BLOCKING)                                    \
    EVENT(RMA_OP_COMPLETE_NON_BLOCKING) EVENT(RMA_OP_TEST) EVENT(RMA_OP_COMPLETE_REMOTE)
#define XTF_RMA_COLLECTIVES_EVENTS(EVENT) EVENT(RMA_COLLECTIVE_BEGIN) EVENT(RMA_COLLECTIVE_END)
#define XTF_RMA_SYNCS_EVENTS(EVENT)                                                                                    \
    EVENT(RMA_WIN_CREATE) EVENT(RMA_WIN_DESTROY) EVENT(RMA_GROUP_SYNC) EVENT(RMA_SYNC) EVENT(RMA_WAIT_CHANGE)
#define XTF_RMA_LOCKS_EVENTS(EVENT)                                                                                    \
    EVENT(RMA_REQUEST_LOCK) EVENT(RMA_ACQUIRE_LOCK) EVENT(RMA_TRY_LOCK) EVENT(RMA_RELEASE_LOCK)
#define XTF_SAMPLES_EVENTS(EVENT)                                                                                      \
    EVENT(CALLING_CONTEXT_ENTER) EVENT(CALLING_CONTEXT_LEAVE) EVENT(CALLING_CONTEXT_SAMPLE)
#define XTF_PROGRAMS_EVENTS(EVENT)        EVENT(PROGRAM_BEGIN) EVENT(PROGRAM_END)
#define XTF_MEASUREMENT_EVENTS(EVENT)     EVENT(MEASUREMENT_ON_OFF) EVENT(BUFFER_FLUSH)
#define XTF_PENDING_EVENTS(EVENT)         \
    EVENT(PENDING) EVENT(PENDING_SEND) EVENT(PENDING_RECEIVE) EVENT(PENDING_COLLECTIVE) EVENT(PENDING_POSTED) \
    EVENT(PENDING_OTHER)
#define XTF_LINKS_EVENTS(EVENT)                                                                                        \
    EVENT(AVERAGE) EVENT(MEDIAN) EVENT(DEVIATION) EVENT(MIN) EVENT(AMOUNT) EVENT(REPEAT)
#define XTF_MARKERS_EVENTS(EVENT)       EVENT(MARKER)
#define XTF_ASYNC_EVENTS(EVENT)         EVENT(ASYNC_BEGIN) EVENT(ASYNC_INSTANT) EVENT(ASYNC_END)
#define XTF_UNKNOWN_EVENTS(EVENT)         EVENT(UNKNOWN)
#define XTF_SLICES_EVENTS(EVENT)          EVENT(slice)
#define XTF_RESOURCES_EVENTS(EVENT)       EVENT(resource)
#define XTF_TASK_STATES_EVENTS(EVENT)                                                                                  \
    EVENT(started) EVENT(prenatal) EVENT(exported) EVENT(imported) EVENT(active) EVENT(suspended) EVENT(finished)      \
    EVENT(B) EVENT(C) EVENT(D) EVENT(E) EVENT(G) EVENT(H) EVENT(J) EVENT(K) EVENT(L) EVENT(M) EVENT(N) EVENT(O)        \
    EVENT(Q) EVENT(R) EVENT(T) EVENT(U) EVENT(V) EVENT(Y) EVENT(Z) EVENT(a) EVENT(b) EVENT(c) EVENT(d) EVENT(e)        \
    EVENT(f) EVENT(g) EVENT(h) EVENT(i) EVENT(j) EVENT(k) EVENT(l) EVENT(m) EVENT(n) EVENT(o) EVENT(p) EVENT(q)        \
    EVENT(r) EVENT(s) EVENT(t) EVENT(u) EVENT(v) EVENT(w) EVENT(x) EVENT(y) EVENT(z)
#define XTF_TASK_MOVES_EVENTS(EVENT)
#define XTF_MESSAGE_TOTALS_EVENTS(EVENT)  EVENT(message)
#define XTF_MESSAGE_KINDS_EVENTS(EVENT)   EVENT(extra)
/* clang-format on */
