/*
 * Records as lines of CSV or JSON.
 *
 * The renderer first makes text of fixed width, the fastest way to decimal numbers. Lines copy its cells. Names and
 * texts of the trace are not cut.
 */
#pragma once

#include "libxtf/records.h"
#include "src/tables/format/format.h"
#include "src/trace/text/row-writer.h"

/* A maker of lines, for one thread at a time. */
typedef struct XtfRecordLines XtfRecordLines;

/* Makes a maker of lines with the columns of `format`. Borrows its arguments. */
XtfRecordLines *xtf_record_lines_new(XtfFormats *formats, const XtfFormat *format, const XtfLocations *locations,
                                     XtfRowFormat as);
void xtf_record_lines_free(XtfRecordLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRecordLines, xtf_record_lines_free)

/* Appends the lines of a block. */
bool xtf_record_lines_add(XtfRecordLines *lines, const XtfRecordBlock *block, GString *out, GError **error);
