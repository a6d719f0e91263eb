/*
 * Fields of the type `waits` (docs/VOCABULARY.md, section 9).
 */
#pragma once

#include "src/model/schemas.h"
#include "src/trace/context/trace-context.h"

typedef struct XtfWaitKind XtfWaitKind; /* src/model/wait-kinds.h */

typedef struct {
    const XtfSchema *schema; /* NULL: the trace lacks the type, or one of these fields */
    const XtfField *seq, *region, *event, *amount, *indirect, *culprit, *culprit_thread, *cause;
    const XtfWaitKind *kinds[XTF_EVENTS_MAX]; /* by label of `event`; NULL: no kind has this name */
} XtfWaitFields;

void xtf_wait_fields_init(XtfWaitFields *fields, const XtfTraceContext *context);

/* Returns the kind of a row; NULL if it is unknown. */
const XtfWaitKind *xtf_wait_fields_kind(const XtfWaitFields *fields, const uint8_t *row);

/* A row of `waits` of a location. */
typedef struct {
    uint32_t location; /* index in XtfLocations */
    uint64_t row;
} XtfWaitPlace;

/* Gets the wait that a row names as its cause. Returns false if the row names none, or a location that the trace lacks.
 * The function does not check that the cause's row exists. */
bool xtf_wait_cause(const XtfWaitFields *fields, const XtfLocations *locations, const uint8_t *row,
                    XtfWaitPlace *cause);
