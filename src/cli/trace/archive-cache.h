/*
 * Opening what the user names: an .xtf file, or a trace of another format, which is imported first.
 *
 * Imports are kept in the user's cache folder, under a name that hangs on where the archive is and on the names, sizes
 * and times of its files; when these change, it is imported anew and the old one removed. Two who want the same at once
 * wait for one another.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/trace.h"
#include "src/query/tree/tree.h"

/* *path is the .xtf file that was opened; the caller frees it. While it imports, signals cancel (importing.h). */
XtfTrace *xtf_cli_open_source(const char *source, const XtfOpenOptions *options, bool quiet, char **path,
                              GError **error);

/* The tree of what the user names, for commands that do without a mount. */
XtfTree *xtf_cli_open_tree(const char *source, GError **error);
