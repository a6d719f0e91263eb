/*
 * The standard record types, side arrays and definition tables, which importers share, and the derived types.
 *
 * Each type is declared once, as a list of its fields. Both the schema and the packed struct of a row are made from the
 * list, so they cannot disagree. An importer uses the types that fit its source, so that all sources look alike.
 *
 * Every record begins with XtfRecordHead. A field that some events of a type lack is OPTIONAL and holds all ones there.
 * If all ones are a valid value (signed numbers, strings), the field holds 0 instead, and the event's name shows that
 * it means nothing.
 *
 * Aggregates:
 * - `enters_leaves`: the frames by region, and by site if the source knows call sites;
 * - other record types: rows and bytes, by event, region, communicator, peer, tag and metric, as far as they have these
 *   fields; `collectives` also the sum of `n_to_n`;
 * - `metric_values`: the values by metric, and their growth by metric and region;
 * - types of OpenTS: their counters; moves by peer and direction, messages by kind;
 * - `sends`, `postings` and `cancelled` also, or only: by communicator, peer and tag, by which messages are matched.
 */
#pragma once

#include <stdint.h>

#include "libxtf/schema.h"
#include "libxtf/vocabulary.h"
#include "src/model/derived.h"
#include "src/model/events.h"
#include "src/model/tables.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "rows are built as structs in memory order, which is the file's order on little-endian machines only"
#endif

#define XTF_NONE32 UINT32_MAX
#define XTF_NONE64 UINT64_MAX

#define XTF_OPT   XTF_FIELD_OPTIONAL
#define XTF_NAMES (XTF_FIELD_OPTIONAL | XTF_FIELD_NAMES)
#define XTF_RISES XTF_FIELD_RISES

/* clang-format off */

/* FIELD(type, name, role, unit, refers_to, flags, labels) */
#define XTF_HEAD_FIELDS(FIELD, EVENTS) XTF_HEAD_WITH_REGION(FIELD, EVENTS, XTF_NAMES)
#define XTF_HEAD_WITH_REGION(FIELD, EVENTS, FLAGS)                                                                     \
    FIELD(U64, time, XTF_ROLE_TIME, "ticks", "", 0, NULL)                                                              \
    FIELD(U64, seq, XTF_ROLE_SEQ, "", "", XTF_RISES, NULL)                                                             \
    FIELD(U32, region, XTF_ROLE_REGION, "", XTF_TABLE_REGIONS, FLAGS, NULL)                                            \
    FIELD(U8, event, XTF_ROLE_EVENT, "", "", 0, EVENTS)

#define XTF_ENTERS_LEAVES_FIELDS(FIELD)                                                                                \
    XTF_HEAD_FIELDS(FIELD, xtf_enters_leaves_events)                                                                   \
    FIELD(U64, enter, XTF_ROLE_ENTER, "", "", XTF_FIELD_DISTANCE, NULL)                                                \
    FIELD(U8, outermost, XTF_ROLE_OUTERMOST, "", "", 0, NULL)                                                          \
    FIELD(U32, depth, XTF_ROLE_DEPTH, "", "", 0, NULL)

/* `enters_leaves` of a source that knows call sites. */
#define XTF_SITED_CALLS_FIELDS(FIELD)                                                                                  \
    XTF_ENTERS_LEAVES_FIELDS(FIELD) FIELD(U32, site, XTF_ROLE_SITE, "", XTF_TABLE_SITES, XTF_OPT, NULL)

#define XTF_MESSAGE_FIELDS(FIELD, EVENTS)                                                                              \
    XTF_HEAD_FIELDS(FIELD, EVENTS)                                                                                     \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", 0, NULL)                                                                   \
    FIELD(U32, comm, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL)                                        \
    FIELD(U32, tag, XTF_ROLE_TAG, "", "", 0, NULL)                                                                     \
    FIELD(U64, bytes, XTF_ROLE_BYTES, "B", "", 0, NULL)                                                                \
    FIELD(U64, request, "", "", "", XTF_OPT, NULL)
#define XTF_SENDS_FIELDS(FIELD) XTF_MESSAGE_FIELDS(FIELD, xtf_sends_events)
/* `posted`: how many records earlier in the location the receive was posted; 0: by this record, or not known. */
#define XTF_RECVS_FIELDS(FIELD)                                                                                        \
    XTF_MESSAGE_FIELDS(FIELD, xtf_recvs_events)                                                                        \
    FIELD(U64, posted, XTF_ROLE_POSTED, "records", "", 0, NULL)

#define XTF_REQUESTS_FIELDS(FIELD)                                                                                     \
    XTF_HEAD_FIELDS(FIELD, xtf_requests_events)                                                                        \
    FIELD(U64, request, "", "", "", 0, NULL)

/* A root of 2^32 - 2 is the process itself, 2^32 - 3 a member of the own group of an inter-communicator. `n_to_n`, for
 * ALLTOALLV and ALLTOALLW: 1: the process exchanges data with each other member, in both directions; 0: it does not. */
#define XTF_COLLECTIVES_FIELDS(FIELD)                                                                                  \
    XTF_HEAD_FIELDS(FIELD, xtf_collectives_events)                                                                     \
    FIELD(U8, operation, "", "", "", XTF_OPT, xtf_collective_operations)                                               \
    FIELD(U32, comm, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL)                                        \
    FIELD(U32, root, "", "", "", XTF_OPT, NULL)                                                                        \
    FIELD(U64, bytes, XTF_ROLE_BYTES, "B", "", XTF_OPT, NULL)                                                          \
    FIELD(U64, received, "", "B", "", XTF_OPT, NULL)                                                                   \
    FIELD(U64, request, "", "", "", XTF_OPT, NULL)                                                                     \
    FIELD(U8, n_to_n, "", "", "", XTF_OPT, NULL)

#define XTF_COMMS_FIELDS(FIELD)                                                                                        \
    XTF_HEAD_FIELDS(FIELD, xtf_comms_events)                                                                           \
    FIELD(U32, comm, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL)

/* The side array `metric_values` has the values. `metric` is that of the first. */
#define XTF_COUNTERS_FIELDS(FIELD)                                                                                     \
    XTF_HEAD_WITH_REGION(FIELD, xtf_counters_events, XTF_OPT)                                                          \
    FIELD(U32, metric, XTF_ROLE_METRIC, "", XTF_TABLE_METRICS, XTF_NAMES, NULL)                                        \
    FIELD(U32, metric_class, "", "", XTF_TABLE_METRIC_CLASSES, XTF_OPT, NULL)                                          \
    FIELD(U8, n_values, "", "", "", 0, NULL)

#define XTF_THREADS_FIELDS(FIELD)                                                                                      \
    XTF_HEAD_FIELDS(FIELD, xtf_threads_events)                                                                         \
    FIELD(U8, model, "", "", "", XTF_OPT, xtf_paradigm_names)                                                          \
    FIELD(U32, requested, "", "", "", XTF_OPT, NULL)                                                                   \
    FIELD(U32, team, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL)                                        \
    FIELD(U64, sequence, "", "", "", XTF_OPT, NULL)

#define XTF_LOCKS_FIELDS(FIELD)                                                                                        \
    XTF_HEAD_FIELDS(FIELD, xtf_locks_events)                                                                           \
    FIELD(U8, model, "", "", "", XTF_OPT, xtf_paradigm_names)                                                          \
    FIELD(U32, lock, "", "", "", 0, NULL)                                                                              \
    FIELD(U32, order, "", "", "", 0, NULL)

#define XTF_TASKS_FIELDS(FIELD)                                                                                        \
    XTF_HEAD_FIELDS(FIELD, xtf_tasks_events)                                                                           \
    FIELD(U64, task, "", "", "", XTF_OPT, NULL)                                                                        \
    FIELD(U32, team, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL)                                        \
    FIELD(U32, creator, "", "", "", XTF_OPT, NULL)                                                                     \
    FIELD(U32, generation, "", "", "", XTF_OPT, NULL)

#define XTF_PARAMETERS_FIELDS(FIELD)                                                                                   \
    XTF_HEAD_FIELDS(FIELD, xtf_parameters_events)                                                                      \
    FIELD(U32, parameter, "", "", XTF_TABLE_PARAMETERS, XTF_OPT, NULL)                                                 \
    FIELD(I64, integer, "", "", "", 0, NULL)                                                                           \
    FIELD(U64, unsigned_integer, "", "", "", 0, NULL)                                                                  \
    FIELD(STRING, text, "", "", "", 0, NULL)

#define XTF_IO_CONTROL_FIELDS(FIELD)                                                                                   \
    XTF_HEAD_FIELDS(FIELD, xtf_io_control_events)                                                                      \
    FIELD(U32, handle, "", "", XTF_TABLE_IO_HANDLES, XTF_OPT, NULL)                                                    \
    FIELD(U32, new_handle, "", "", XTF_TABLE_IO_HANDLES, XTF_OPT, NULL)                                                \
    FIELD(U8, mode, "", "", "", XTF_OPT, xtf_io_access_modes)                                                          \
    FIELD(U32, creation_flags, "", "", "", XTF_OPT, NULL)                                                              \
    FIELD(U32, status_flags, "", "", "", XTF_OPT, NULL)                                                                \
    FIELD(U32, io_paradigm, "", "", XTF_TABLE_IO_PARADIGMS, XTF_OPT, NULL)                                             \
    FIELD(U32, file, "", "", XTF_TABLE_IO_FILES, XTF_OPT, NULL)

#define XTF_IO_SEEKS_FIELDS(FIELD)                                                                                     \
    XTF_HEAD_FIELDS(FIELD, xtf_io_seeks_events)                                                                        \
    FIELD(U32, handle, "", "", XTF_TABLE_IO_HANDLES, XTF_OPT, NULL)                                                    \
    FIELD(I64, offset, "", "B", "", 0, NULL)                                                                           \
    FIELD(U8, whence, "", "", "", 0, xtf_io_seek_options)                                                              \
    FIELD(U64, result, "", "B", "", XTF_OPT, NULL)

/* `requested`: bytes that the begin asked for. `bytes`: bytes that the completion moved. */
#define XTF_IO_OPERATIONS_FIELDS(FIELD)                                                                                \
    XTF_HEAD_FIELDS(FIELD, xtf_io_operations_events)                                                                   \
    FIELD(U32, handle, "", "", XTF_TABLE_IO_HANDLES, XTF_OPT, NULL)                                                    \
    FIELD(U8, mode, "", "", "", XTF_OPT, xtf_io_operation_modes)                                                       \
    FIELD(U32, operation_flags, "", "", "", XTF_OPT, NULL)                                                             \
    FIELD(U64, requested, "", "B", "", XTF_OPT, NULL)                                                                  \
    FIELD(U64, bytes, XTF_ROLE_BYTES, "B", "", XTF_OPT, NULL)                                                          \
    FIELD(U64, matching, "", "", "", XTF_OPT, NULL)

#define XTF_IO_LOCKS_FIELDS(FIELD)                                                                                     \
    XTF_HEAD_FIELDS(FIELD, xtf_io_locks_events)                                                                        \
    FIELD(U32, handle, "", "", XTF_TABLE_IO_HANDLES, XTF_OPT, NULL)                                                    \
    FIELD(U8, lock_type, "", "", "", 0, xtf_lock_types)

/* Peers are ranks in the window's communicator. */
#define XTF_RMA_OPERATIONS_FIELDS(FIELD)                                                                               \
    XTF_HEAD_FIELDS(FIELD, xtf_rma_operations_events)                                                                  \
    FIELD(U32, window, "", "", XTF_TABLE_RMA_WINDOWS, XTF_OPT, NULL)                                                   \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", XTF_OPT, NULL)                                                             \
    FIELD(U8, atomic, "", "", "", XTF_OPT, xtf_rma_atomics)                                                            \
    FIELD(U64, bytes, XTF_ROLE_BYTES, "B", "", XTF_OPT, NULL)                                                          \
    FIELD(U64, received, "", "B", "", XTF_OPT, NULL)                                                                   \
    FIELD(U64, matching, "", "", "", XTF_OPT, NULL)

#define XTF_RMA_COLLECTIVES_FIELDS(FIELD)                                                                              \
    XTF_HEAD_FIELDS(FIELD, xtf_rma_collectives_events)                                                                 \
    FIELD(U8, operation, "", "", "", XTF_OPT, xtf_collective_operations)                                               \
    FIELD(U32, sync_level, "", "", "", XTF_OPT, NULL)                                                                  \
    FIELD(U32, window, "", "", XTF_TABLE_RMA_WINDOWS, XTF_OPT, NULL)                                                   \
    FIELD(U32, root, "", "", "", XTF_OPT, NULL)                                                                        \
    FIELD(U64, bytes, XTF_ROLE_BYTES, "B", "", XTF_OPT, NULL)                                                          \
    FIELD(U64, received, "", "B", "", XTF_OPT, NULL)

#define XTF_RMA_SYNCS_FIELDS(FIELD)                                                                                    \
    XTF_HEAD_FIELDS(FIELD, xtf_rma_syncs_events)                                                                       \
    FIELD(U32, window, "", "", XTF_TABLE_RMA_WINDOWS, XTF_OPT, NULL)                                                   \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", XTF_OPT, NULL)                                                             \
    FIELD(U8, sync_type, "", "", "", XTF_OPT, xtf_rma_sync_types)                                                      \
    FIELD(U32, sync_level, "", "", "", XTF_OPT, NULL)                                                                  \
    FIELD(U32, group, "", "", XTF_TABLE_GROUPS, XTF_OPT, NULL)

#define XTF_RMA_LOCKS_FIELDS(FIELD)                                                                                    \
    XTF_HEAD_FIELDS(FIELD, xtf_rma_locks_events)                                                                       \
    FIELD(U32, window, "", "", XTF_TABLE_RMA_WINDOWS, XTF_OPT, NULL)                                                   \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", XTF_OPT, NULL)                                                             \
    FIELD(U64, lock, "", "", "", 0, NULL)                                                                              \
    FIELD(U8, lock_type, "", "", "", XTF_OPT, xtf_lock_types)

#define XTF_SAMPLES_FIELDS(FIELD)                                                                                      \
    XTF_HEAD_FIELDS(FIELD, xtf_samples_events)                                                                         \
    FIELD(U32, calling_context, "", "", XTF_TABLE_CALLING_CONTEXTS, XTF_OPT, NULL)                                     \
    FIELD(U32, unwind_distance, "", "", "", XTF_OPT, NULL)                                                             \
    FIELD(U32, generator, "", "", XTF_TABLE_INTERRUPT_GENERATORS, XTF_OPT, NULL)

/* Arguments of a program are in the side array `arguments`. */
#define XTF_PROGRAMS_FIELDS(FIELD)                                                                                     \
    XTF_HEAD_FIELDS(FIELD, xtf_programs_events)                                                                        \
    FIELD(U32, n_arguments, "", "", "", XTF_OPT, NULL)                                                                 \
    FIELD(I64, exit_status, "", "", "", 0, NULL)                                                                       \
    FIELD(STRING, program, "", "", "", 0, NULL)

/* Events of the measurement: it is switched on (1) or off (2), or flushes its buffer until `stop`. */
#define XTF_MEASUREMENT_FIELDS(FIELD)                                                                                  \
    XTF_HEAD_FIELDS(FIELD, xtf_measurement_events)                                                                     \
    FIELD(U8, mode, "", "", "", XTF_OPT, xtf_measurement_modes)                                                        \
    FIELD(U64, stop, "", "ticks", "", XTF_OPT | XTF_FIELD_INSTANT, NULL)

/* A call that was open at `time`. `since`: its ENTER. `requests`: how many requests it waits for. `root`: of its
 * collective operation. The other events are requests; `request` is set if it is certain that the call waits for it. */
#define XTF_PENDING_FIELDS(FIELD)                                                                                      \
    XTF_HEAD_FIELDS(FIELD, xtf_pending_events)                                                                         \
    FIELD(U64, since, "", "ticks", "", XTF_FIELD_INSTANT, NULL)                                                        \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", XTF_OPT, NULL)                                                             \
    FIELD(U32, tag, XTF_ROLE_TAG, "", "", XTF_OPT, NULL)                                                               \
    FIELD(U32, comm, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL)                                        \
    FIELD(U32, requests, "", "", "", XTF_OPT, NULL)                                                                    \
    FIELD(U32, root, "", "", "", XTF_OPT, NULL)                                                                        \
    FIELD(U64, request, "", "", "", XTF_OPT, NULL)

/* Measurements between two processes. `time`: length of the messages; `value`: seconds, or for AMOUNT a number. */
#define XTF_LINKS_FIELDS(FIELD)                                                                                        \
    XTF_HEAD_FIELDS(FIELD, xtf_links_events)                                                                           \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", 0, NULL)                                                                   \
    FIELD(F64, value, "", "s", "", 0, NULL)

/* A point in time with a text. `scope`: what it is about. */
#define XTF_MARKERS_FIELDS(FIELD)                                                                                      \
    XTF_HEAD_FIELDS(FIELD, xtf_markers_events)                                                                         \
    FIELD(U8, scope, "", "", "", XTF_OPT, xtf_marker_scopes)                                                           \
    FIELD(STRING, text, "", "", "", 0, NULL)

/* An operation that is no call: it may end in another thread. `id` and `category` say which one it is. */
#define XTF_ASYNC_FIELDS(FIELD)                                                                                        \
    XTF_HEAD_FIELDS(FIELD, xtf_async_events)                                                                           \
    FIELD(U64, id, "", "", "", 0, NULL)                                                                                \
    FIELD(STRING, category, "", "", "", 0, NULL)                                                                       \
    FIELD(STRING, activity, "", "", "", 0, NULL)

#define XTF_UNKNOWN_FIELDS(FIELD) XTF_HEAD_FIELDS(FIELD, xtf_unknown_events)

/* Samples of OpenTS: a row for each element of its XML, with the number of its slice. Slices are rows of process 0,
 * which writes them. */
#define XTF_SLICE_HEAD(FIELD, EVENTS)                                                                                  \
    XTF_HEAD_WITH_REGION(FIELD, EVENTS, XTF_OPT)                                                                                     \
    FIELD(U64, frame, "", "", "", XTF_RISES, NULL)
#define XTF_SLICES_FIELDS(FIELD)                                                                                       \
    XTF_SLICE_HEAD(FIELD, xtf_slices_events)                                                                           \
    FIELD(U32, ranks, "", "", "", 0, NULL)
#define XTF_RESOURCES_FIELDS(FIELD)                                                                                    \
    XTF_SLICE_HEAD(FIELD, xtf_resources_events)                                                                        \
    FIELD(U64, tasks, "", "ticks", "", XTF_OPT | XTF_FIELD_DURATION, NULL)                                             \
    FIELD(U64, idle, "", "ticks", "", XTF_OPT | XTF_FIELD_DURATION, NULL)                                              \
    FIELD(U64, sched, "", "ticks", "", XTF_OPT | XTF_FIELD_DURATION, NULL)                                             \
    FIELD(U64, mpi, "", "ticks", "", XTF_OPT | XTF_FIELD_DURATION, NULL)                                               \
    FIELD(F64, mbytes, "", "MB", "", XTF_OPT, NULL)                                                                    \
    FIELD(F64, mflops, "", "Mflop/s", "", XTF_OPT, NULL)
#define XTF_TASK_STATES_FIELDS(FIELD)                                                                                  \
    XTF_SLICE_HEAD(FIELD, xtf_task_states_events)                                                                      \
    FIELD(U64, count, "", "", "", 0, NULL)
#define XTF_TASK_MOVES_FIELDS(FIELD)                                                                                   \
    XTF_SLICE_HEAD(FIELD, xtf_task_states_events)                                                                      \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", 0, NULL)                                                                   \
    FIELD(U8, direction, "", "", "", 0, xtf_move_directions)                                                           \
    FIELD(U64, count, "", "", "", 0, NULL)
#define XTF_MESSAGE_COUNTERS(FIELD)                                                                                    \
    FIELD(U64, bytes_sent, "", "B", "", XTF_OPT, NULL)                                                                 \
    FIELD(U64, messages_sent, "", "", "", XTF_OPT, NULL)                                                               \
    FIELD(U64, bytes_received, "", "B", "", XTF_OPT, NULL)                                                             \
    FIELD(U64, messages_received, "", "", "", XTF_OPT, NULL)
#define XTF_MESSAGE_TOTALS_FIELDS(FIELD)                                                                               \
    XTF_SLICE_HEAD(FIELD, xtf_message_totals_events)                                                                   \
    XTF_MESSAGE_COUNTERS(FIELD)
#define XTF_MESSAGE_KINDS_FIELDS(FIELD)                                                                                \
    XTF_SLICE_HEAD(FIELD, xtf_message_kinds_events)                                                                    \
    FIELD(U32, kind, "", "", XTF_TABLE_MESSAGE_TYPES, XTF_NAMES, NULL)                                                 \
    XTF_MESSAGE_COUNTERS(FIELD)

#define XTF_SIDE_HEAD(FIELD)                                                                                           \
    FIELD(U64, time, XTF_ROLE_TIME, "ticks", "", 0, NULL)                                                              \
    FIELD(U64, seq, XTF_ROLE_SEQ, "", "", XTF_RISES, NULL)

/* A value's 64 bits depend on its type. Integers are extended; FLOAT and DOUBLE are the bits of a double; STRING is the
 * id of a string. References are row numbers (LOCATION: the location's key). */
#define XTF_ATTRIBUTES_FIELDS(FIELD)                                                                                   \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(U32, attribute, "", "", XTF_TABLE_ATTRIBUTES, XTF_OPT, NULL)                                                 \
    FIELD(U8, type, XTF_ROLE_VALUE_TYPE, "", "", 0, xtf_value_types)                                                   \
    FIELD(U64, value, XTF_ROLE_VALUE, "", "type" XTF_VALUE_TABLES, 0, NULL)

/* `growth`: the value minus the previous value, of the same type, modulo 2^64. It is charged to `region`. */
#define XTF_METRIC_VALUES_FIELDS(FIELD)                                                                                \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(U32, metric, XTF_ROLE_METRIC, "", XTF_TABLE_METRICS, XTF_OPT, NULL)                                          \
    FIELD(U8, value_type, XTF_ROLE_VALUE_TYPE, "", "", 0, xtf_value_types)                                             \
    FIELD(U64, value, XTF_ROLE_VALUE, "", "", 0, NULL)                                                                 \
    FIELD(U32, region, XTF_ROLE_REGION, "", XTF_TABLE_REGIONS, XTF_OPT, NULL)                                          \
    FIELD(U64, growth, XTF_ROLE_GROWTH, "", "", 0, NULL)

#define XTF_ARGUMENTS_FIELDS(FIELD)                                                                                    \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(STRING, argument, "", "", "", 0, NULL)

/* The source's time of a record that the source dates before its predecessor. The record itself has its predecessor's
 * time. */
#define XTF_BACKWARD_TIMES_FIELDS(FIELD)                                                                               \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(U64, source_time, "", "ticks", "", XTF_FIELD_INSTANT, NULL)

/* The source's number of a region, from this row on, in ENTERs and LEAVEs of the region of the row's record. Before the
 * first such row it is the number of the region's first definition. */
#define XTF_REGION_IDS_FIELDS(FIELD)                                                                                   \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(U32, region, XTF_ROLE_REGION, "", XTF_TABLE_REGIONS, XTF_OPT, NULL)                                          \
    FIELD(U32, id, "", "", "", 0, NULL)

/* The calling context of a call, of the same time and seq: as the call is entered, and as it is left. */
#define XTF_CALL_CONTEXTS_FIELDS(FIELD)                                                                                \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(U32, calling_context, "", "", XTF_TABLE_CALLING_CONTEXTS, XTF_OPT, NULL)                                     \
    FIELD(U32, unwind_distance, "", "", "", XTF_OPT, NULL)

/* Messages by their postings: vocabulary.h. `message` is a row of `recvs` in `postings`, of `sends` in `cancelled`. */
#define XTF_POSTED_FIELDS(FIELD)                                                                                       \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(U32, comm, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_OPT, NULL)                                        \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", 0, NULL)                                                                   \
    FIELD(U32, tag, XTF_ROLE_TAG, "", "", 0, NULL)                                                                     \
    FIELD(U64, bytes, XTF_ROLE_BYTES, "B", "", 0, NULL)                                                                \
    FIELD(U64, message, XTF_ROLE_MESSAGE, "", "", XTF_RISES, NULL)
#define XTF_POSTINGS_FIELDS(FIELD)  XTF_POSTED_FIELDS(FIELD)
#define XTF_CANCELLED_FIELDS(FIELD) XTF_POSTED_FIELDS(FIELD)

#define XTF_LINK_CLUSTERS_FIELDS(FIELD)                                                                                \
    XTF_SIDE_HEAD(FIELD)                                                                                               \
    FIELD(U32, peer, XTF_ROLE_PEER, "", "", 0, NULL)                                                                   \
    FIELD(U32, cluster, "", "", "", 0, NULL)

/* ARRAY(TAG, name, Type): the struct of a row is Xtf<Type>Row. Records first. */
#define XTF_RECORD_TYPES(ARRAY)                                                                                        \
    ARRAY(ENTERS_LEAVES, enters_leaves, EntersLeaves)                                                                  \
    ARRAY(SENDS, sends, Sends)                                                                                         \
    ARRAY(RECVS, recvs, Recvs)                                                                                         \
    ARRAY(REQUESTS, requests, Requests)                                                                                \
    ARRAY(COLLECTIVES, collectives, Collectives)                                                                       \
    ARRAY(COMMS, comms, Comms)                                                                                         \
    ARRAY(COUNTERS, counters, Counters)                                                                                \
    ARRAY(THREADS, threads, Threads)                                                                                   \
    ARRAY(LOCKS, locks, Locks)                                                                                         \
    ARRAY(TASKS, tasks, Tasks)                                                                                         \
    ARRAY(PARAMETERS, parameters, Parameters)                                                                          \
    ARRAY(IO_CONTROL, io_control, IoControl)                                                                           \
    ARRAY(IO_SEEKS, io_seeks, IoSeeks)                                                                                 \
    ARRAY(IO_OPERATIONS, io_operations, IoOperations)                                                                  \
    ARRAY(IO_LOCKS, io_locks, IoLocks)                                                                                 \
    ARRAY(RMA_OPERATIONS, rma_operations, RmaOperations)                                                               \
    ARRAY(RMA_COLLECTIVES, rma_collectives, RmaCollectives)                                                            \
    ARRAY(RMA_SYNCS, rma_syncs, RmaSyncs)                                                                              \
    ARRAY(RMA_LOCKS, rma_locks, RmaLocks)                                                                              \
    ARRAY(SAMPLES, samples, Samples)                                                                                   \
    ARRAY(PROGRAMS, programs, Programs)                                                                                \
    ARRAY(MEASUREMENT, measurement, Measurement)                                                                       \
    ARRAY(PENDING, pending, Pending)                                                                                   \
    ARRAY(MARKERS, markers, Markers)                                                                                   \
    ARRAY(ASYNC, async, Async)                                                                                         \
    ARRAY(UNKNOWN, unknown, Unknown)                                                                                   \
    ARRAY(LINKS, links, Links)                                                                                         \
    ARRAY(SLICES, slices, Slices)                                                                                      \
    ARRAY(RESOURCES, resources, Resources)                                                                             \
    ARRAY(TASK_STATES, task_states, TaskStates)                                                                        \
    ARRAY(TASK_MOVES, task_moves, TaskMoves)                                                                           \
    ARRAY(MESSAGE_TOTALS, message_totals, MessageTotals)                                                               \
    ARRAY(MESSAGE_KINDS, message_kinds, MessageKinds)

#define XTF_SIDE_TYPES(ARRAY)                                                                                          \
    ARRAY(ATTRIBUTES, attributes, Attributes)                                                                          \
    ARRAY(METRIC_VALUES, metric_values, MetricValues)                                                                  \
    ARRAY(ARGUMENTS, arguments, Arguments)                                                                             \
    ARRAY(BACKWARD_TIMES, backward_times, BackwardTimes)                                                               \
    ARRAY(REGION_IDS, region_ids, RegionIds)                                                                           \
    ARRAY(CALL_CONTEXTS, call_contexts, CallContexts)                                                                  \
    ARRAY(POSTINGS, postings, Postings)                                                                                \
    ARRAY(CANCELLED, cancelled, Cancelled)                                                                             \
    ARRAY(LINK_CLUSTERS, link_clusters, LinkClusters)

typedef struct __attribute__((packed)) {
    XTF_HEAD_FIELDS(XTF_MEMBER, NULL)
} XtfRecordHead;

#define XTF_ROW_STRUCT(TAG, name, Type)                                                                                \
    typedef struct __attribute__((packed)) {                                                                           \
        XTF_##TAG##_FIELDS(XTF_MEMBER)                                                                                 \
    } Xtf##Type##Row;
XTF_RECORD_TYPES(XTF_ROW_STRUCT)
XTF_SIDE_TYPES(XTF_ROW_STRUCT)
XTF_TABLE_TYPES(XTF_ROW_STRUCT)
XTF_DERIVED_TYPES(XTF_ROW_STRUCT)
XTF_ROW_STRUCT(SITED_CALLS, sited_calls, SitedCalls)
XTF_ROW_STRUCT(STACKED_SITES, stacked_sites, StackedSite)

enum {
#define XTF_MODEL_TAG(TAG, name, Type) XTF_MODEL_##TAG,
    XTF_RECORD_TYPES(XTF_MODEL_TAG)
    XTF_N_RECORD_TYPES,
    XTF_MODEL_BEFORE_SIDES = XTF_N_RECORD_TYPES - 1,
    XTF_SIDE_TYPES(XTF_MODEL_TAG)
    XTF_N_ARRAY_TYPES,
    XTF_MODEL_BEFORE_TABLES = XTF_N_ARRAY_TYPES - 1,
    XTF_TABLE_TYPES(XTF_MODEL_TAG)
    XTF_N_MODEL_SCHEMAS, /* schemas that importers write */
    XTF_MODEL_BEFORE_DERIVED = XTF_N_MODEL_SCHEMAS - 1,
    XTF_DERIVED_TYPES(XTF_MODEL_TAG)
    XTF_N_ALL_SCHEMAS,
    XTF_MODEL_AFTER_ANALYSIS = XTF_MODEL_ORDER_CHANGES, /* the derived types from here on are not of an analysis */
#undef XTF_MODEL_TAG
};

/* Labels of events, by record type: XTF_LABEL_MPI_SEND is the first of `sends`. */
#define XTF_EVENT_LABEL(name, ...) XTF_LABEL_##name,
#define XTF_EVENT_LABELS(TAG, name, Type) enum { XTF_##TAG##_EVENTS(XTF_EVENT_LABEL) XTF_N_##TAG##_EVENTS };
XTF_RECORD_TYPES(XTF_EVENT_LABELS)
enum { XTF_EVENTS_MAX = 64 }; /* most labels of one type */
#undef XTF_EVENT_LABEL
#undef XTF_EVENT_LABELS
/* clang-format on */

/* Returns the schema of an XTF_MODEL_... tag. The first call creates it; it is never freed. Any thread may call it. */
const XtfSchema *xtf_model_schema(unsigned tag);
/* Returns the schema of `enters_leaves` whose rows also have a field `site`, an XtfSitedCallsRow. */
const XtfSchema *xtf_model_schema_with_sites(void);
/* Returns the schema of `sites` whose rows also lead to other frames of the call, an XtfStackedSiteRow. */
const XtfSchema *xtf_model_schema_with_frames(void);
/* Returns the schema of a tag with all fields that a source may have. */
const XtfSchema *xtf_model_fullest_schema(unsigned tag);
/* Returns a copy of a record type's schema with the labels `more` after its own labels of events. The caller frees
 * it. */
XtfSchema *xtf_model_schema_with_events(unsigned tag, const char *const *more);
