/*
 * The file that the parts of a running job become at the end.
 */
#pragma once

#include <stdbool.h>

#include "libxtf/trace.h"

/* The file into which `xtf record` merges the parts of a folder, before it removes the folder. */
typedef struct {
    char *folder, *path; /* absolute path of the merged file, which may not exist yet */
    char *job;           /* name of the job in both, so that no other trace is taken for the merged one */
    XtfOpenOptions open;
} XtfMergedFile;

/* Returns NULL if the folder does not say where its parts will be merged. */
XtfMergedFile *xtf_merged_file_new(const char *folder, XtfTrace *parts, const XtfOpenOptions *open);
void xtf_merged_file_free(XtfMergedFile *file); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfMergedFile, xtf_merged_file_free)
/* True if the folder is gone: the file that it became is there, or never will be. */
bool xtf_merged_file_is_due(const XtfMergedFile *file);
/* Opens the merged file when the folder is gone. NULL: the folder is there, or there is no file of its job. */
XtfTrace *xtf_merged_file_open(const XtfMergedFile *file);
