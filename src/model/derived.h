/*
 * The derived types, which an analysis computes from the records. docs/VOCABULARY.md, section 9, defines them.
 */
#pragma once

#include "src/model/tables.h"

/* clang-format off */

#define XTF_DERIVED_HEAD(FIELD)                                                                                        \
    FIELD(U64, time, XTF_ROLE_TIME, "ticks", "", 0, NULL)                                                              \
    FIELD(U64, seq, XTF_ROLE_SEQ, "", "", XTF_FIELD_RISES, NULL)                                                       \
    FIELD(U32, region, XTF_ROLE_REGION, "", XTF_TABLE_REGIONS, XTF_FIELD_OPTIONAL | XTF_FIELD_NAMES, NULL)
#define XTF_TICKS(FIELD, name)           FIELD(U64, name, "", "ticks", "", XTF_FIELD_DURATION, NULL)
#define XTF_OPT_NUMBER(FIELD, TYPE, name, ROLE) FIELD(TYPE, name, ROLE, "", "", XTF_FIELD_OPTIONAL, NULL)
/* The meeting before a wait, as a number of records back in the location. The second field is the idle part of the call
 * there; it is negative where clocks contradict each other. */
#define XTF_MEETING(FIELD, name, idle)                                                                                 \
    FIELD(U64, name, "", "records", "", XTF_FIELD_OPTIONAL, NULL)                                                      \
    FIELD(I64, idle, "", "ticks", "", XTF_FIELD_DURATION, NULL)

#define XTF_WAITS_FIELDS(FIELD)                                                                                        \
    XTF_DERIVED_HEAD(FIELD)                                                                                            \
    FIELD(U8, event, XTF_ROLE_EVENT, "", "", 0, xtf_waits_events)                                                      \
    XTF_TICKS(FIELD, amount) XTF_TICKS(FIELD, completion)                                                              \
    XTF_TICKS(FIELD, part) XTF_OPT_U8(FIELD, part_kind, xtf_wait_parts)                                                \
    XTF_TICKS(FIELD, indirect) XTF_TICKS(FIELD, propagating) XTF_TICKS(FIELD, passed)                                  \
    XTF_OPT_NUMBER(FIELD, U32, culprit, XTF_ROLE_CULPRIT) XTF_OPT_NUMBER(FIELD, U32, culprit_thread, "")               \
    XTF_REF(FIELD, context, XTF_TABLE_CONTEXTS)                                                                        \
    FIELD(U32, comm, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_FIELD_OPTIONAL, NULL)                             \
    XTF_OPT_NUMBER(FIELD, U32, tag, XTF_ROLE_TAG)                                                                      \
    FIELD(U64, bytes, XTF_ROLE_BYTES, "B", "", XTF_FIELD_OPTIONAL, NULL)                                               \
    FIELD(U64, match, "", "", "", XTF_FIELD_OPTIONAL | XTF_FIELD_RISES, NULL)                                          \
    FIELD(U64, cause, "", "", "", XTF_FIELD_OPTIONAL | XTF_FIELD_RISES, NULL)                                          \
    XTF_MEETING(FIELD, met, met_idle) XTF_MEETING(FIELD, culprit_met, culprit_met_idle)

#define XTF_DELAYS_FIELDS(FIELD)                                                                                       \
    XTF_DERIVED_HEAD(FIELD)                                                                                            \
    FIELD(U8, event, XTF_ROLE_EVENT, "", "", 0, xtf_delays_events)                                                     \
    XTF_REF(FIELD, context, XTF_TABLE_CONTEXTS)                                                                        \
    XTF_TICKS(FIELD, short_term) XTF_TICKS(FIELD, long_term)

#define XTF_CRITICAL_FIELDS(FIELD)                                                                                     \
    XTF_DERIVED_HEAD(FIELD)                                                                                            \
    XTF_TICKS(FIELD, duration)                                                                                         \
    XTF_REF(FIELD, context, XTF_TABLE_CONTEXTS) XTF_TICKS(FIELD, amount)                                               \
    XTF_OPT_NUMBER(FIELD, U32, next_process, "") XTF_OPT_NUMBER(FIELD, U32, next_thread, "")                           \
    FIELD(U8, segments, "", "", "", 0, NULL)
#define XTF_ACTIVITY_FIELDS(FIELD)                                                                                     \
    XTF_DERIVED_HEAD(FIELD)                                                                                            \
    XTF_REF(FIELD, context, XTF_TABLE_CONTEXTS) XTF_TICKS(FIELD, total) XTF_TICKS(FIELD, waited)

#define XTF_IDEAL_FIELDS(FIELD)                                                                                        \
    XTF_DERIVED_HEAD(FIELD) XTF_TICKS(FIELD, waited) XTF_TICKS(FIELD, ideal)

/* `back`: from the receive to the one that completed before it, in records. */
#define XTF_ORDER_CHANGES_FIELDS(FIELD)                                                                                \
    XTF_DERIVED_HEAD(FIELD)                                                                                            \
    FIELD(U64, back, "", "records", "", 0, NULL)                                                                       \
    FIELD(U64, sent, "", "ticks", "", XTF_FIELD_INSTANT, NULL)                                                         \
    FIELD(U64, earlier_sent, "", "ticks", "", XTF_FIELD_INSTANT, NULL)                                                 \
    XTF_U32(FIELD, sender) XTF_U32(FIELD, earlier_sender)                                                              \
    FIELD(U32, comm, XTF_ROLE_COMM, "", XTF_TABLE_COMMUNICATORS, XTF_FIELD_OPTIONAL, NULL)                             \
    FIELD(U32, tag, XTF_ROLE_TAG, "", "", 0, NULL)

/* ARRAY(TAG, name, Type) */
#define XTF_DERIVED_TYPES(ARRAY)                                                                                       \
    ARRAY(WAITS, waits, Waits)                                                                                         \
    ARRAY(DELAYS, delays, Delays)                                                                                      \
    ARRAY(CRITICAL, critical, Critical)                                                                                \
    ARRAY(ACTIVITY, activity, Activity)                                                                                \
    ARRAY(IDEAL, ideal, Ideal)                                                                                         \
    ARRAY(ORDER_CHANGES, order_changes, OrderChange)

/* clang-format on */
