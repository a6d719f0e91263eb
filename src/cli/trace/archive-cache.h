/*
 * Opening a trace that the user names: an .xtf file, a folder of parts, or a trace of another format, which is imported
 * first.
 *
 * The user's cache folder (cache-folder.h) keeps imports. The name of an import is made from the archive's path and the
 * names, sizes and times of its files. When these change, the archive is imported again and the old import removed. If
 * two processes need the same import, one waits for the other.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"
#include "src/tree/paths/tree.h"

typedef struct {
    const XtfOpenOptions *open; /* NULL: the defaults */
    const char *cache_folder;   /* NULL: the default of cache-folder.h */
    bool quiet;                 /* no progress bar, warnings or remarks */
    const char *companion;      /* companion of an .xtf file; NULL: the one beside it, if that fits (companion.h) */
    bool incomplete;            /* leave out damaged parts of a folder */
    bool no_companion;          /* no companion, since the file will be written or followed */
    GError **left_out; /* set to the reason if the companion beside the trace is not used, and freed by the caller;
                          NULL: the reason goes to stderr */
} XtfSourceOptions;

/* Opens an .xtf file, or a folder of them (merge.h). */
XtfTrace *xtf_cli_open_xtf(const char *path, const XtfSourceOptions *options, GError **error);

/* Opens a trace, and sets *path to its .xtf file, which the caller frees. Signals cancel an import (import-archive.h).
 * `options` may be NULL. */
XtfTrace *xtf_cli_open_source(const char *source, const XtfSourceOptions *options, char **path, GError **error);

/* Opens the tree of `source`, for commands that need no mount. `incomplete`: see XtfSourceOptions. */
XtfTree *xtf_cli_open_tree(const char *source, bool incomplete, GError **error);

/* Returns the node of a path, and prints its remark behind `name`. The caller unrefs the node. NULL with an error. */
XtfNode *xtf_cli_resolve(XtfTree *tree, const char *path, const char *name, GError **error);

/* The option of commands that open a folder of parts. */
#define XTF_INCOMPLETE_ENTRY(flag)                                                                  \
    {                                                                                               \
        "incomplete", 0, 0, G_OPTION_ARG_NONE, &(flag), "Leave out damaged parts of a folder", NULL \
    }
