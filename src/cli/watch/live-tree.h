/*
 * Trees of traces that may still be written: opened as they are now, and renewed at each commit.
 */
#pragma once

#include "src/cli/trace/merged-file.h"
#include "src/tree/paths/tree.h"

/* Returns the run that the user names. If `named` is NULL, finds the folder of parts of a run that is being recorded:
 * the user's newest one. It looks at NAME.xtf.d in the current folder, and below $XTF_TMPDIR or its defaults. NULL with
 * XTF_ERROR_NOT_FOUND if there is none. The caller frees it. */
char *xtf_live_run_find(const char *named, GError **error);
/* Lets the collectors of a run commit more often for a few seconds, if the run is a folder of the user. */
void xtf_live_run_mark_watched(const char *source);
/* Opens a trace, a part, or a folder of parts; SOURCE.d if there is only that. While it grows, the tree ends at the
 * time up to which it is complete. Sets *merged to the file that a folder becomes, which the caller frees; to NULL if
 * the folder names none. `merged` may be NULL. */
XtfTree *xtf_live_tree_open(const char *source, XtfMergedFile **merged, GError **error);
/* Sets *later to the tree of the latest commit, or of the merged file if the parts are gone. *later is NULL if `tree`
 * has that commit, and after an error. `merged` may be NULL. The caller frees *later. */
bool xtf_live_tree_renew(XtfTree *tree, const XtfMergedFile *merged, XtfTree **later, GError **error);
