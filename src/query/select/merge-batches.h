/*
 * The merge of very many arrays: see merge.h.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/select/merge.h"

typedef struct XtfMergeBatches XtfMergeBatches;

/* Borrows the spans; takes the positions, where each of them begins. */
XtfMergeBatches *xtf_merge_batches_new(const XtfSpans *spans, uint64_t *positions, GError **error);
void xtf_merge_batches_free(XtfMergeBatches *slices); /* NULL is fine */

size_t xtf_merge_batches_bytes(const XtfMergeBatches *slices); /* memory that they hold */

bool xtf_merge_batches_next(XtfMergeBatches *slices, XtfRowRun *run, GError **error);
