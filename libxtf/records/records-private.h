/*
 * Inside the room: the two helpers of record readers (records.h).
 */
#pragma once

#include "libxtf/records.h"

/* Like xtf_spans_select() for the rows low[i] to high[i] of each span, which all have one time. Replaces `low`. */
bool xtf_select_ties(const XtfSpans *spans, uint64_t k, uint64_t *low, const uint64_t *high, GError **error);

/* Reads the records of very many spans. */
typedef struct XtfRecordBatches XtfRecordBatches;

/* Borrows the spans; takes the positions, where each of them begins. */
XtfRecordBatches *xtf_record_batches_new(const XtfSpans *spans, uint64_t *positions, GError **error);
void xtf_record_batches_free(XtfRecordBatches *batches); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRecordBatches, xtf_record_batches_free)
size_t xtf_record_batches_bytes(const XtfRecordBatches *batches); /* memory that they hold */
bool xtf_record_batches_next(XtfRecordBatches *batches, XtfRowRun *run, GError **error);
