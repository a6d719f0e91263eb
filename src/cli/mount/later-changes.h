/*
 * Later changes: a mount shows a finished trace as it was mounted, and the log tells of an analysis or another writer
 * that came later. The trace's folder is watched by inotify; where that is not possible, the log tells nothing.
 */
#pragma once

#include <glib.h>

typedef struct XtfLaterChanges XtfLaterChanges;

/* Of the trace in a file, mounted at a directory. Watches from now on. NULL if that is not possible. */
XtfLaterChanges *xtf_later_changes_new(const char *path, const char *directory);
/* Starts the thread that tells of them. NULL is fine. */
void xtf_later_changes_tell(XtfLaterChanges *changes);
/* Ends it. NULL is fine. */
void xtf_later_changes_free(XtfLaterChanges *changes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfLaterChanges, xtf_later_changes_free)
