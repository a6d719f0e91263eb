/*
 * An analysis in a file of its own, a companion (libxtf/writer.h), which is found beside the trace by its name.
 */
#pragma once

#include "src/cli/trace/archive-cache.h"

#define XTF_COMPANION_SUFFIX ".analysis"

/* The name of the companion that is looked for: that of the trace with the suffix. The caller frees it. */
char *xtf_companion_beside(const char *path);

/* What may be done if the trace cannot be written, for messages. The caller frees it. */
char *xtf_companion_advice(const char *path);

/* Says on stderr that a companion beside a trace is not used. */
void xtf_companion_remark(const GError *reason);

/* Opens an .xtf file and the companion that the options say, which must fit then, or the one beside it, if that fits.
 */
XtfTrace *xtf_companion_open(const char *path, const XtfSourceOptions *how, GError **error);
