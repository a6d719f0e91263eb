/*
 * Adding to a trace that was opened for reading.
 */
#pragma once

#include "libxtf/handles.h"
#include "libxtf/writer.h"

/* Appends advice to the message of an error; NULL is allowed. */
void xtf_cli_add_advice(GError **error, const char *advice);

/* Returns a writer that adds to the .xtf file `path`, from which `trace` was opened as the user's `source`. Fails if
 * another process has written to it since. `otherwise` is advice for messages that the file cannot be written. */
XtfWriter *xtf_cli_writer_of(XtfTrace *trace, const char *source, const char *path, const char *otherwise,
                             GError **error);
