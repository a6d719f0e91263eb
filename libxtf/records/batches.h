/*
 * Reading the records of very many spans: see records.h.
 */
#pragma once

#include "libxtf/records.h"

typedef struct XtfRecordBatches XtfRecordBatches;

/* Borrows the spans; takes the positions, where each of them begins. */
XtfRecordBatches *xtf_record_batches_new(const XtfSpans *spans, uint64_t *positions, GError **error);
void xtf_record_batches_free(XtfRecordBatches *batches); /* NULL is fine */

size_t xtf_record_batches_bytes(const XtfRecordBatches *batches); /* memory that they hold */

bool xtf_record_batches_next(XtfRecordBatches *batches, XtfRowRun *run, GError **error);
