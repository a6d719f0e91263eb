/*
 * Frames as slices, for a trace that was not imported from OpenTS: windows of equal length. Each frame has totals from
 * the index as OpenTS's counters. docs/OPENTS.md says which total becomes which counter.
 */
#pragma once

#include "src/export/job.h"
#include "src/export/xml/xml.h"

/* True if the trace keeps totals of calls that the selection may have, and its clock counts time, not bytes. */
bool xtf_opents_has_frames(XtfExportJob *job);
/* Writes the frames of the selection into the open element <trace>. The selection may restrict processes and the window
 * only. `rate` is as in frames/RATE of the tree. */
bool xtf_opents_write_frames(XtfExportJob *job, XtfXml *xml, const char *rate, GError **error);
