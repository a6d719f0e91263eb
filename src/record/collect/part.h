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
    XtfWriter *writer; /* NULL: it could not be made, or nothing more can be written to it */
    uint32_t number;   /* that it has its name from */
} XtfCollectPart;

/* Creates the part of that number in a folder, which is made if it is not there. If there is one of that name, or the
 * number is XTF_NONE32, it is the first free number from `from` on. The path is NULL if that fails. */
bool xtf_collect_part_create(XtfCollectPart *part, const char *folder, uint32_t number, uint32_t from, GError **error);
/* Goes on with the file as it was last committed, after a failure to write it: there is room again for a little. */
bool xtf_collect_part_reopen(XtfCollectPart *part, GError **error);
/* Closes the file, if it is open. */
bool xtf_collect_part_close(XtfCollectPart *part, GError **error);
/* Leaves the file as it was last committed. */
void xtf_collect_part_abort(XtfCollectPart *part);
void xtf_collect_part_finish(XtfCollectPart *part);
