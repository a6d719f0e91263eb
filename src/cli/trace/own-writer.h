/*
 * Adding to a trace that was opened to be read.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/writer.h"

/* A writer that goes on with the .xtf file `path`, which `trace` was opened from as the user's `source`: nobody else
 * has written to it since. `otherwise` is what the user may do if the file cannot be written, for messages. */
XtfWriter *xtf_cli_writer_of(XtfTrace *trace, const char *source, const char *path, const char *otherwise,
                             GError **error);
