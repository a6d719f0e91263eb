/*
 * The part of a trace that a collector writes: one file for its process.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"

typedef struct {
    char *path;
    int folder;        /* borrowed: that of the path */
    XtfWriter *writer; /* NULL: it could not be made, or nothing more can be written to it */
    uint32_t number;   /* that it has its name from */
} XtfCollectPart;

/* Opens a folder of parts; -1 if it is not there, or others may write to it. */
int xtf_collect_folder_open(const char *path, GError **error);

/* Creates the part of that number in a folder, `path`, which is open. If there is one of that name, or the number is
 * XTF_NONE32, it is the first free number from `from` on. The part's path is NULL if that fails. */
bool xtf_collect_part_create(XtfCollectPart *part, int folder, const char *path, uint32_t number, uint32_t from,
                             GError **error);
/* Goes on with the file as it was last committed, after a failure to write it: there is room again for a little. */
bool xtf_collect_part_reopen(XtfCollectPart *part, GError **error);
/* Closes the file, if it is open. */
bool xtf_collect_part_close(XtfCollectPart *part, GError **error);
/* Leaves the file as it was last committed. */
void xtf_collect_part_abort(XtfCollectPart *part);
void xtf_collect_part_finish(XtfCollectPart *part);
