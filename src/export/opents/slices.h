/*
 * The slices of a trace that is OpenTS's own, as they were.
 */
#pragma once

#include "src/export/job.h"
#include "src/export/xml/xml.h"

/* Whether the trace has slices. */
bool xtf_opents_has_slices(XtfExportJob *job);
/* Writes those of the selection, which has processes and a window alone, into the open element of the trace. */
bool xtf_opents_write_slices(XtfExportJob *job, XtfXml *xml, uint32_t n_ranks, GError **error);
