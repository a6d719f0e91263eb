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
    int folder;        /* borrowed: descriptor of the path's folder */
    XtfWriter *writer; /* NULL: creating or writing the file failed */
    uint32_t number;   /* the number in the file's name */
    /* sync.c */
    GThread *syncing;         /* syncs the file; NULL: no sync runs */
    _Atomic bool synced;      /* `syncing` is done */
    bool committed_meanwhile; /* a commit was made while the thread ran */
    bool repeated;            /* the sync before this one did not cover a commit made meanwhile */
    bool named;               /* the folder was synced, so that the file's name is on the disk, too */
    uint64_t sync_began;      /* nanoseconds of CLOCK_MONOTONIC; 0: never */
    uint64_t volume_began;    /* begin of the current volume, likewise */
    GError *sync_error;
} XtfCollectPart;

/* Opens a folder of parts. Returns -1 if the folder does not exist, or if other users may write to it. */
int xtf_collect_folder_open(const char *path, GError **error);

/* Creates the part `number` in an open folder, whose path is `path`. If that file exists, or the number is XTF_NONE32,
 * uses the first free number from `from` on. `sites`: ENTERs have a call site. On failure the part's path is NULL. */
bool xtf_collect_part_create(XtfCollectPart *part, int folder, const char *path, uint32_t number, uint32_t from,
                             bool sites, GError **error);
/* Reopens the file at its last commit, after a write failed. The reserve leaves room for a little more. */
bool xtf_collect_part_reopen(XtfCollectPart *part, GError **error);
/* Commits. Starts a sync at intervals, without waiting for it. Begins a new volume at intervals (`xtf record
 * --rotate`), which waits for a sync. */
bool xtf_collect_part_commit(XtfCollectPart *part, GError **error);
/* True if a sync runs. A commit made now needs another sync. */
bool xtf_collect_part_is_syncing(const XtfCollectPart *part);
/* True if a sync runs that must cover the last commit: the sync before it did not. Requests for commits then wait.
 * Otherwise a process that requests commits during all syncs would keep each of them from being declared durable. */
bool xtf_collect_part_defers_commits(const XtfCollectPart *part);
/* Waits for the sync. */
bool xtf_collect_part_end_sync(XtfCollectPart *part, GError **error);
/* Closes and syncs the file, if it is open. */
bool xtf_collect_part_close(XtfCollectPart *part, GError **error);
/* Closes the file as it was last committed. */
void xtf_collect_part_abort(XtfCollectPart *part);
void xtf_collect_part_finish(XtfCollectPart *part);
