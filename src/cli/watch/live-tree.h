/*
 * Trees of traces that may still be written: opened as they are now, and renewed at each commit.
 */
#pragma once

#include "src/tree/paths/tree.h"

/* Finds the folder of parts of a run that is being recorded on this machine: the user's newest one below $XTF_TMPDIR or
 * its defaults. NULL with XTF_ERROR_NOT_FOUND if there is none. The caller frees it. */
char *xtf_live_run_find(GError **error);
/* Opens a trace, a part, or a folder of parts. While it grows, the tree ends at the time up to which it is complete. */
XtfTree *xtf_live_tree_open(const char *source, GError **error);
/* Replaces the tree by the tree of the latest commit, if there is a later one. After an error the tree is as before. */
bool xtf_live_tree_renew(XtfTree **tree, GError **error);
