/*
 * Opening what the user names: an .xtf file, or a trace of another format, which is imported first.
 *
 * Imports are kept in the user's cache folder (cache-folder.h), under a name made from the archive's path and the
 * names, sizes and times of its files; when these change, it is imported again and the old import removed. Of two
 * processes that want the same import, one waits for the other.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/handles.h"
#include "src/tree/paths/tree.h"

typedef struct {
    const XtfOpenOptions *open; /* NULL: the defaults */
    const char *cache_folder;   /* NULL: as cache-folder.h says */
    bool quiet;                 /* no progress, no warnings of an import, no remarks */
    const char *companion;      /* of an .xtf file, and of nothing else; NULL: the one beside it, if there is one that
                                   fits (companion.h) */
    bool incomplete;            /* of a folder of parts, leave out those that are damaged */
    bool alone;                 /* no companion: the file is to be written, or is followed */
    GError **left_out;          /* set to why a companion beside it is not used, for the caller to free; NULL: it is
                                   said on stderr */
} XtfSourceOptions;

/* Opens an .xtf file, or a folder of them (merge.h). */
XtfTrace *xtf_cli_open_xtf(const char *path, const XtfSourceOptions *how, GError **error);

/* *path is the .xtf file that was opened; the caller frees it. While it imports, signals cancel (import-archive.h).
 * `how` may be NULL. */
XtfTrace *xtf_cli_open_source(const char *source, const XtfSourceOptions *how, char **path, GError **error);

/* The tree of `source`, for commands that need no mount. `incomplete`: as above. */
XtfTree *xtf_cli_open_tree(const char *source, bool incomplete, GError **error);

/* The option of commands that open a folder of parts. */
#define XTF_INCOMPLETE_ENTRY(flag)                                                                           \
    {                                                                                                        \
        "incomplete", 0, 0, G_OPTION_ARG_NONE, &(flag), "Leave out damaged parts of a folder", NULL \
    }
