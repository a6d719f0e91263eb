/*
 * The directory of a selection, and the root: the files that show its records, and the directories that narrow it.
 *
 * Listings show only one order: processes, their threads, and the threads' record types. All other entries exist, but
 * only a lookup finds them.
 */
#pragma once

#include "src/tree/node/node-class.h"

extern const XtfNodeClass xtf_selection_dir;

/* True if a name is an entry of some selection's directory in some trace. */
bool xtf_selection_dir_has(const char *name);
/* Visits all names of a directory: listed names, and names that only a lookup finds. */
bool xtf_selection_dir_names(XtfNode *directory, XtfNodeVisit visit, void *data, GError **error);
