/*
 * Rows of `waits`, read by the names of their fields, and the culprit's record that ended the wait.
 *
 * May be called from any thread.
 */
#pragma once

#include "src/trace/context/trace-context.h"

typedef struct XtfWaitKind XtfWaitKind; /* src/model/wait-kinds.h */

/* The last meeting of a location with the other side of a wait. */
typedef struct {
    uint64_t back; /* number of records from the meeting to the wait; 0: no meeting; UINT64_MAX: unknown */
    int64_t idle;  /* part of the call at the meeting that is no work */
    bool of_team;  /* true if threads of a team met, which they also do where they enter the parallel region */
} XtfWaitMeeting;

typedef struct {
    const XtfWaitKind *kind; /* NULL: unknown */
    uint64_t seq, end, amount;
    uint64_t callpath, match;         /* UINT64_MAX: none */
    uint64_t culprit, culprit_thread; /* UINT64_MAX: none */
    XtfWaitMeeting met, culprit_met;
} XtfWaitRow;

/* Finds the array of a location whose rows have the type of that name. */
bool xtf_wait_array(XtfTraceContext *context, const XtfLocation *location, const char *type, XtfArray *array,
                    bool *found, GError **error);

/* Fields of a row; NULL: missing. Borrowed from the schema. */
typedef struct {
    const XtfField *kind, *seq, *end, *amount, *callpath, *match, *culprit, *culprit_thread;
    const XtfField *met, *met_idle, *culprit_met, *culprit_met_idle;
} XtfWaitRowFields;

void xtf_wait_row_fields_init(XtfWaitRowFields *fields, const XtfSchema *waits);
/* Parses the bytes of row n. XTF_ERROR_DAMAGED if the wait is longer than the time before its end. */
bool xtf_wait_row_parse(const XtfWaitRowFields *fields, const uint8_t *bytes, uint64_t n, XtfWaitRow *row,
                        GError **error);
/* Reads row n, which must exist, of `waits` of a location. */
bool xtf_wait_row_read(const XtfArray *waits, uint64_t n, XtfWaitRow *row, GError **error);

/* True if the analysis found the causes of a wait. */
static inline bool xtf_wait_row_has_causes(const XtfWaitRow *row)
{
    return row->culprit != UINT64_MAX && row->met.back != UINT64_MAX && row->culprit_met.back != UINT64_MAX;
}

/* True if several waits may be of one record: in one-sided communication, and where progress is late. */
bool xtf_wait_row_shares_record(const XtfWaitRow *row);

/* Finds the culprit of a wait of location `waiter`, both indexes in XtfLocations, and the culprit's record that ended
 * the wait. The record is the send, the posting of the receive, the end of the operation, or the post or the completion
 * of an epoch. If the waiter waited for the end of a call, it is the record after that call; for some kinds, the record
 * after an ENTER. *known is false for waits without causes, and for kinds that name no record. XTF_ERROR_DAMAGED if the
 * location or the record does not exist. */
bool xtf_wait_row_culprit(const XtfWaitRow *row, uint32_t waiter, XtfTraceContext *context,
                          const XtfLocations *locations, uint32_t *culprit, uint64_t *seq, bool *known, GError **error);
/* Finds the culprit of a wait and its record, as xtf_wait_row_culprit(), but in the culprit's call. If the waiter
 * waited for the end of a call, the record is that call's LEAVE. */
bool xtf_wait_row_culprit_in_call(const XtfWaitRow *row, uint32_t waiter, XtfTraceContext *context,
                                  const XtfLocations *locations, uint32_t *culprit, uint64_t *seq, bool *known,
                                  GError **error);
