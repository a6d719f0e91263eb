/*
 * The directory of a selection, and the root: the files that show its records, and the directories that narrow it.
 *
 * Listings show one order only: processes, in each its threads, in each its record types. Everything else is there when
 * it is named.
 */
#pragma once

#include "src/tree/node/node-class.h"

extern const XtfNodeClass xtf_selection_dir;

/* Whether a name means something in some directory of a selection, whatever the trace. */
bool xtf_selection_dir_has(const char *name);
/* All names of a directory: the ones that it lists, and the ones that are there when they are named. */
bool xtf_selection_dir_names(XtfNode *directory, XtfNodeVisit visit, void *data, GError **error);
