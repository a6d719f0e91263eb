/*
 * Later changes of a finished trace in one file. A mount shows an analysis that is written after mounting, into the
 * file or a companion beside it. All else in the trace must be unchanged. If it is not, or if the analysis cannot be
 * read, the log says so, and the mount keeps showing what it did.
 *
 * inotify watches the trace's folder. It does not see changes that other machines make to a network file system.
 */
#pragma once

#include "src/tree/paths/tree.h"

typedef struct XtfLaterChanges XtfLaterChanges;

typedef struct {
    const char *path, *directory; /* the .xtf file, and its mount point */
    const XtfOpenOptions *open;
    bool growing; /* the tree was made by xtf_tree_new_growing() */
    bool given;   /* the user has named the analysis to show: later ones are not used */
} XtfLaterChangesOptions;

/* Starts watching the file of the trace that is shown. Returns NULL if the trace cannot be read. */
XtfLaterChanges *xtf_later_changes_new(const XtfLaterChangesOptions *options, const XtfTrace *shown);
void xtf_later_changes_free(XtfLaterChanges *changes); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfLaterChanges, xtf_later_changes_free)

/* Returns a descriptor that is readable when there may be a change; -1: none. */
int xtf_later_changes_descriptor(const XtfLaterChanges *changes);

/* Returns the tree of the trace with an analysis that `shown` does not have; NULL: there is none. */
XtfTree *xtf_later_changes_find(XtfLaterChanges *changes, XtfTree *shown);
