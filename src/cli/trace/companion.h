/*
 * Companions: files with the analysis of a trace in another file (libxtf/writer.h). Commands find a companion by its
 * name, beside the trace.
 */
#pragma once

#include "src/cli/trace/archive-cache.h"

#define XTF_COMPANION_SUFFIX ".analysis"

/* Returns the name of the companion that commands look for: the trace's with the suffix. The caller frees it. */
char *xtf_companion_beside(const char *path);

/* Returns advice for messages that the trace cannot be written. The caller frees it. */
char *xtf_companion_advice(const char *path);

/* Prints on stderr that a companion beside a trace is not used. */
void xtf_companion_remark(const GError *reason);

/* Opens an .xtf file with the companion that the options name, which must fit; or with the one beside it, if that fits.
 */
XtfTrace *xtf_companion_open(const char *path, const XtfSourceOptions *options, GError **error);
