/*
 * Records as CSV or JSON Lines: the columns of `records`, with uncut names and texts.
 *
 * The renderer makes text of fixed width, the fastest way to decimal numbers, and lines copy its cells. Each name is
 * quoted only once.
 */
#pragma once

#include "src/trace/text/row-writer.h"
#include "src/tree/records/record-lines.h"
#include "src/tree/records/records-file.h"

/* Writes all records of a selection, in order. */
bool xtf_records_write(XtfRecords *records, XtfSelection *selection, XtfRowFormat format, XtfWriteBytes write,
                       void *data, GError **error);

/* Writer of rows that its caller finds one by one. Lines have the columns of a format. */
typedef struct {
    XtfRecordLines *lines; /* all members are private */
    XtfRecordBlock block;  /* of the row */
    GString *text;
    XtfWriteBytes write;
    void *data;
} XtfRowValues;

/* Begins a writer, which borrows the formats and the format. */
bool xtf_row_values_init(XtfRowValues *values, XtfFormats *formats, const XtfFormat *format, XtfRowFormat as,
                         XtfWriteBytes write, void *data, GError **error);
void xtf_row_values_finish(XtfRowValues *values); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRowValues, xtf_row_values_finish)

/* Adds the next row; `values` is an XtfRowValues. */
bool xtf_row_values_take(void *values, const XtfRowRun *row, GError **error);
/* Writes the remaining buffered lines. The caller calls it after the last row. */
bool xtf_row_values_flush(XtfRowValues *values, GError **error);
