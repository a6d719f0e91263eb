/*
 * The part of a trace that a collector writes: one file for its process.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/writer.h"

typedef struct {
    char *path;
    int folder;        /* borrowed: that of the path */
    XtfWriter *writer; /* NULL: it could not be made, or nothing more can be written to it */
    uint32_t number;   /* that it has its name from */
    /* sync.c */
    GThread *syncing;    /* brings the file to the disk; NULL: nobody does */
    _Atomic bool synced; /* it has done so */
    bool passed_by;      /* there is a later commit than the one that it was told of */
    bool named;          /* the folder was brought to the disk */
    uint64_t sync_began; /* nanoseconds of CLOCK_MONOTONIC; 0: never */
    GError *sync_error;
} XtfCollectPart;

/* Opens a folder of parts; -1 if it is not there, or others may write to it. */
int xtf_collect_folder_open(const char *path, GError **error);

/* Creates the part of that number in a folder, `path`, which is open. If there is one of that name, or the number is
 * XTF_NONE32, it is the first free number from `from` on. The part's path is NULL if that fails. */
bool xtf_collect_part_create(XtfCollectPart *part, int folder, const char *path, uint32_t number, uint32_t from,
                             GError **error);
/* Goes on with the file as it was last committed, after a failure to write it: there is room again for a little. */
bool xtf_collect_part_reopen(XtfCollectPart *part, GError **error);
/* Commits, and has the part brought to the disk now and then, which it does not wait for. */
bool xtf_collect_part_commit(XtfCollectPart *part, GError **error);
/* Whether it is being brought there: a commit now would have to be brought there later. */
bool xtf_collect_part_is_syncing(const XtfCollectPart *part);
/* Waits for that. */
bool xtf_collect_part_end_sync(XtfCollectPart *part, GError **error);
/* Closes the file, if it is open, and brings it to the disk. */
bool xtf_collect_part_close(XtfCollectPart *part, GError **error);
/* Leaves the file as it was last committed. */
void xtf_collect_part_abort(XtfCollectPart *part);
void xtf_collect_part_finish(XtfCollectPart *part);
