/*
 * Opening what the user names: an .xtf file, or a trace of another format, which is imported first.
 *
 * Imports are kept in the user's cache folder, under a name made from the archive's path and the names, sizes and times
 * of its files; when these change, it is imported again and the old import removed. Of two processes that want the same
 * import, one waits for the other.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/trace.h"
#include "src/query/tree/tree.h"

/* Opens an .xtf file, or a folder of them (merge.h). */
XtfTrace *xtf_cli_open_xtf(const char *path, const XtfOpenOptions *options, GError **error);

/* *path is the .xtf file that was opened; the caller frees it. While it imports, signals cancel (import-archive.h). */
XtfTrace *xtf_cli_open_source(const char *source, const XtfOpenOptions *options, bool quiet, char **path,
                              GError **error);

/* The tree of `source`, for commands that need no mount. */
XtfTree *xtf_cli_open_tree(const char *source, GError **error);
