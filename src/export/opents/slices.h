/*
 * The slices of a trace imported from OpenTS, as in its source.
 */
#pragma once

#include "src/export/job.h"
#include "src/export/xml/xml.h"

/* True if the trace has slices. */
bool xtf_opents_has_slices(XtfExportJob *job);
/* Writes the slices of the selection into the open element <trace>. The selection may restrict processes and the window
 * only. */
bool xtf_opents_write_slices(XtfExportJob *job, XtfXml *xml, uint32_t n_ranks, GError **error);
