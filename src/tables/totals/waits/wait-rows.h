/*
 * Rows of `waits`, read by the names of their fields, and the record that was waited for.
 *
 * Any thread.
 */
#pragma once

#include "src/trace/context/trace-context.h"

typedef struct XtfWaitKind XtfWaitKind; /* src/model/wait-kinds.h */

/* Where a location met another one before. */
typedef struct {
    uint64_t back; /* records; 0: never before; UINT64_MAX: it is not told */
    int64_t idle;  /* of the call there, what was no work */
    bool of_team;  /* threads of a team met: also where they enter its parallel region */
} XtfWaitMeeting;

typedef struct {
    const XtfWaitKind *kind; /* NULL: not known */
    uint64_t seq, end, amount;
    uint64_t callpath, match;         /* UINT64_MAX: none */
    uint64_t culprit, culprit_thread; /* likewise */
    XtfWaitMeeting met, culprit_met;
} XtfWaitRow;

/* The array of a type that a location has. */
bool xtf_wait_array(XtfTraceContext *context, const XtfLocation *location, const char *type, XtfArray *array,
                    bool *found, GError **error);

/* Where the fields of a row are; NULL: there is none. Borrows from the schema. */
typedef struct {
    const XtfField *kind, *seq, *end, *amount, *callpath, *match, *culprit, *culprit_thread;
    const XtfField *met, *met_idle, *culprit_met, *culprit_met_idle;
} XtfWaitRowFields;

void xtf_wait_row_fields_init(XtfWaitRowFields *fields, const XtfSchema *waits);
/* Row n, of which the bytes are given. XTF_ERROR_DAMAGED if the wait is longer than the time before its end. */
bool xtf_wait_row_parse(const XtfWaitRowFields *fields, const uint8_t *bytes, uint64_t n, XtfWaitRow *row,
                        GError **error);
/* Row n, which must exist, of `waits` of a location. */
bool xtf_wait_row_read(const XtfArray *waits, uint64_t n, XtfWaitRow *row, GError **error);

/* Whether the analysis tells what a wait was caused by. */
static inline bool xtf_wait_row_has_causes(const XtfWaitRow *row)
{
    return row->culprit != UINT64_MAX && row->met.back != UINT64_MAX && row->culprit_met.back != UINT64_MAX;
}

/* Whether other waits may be of the same record: in one-sided communication, and where progress is late. */
bool xtf_wait_row_shares_record(const XtfWaitRow *row);

/* Who was late for a wait of location `waiter`, both indexes in XtfLocations, and the record that was waited for: the
 * send, the posting of the receive, the end of the operation, the post or the completion of an epoch; or, of a call
 * that was waited for to its end, the record behind it; or the one behind an ENTER. *known is false for a kind of which
 * nothing of that is told, and for a wait without causes. XTF_ERROR_DAMAGED if there is no such location or record. */
bool xtf_wait_row_culprit(const XtfWaitRow *row, uint32_t waiter, XtfTraceContext *context,
                          const XtfLocations *locations, uint32_t *culprit, uint64_t *seq, bool *known, GError **error);
