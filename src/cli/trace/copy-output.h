/*
 * Outputs of commands that copy a trace.
 */
#pragma once

#include "libxtf/handles.h"
#include "src/import/output.h"

/* Begins an output as xtf_output_begin() does, for a copy of a trace that was opened from the file or folder `source`.
 * Fails if the output is a file of the trace: the anchor of the folder, a part, or an earlier volume. Fails, too,
 * if it is the companion beside the source, which has the analysis. */
XtfOutput *xtf_copy_output_begin(const XtfTrace *trace, const char *path, const char *source, GError **error);
