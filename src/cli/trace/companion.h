/*
 * Companions: files with the analysis of a trace in another file (libxtf/writer.h). Commands find a companion by its
 * name, beside the trace. A folder of parts has it beside the anchor.
 */
#pragma once

#include "src/cli/trace/archive-cache.h"

/* Returns the file of a trace that companions are of: the anchor of a folder, if it has one; else the path itself. The
 * caller frees it. */
char *xtf_companion_base(const char *path);

/* Returns the name of the companion that commands look for: the base's with the suffix. The caller frees it. */
char *xtf_companion_beside(const char *path);

/* Returns advice for messages that the trace cannot be written. The caller frees it. */
char *xtf_companion_advice(const char *path);

/* Prints on stderr that a companion beside a trace is not used. */
void xtf_companion_remark(const GError *reason);

/* Reports that a folder without an anchor has the companion of one, which is not used. */
void xtf_companion_report_left(const char *folder, const XtfSourceOptions *options);

/* Opens an .xtf file, or an anchor, with a companion. The companion that the options name must fit; the one beside the
 * file is left out if it does not fit. */
XtfTrace *xtf_companion_open(const char *path, const XtfSourceOptions *options, GError **error);
