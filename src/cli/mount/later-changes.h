/*
 * Later changes: of a finished trace in one file a mount takes up an analysis that is made later, in the file or in a
 * companion beside it. Nothing else of the trace may have changed; if it has, or if the analysis cannot be read, the
 * log says so, and the mount stays as it is.
 *
 * The trace's folder is watched by inotify, where that is possible: not on file systems that other machines write to.
 */
#pragma once

#include "src/tree/paths/tree.h"

typedef struct XtfLaterChanges XtfLaterChanges;

typedef struct {
    const char *path, *directory; /* of the .xtf file, and where it is mounted */
    const XtfOpenOptions *open;
    bool growing; /* the tree is one of xtf_tree_new_growing() */
    bool given;   /* the user has named the analysis to show: no other is taken up */
} XtfLaterChangesOptions;

/* Watches from now on. NULL: the trace cannot be read. */
XtfLaterChanges *xtf_later_changes_new(const XtfLaterChangesOptions *options);
void xtf_later_changes_free(XtfLaterChanges *changes); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfLaterChanges, xtf_later_changes_free)

/* Can be read when there may be a change; -1: there is none. */
int xtf_later_changes_descriptor(const XtfLaterChanges *changes);

/* The tree of the trace with an analysis that `shown` does not have. NULL: there is none. */
XtfTree *xtf_later_changes_find(XtfLaterChanges *changes, XtfTree *shown);
