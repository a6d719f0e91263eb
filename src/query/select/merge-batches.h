/*
 * The merge of very many arrays: see merge.h.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/query/select/merge.h"

typedef struct XtfSlices XtfSlices;

/* Borrows the spans; takes the positions, where each of them begins. */
XtfSlices *xtf_slices_new(const XtfSpans *spans, uint64_t *positions, GError **error);
void xtf_slices_free(XtfSlices *slices); /* NULL is fine */

size_t xtf_slices_bytes(const XtfSlices *slices); /* memory that they hold */

bool xtf_slices_next(XtfSlices *slices, XtfRun *run, GError **error);
