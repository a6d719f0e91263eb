/*
 * Records as lines of CSV or JSON: rendered as text of fixed width, the fastest way to decimal numbers, of which the
 * cells are copied; names and texts of the trace are whole.
 */
#pragma once

#include "libxtf/records.h"
#include "src/tables/format/format.h"
#include "src/trace/text/row-writer.h"

/* Of one thread at a time. */
typedef struct XtfRecordLines XtfRecordLines;

/* Borrows all. The lines are those of a format. */
XtfRecordLines *xtf_record_lines_new(XtfFormats *formats, const XtfFormat *format, const XtfLocations *locations,
                                     XtfRowFormat as);
void xtf_record_lines_free(XtfRecordLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRecordLines, xtf_record_lines_free)

/* Appends the lines of a block. */
bool xtf_record_lines_add(XtfRecordLines *lines, const XtfRecordBlock *block, GString *out, GError **error);
