/*
 * Trees of traces that may still be written: opened as they are now, and renewed at each commit.
 */
#pragma once

#include "src/tree/paths/tree.h"

/* Opens a trace, a part, or a folder of parts. While it grows, the tree ends at the time up to which it is complete. */
XtfTree *xtf_live_tree_open(const char *source, GError **error);
/* Replaces the tree by the tree of the latest commit, if there is a later one. After an error the tree is as before. */
bool xtf_live_tree_renew(XtfTree **tree, GError **error);
