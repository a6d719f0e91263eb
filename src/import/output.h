/*
 * A file that takes its place only when it is complete, so that failure leaves nothing behind and keeps the file that
 * stood there before. Until then it has no name, where the file system can do that, and vanishes however we end; else
 * it is written beside its place.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/error.h"
#include "libxtf/writer.h"

typedef struct {
    char *place; /* where it will be */
    char *path;  /* to write to, by this process and its children: errors name `place` */
    int fd;      /* of a file without a name; -1: it has one */
} XtfOutput;

/* Creates an empty file. Refuses a `place` that is no regular file, or that is the file to be read, `source` (NULL:
 * the place may be what is read). NULL with an error. */
XtfOutput *xtf_output_begin(const char *place, const char *source, GError **error);

/* Opens the file for reading and writing. -1 with an error. */
int xtf_output_open(const XtfOutput *output, GError **error);
/* A writer of a new trace in the file. NULL with an error. */
XtfWriter *xtf_output_writer(const XtfOutput *output, const XtfWriterOptions *options, GError **error);

/* Syncs the file. xtf_output_end() does so by itself; of several outputs each is synced before the first is placed. */
bool xtf_output_sync(const XtfOutput *output, GError **error);

/* Syncs the file and puts it in its place if it is `whole`. Else, or if that fails, removes it. Frees the output. */
bool xtf_output_end(XtfOutput *output, bool whole, GError **error);
