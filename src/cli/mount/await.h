/*
 * Opening a trace whose writer may not have started yet.
 */
#pragma once

#include <stdbool.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"

/* Opens an .xtf file, or a folder of them. Waits for the file, and for a first commit, and says so on stderr unless
 * `quiet`. A file in another format is an error, as is a folder that does not exist: neither can become a trace. */
XtfTrace *xtf_cli_await_trace(const char *path, const XtfOpenOptions *options, bool quiet, GError **error);
