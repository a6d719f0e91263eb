/*
 * Waits that need no messages: for locks of threads, files and windows, in OpenMP's teams, and in one-sided
 * communication. docs/VOCABULARY.md, section 9, has the formulas; they are those of Scalasca 2.6 (OMP.pattern,
 * Thread.pattern, MPI_RMA.pattern) where it has the kind.
 *
 * One walk over the records of all locations that have such ones, in the order of the trace's clock: (time, process,
 * thread, seq). Locations without such records are not read. What is held is what is open: locks, teams, operations of
 * windows that not all members have ended, epochs; and a small batch of each array.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/context/trace-context.h"

enum {
    XTF_KIND_NONE = UINT8_MAX, /* of `part_kind` */
};

/* A wait. Times are global ticks. */
typedef struct {
    uint64_t seq, time; /* of the record that it waited in */
    uint64_t begin, end;
    uint64_t enter, leave;       /* of the call around it; of none `begin` and `end` */
    uint64_t part;               /* see `part_kind` */
    uint64_t completion;         /* what comes after the wait and is none, before `time`, where that is told */
    uint64_t culprit_seq, match; /* of the culprit's record: its seq and row; UINT64_MAX: none */
    uint64_t bytes;              /* UINT64_MAX: none */
    uint32_t location,
        culprit; /* who waited, and who was late: indexes of xtf_trace_context_locations(); UINT32_MAX: none */
    uint32_t region, comm; /* UINT32_MAX: none */
    uint8_t kind;          /* XTF_LABEL_... of `waits` */
    uint8_t part_kind;     /* row of xtf_wait_parts, or XTF_KIND_NONE */
} XtfKindWait;

/* What is done with them. Those of a location do not overlap; they come in no order. */
typedef struct {
    void *data;
    bool (*wait)(void *data, const XtfKindWait *wait, GError **error);
} XtfKindConsumer;

/* `cancel` may be NULL; true: stop, with XTF_ERROR_CANCELLED. */
bool xtf_kinds_find(XtfTraceContext *context, atomic_bool *cancel, const XtfKindConsumer *consumer, GError **error);
