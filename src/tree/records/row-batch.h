/*
 * Rows that are read first and rendered later. Only one thread at a time can read rows in order. Rendering takes
 * longer, and any number of threads can do it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/records.h"
#include "src/tables/format/format.h"

/* A batch, for one thread at a time. */
typedef struct XtfRowBatch XtfRowBatch;

XtfRowBatch *xtf_row_batch_new(void);
void xtf_row_batch_free(XtfRowBatch *batch); /* NULL is fine */

/* Adds copies of the next n rows of a reader of `spans`, which the batch references. Their lines, of `line` bytes each,
 * lie side by side from `lines` on. */
bool xtf_row_batch_gather(XtfRowBatch *batch, XtfRecordReader *reader, XtfSpans *spans, uint64_t n, size_t line,
                          char *lines, GError **error);

/* Renders all rows into their lines, with the columns of `format`. Other threads help if `helped`. Empties the batch,
 * also on failure. */
bool xtf_row_batch_render(XtfRowBatch *batch, XtfFormats *formats, const XtfFormat *format,
                          const XtfLocations *locations, bool helped, GError **error);
