/*
 * Records as CSV or JSON Lines: the columns of `records`, with names and texts whole.
 *
 * Lines are rendered as text of fixed width, the fastest way to decimal numbers, and their cells are copied from there;
 * the text of a name is quoted once.
 */
#pragma once

#include "src/trace/text/row-writer.h"
#include "src/tree/records/records-file.h"

/* Writes all records of a selection, in order. */
bool xtf_records_write(XtfRecords *records, XtfSelection *selection, XtfRowFormat format, XtfWriteBytes write,
                       void *data, GError **error);
