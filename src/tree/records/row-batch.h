/*
 * Rows that were read and are rendered afterwards: reading in order is for one thread at a time, and rendering, which
 * takes longer, is for any number.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/records.h"
#include "src/tables/format/format.h"

/* Of one thread at a time. */
typedef struct XtfRowBatch XtfRowBatch;

XtfRowBatch *xtf_row_batch_new(void);
void xtf_row_batch_free(XtfRowBatch *batch); /* NULL is fine */

/* Adds copies of the next n rows of a reader of `spans`, which the batch references. Their lines, of `line` bytes each,
 * lie side by side from `lines` on. */
bool xtf_row_batch_gather(XtfRowBatch *batch, XtfRecordReader *reader, XtfSpans *spans, uint64_t n, size_t line,
                          char *lines, GError **error);

/* Renders all rows into their lines, which are those of `format`, with the help of other threads if `helped`; and
 * empties the batch, also when it fails. */
bool xtf_row_batch_render(XtfRowBatch *batch, XtfFormats *formats, const XtfFormat *format,
                          const XtfLocations *locations, bool helped, GError **error);
