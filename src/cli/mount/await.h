/*
 * Opening a trace whose writer may not have begun yet.
 */
#pragma once

#include <stdbool.h>

#include "libxtf/error.h"
#include "libxtf/handles.h"

/* Opens an .xtf file, or a folder of them; waits for it, and for a first commit, and says so on stderr unless `quiet`.
 * Only what can still become a trace is waited for: a file of something else is an error, as is a folder that does not
 * exist. */
XtfTrace *xtf_cli_await_trace(const char *path, const XtfOpenOptions *options, bool quiet, GError **error);
