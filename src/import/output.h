/*
 * A file that appears at its path only when it is complete. On failure no part of it remains, and an existing file at
 * that path is kept. Until it is complete it has no name, if the file system supports that, and vanishes even if the
 * process is killed. Otherwise it has a temporary name in the same folder.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/error.h"
#include "libxtf/writer.h"

typedef struct {
    char *final_path; /* the file's path once it is complete */
    char *path;       /* the file's path until then, for this process and its children; errors name `final_path` */
    int fd;           /* of a file without a name; -1: the file has a name */
} XtfOutput;

/* Creates an empty file. Refuses a `final_path` that is not a regular file, or that is `source`, the file to be read.
 * NULL as `source`: `final_path` may be the file to be read. Returns NULL with an error. */
XtfOutput *xtf_output_begin(const char *final_path, const char *source, GError **error);

/* Creates an empty file in `folder`, for a `final_path` whose folder may not exist yet. */
XtfOutput *xtf_output_begin_in(const char *folder, const char *final_path, GError **error);
/* Changes the final path, to one on the same file system. */
void xtf_output_redirect(XtfOutput *output, const char *final_path);

/* Opens the file for reading and writing. Returns -1 with an error. */
int xtf_output_open(const XtfOutput *output, GError **error);
/* Returns a writer of a new trace in the file. NULL with an error. */
XtfWriter *xtf_output_writer(const XtfOutput *output, const XtfWriterOptions *options, GError **error);

/* Syncs the file, as xtf_output_end() does. A caller with several outputs syncs each before it moves the first. */
bool xtf_output_sync(const XtfOutput *output, GError **error);

/* Syncs the file and moves it to its path if it is `complete`. Otherwise, or if that fails, removes it. Frees the
 * output. True if the file is at its path. */
bool xtf_output_end(XtfOutput *output, bool complete, GError **error);
