/*
 * Slices of a trace that is not OpenTS's: windows of equal length, of each of which the totals that the index keeps are
 * shown as OpenTS's counters, per frame. docs/OPENTS.md says what is shown as what.
 */
#pragma once

#include "src/export/job.h"
#include "src/export/xml/xml.h"

/* Whether the trace has calls and times. */
bool xtf_opents_has_frames(XtfExportJob *job);
/* Writes those of the selection, which has processes and a window alone, into the open element of the trace. `rate` is
 * as in the tree's frames/RATE. */
bool xtf_opents_write_frames(XtfExportJob *job, XtfXml *xml, const char *rate, GError **error);
