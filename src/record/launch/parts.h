/*
 * The parts of a job: waiting for them, finding them, and merging them into one trace.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "libxtf/merge.h"

/* A job's parts, and sentences on missing parts. */
typedef struct {
    GPtrArray *paths;    /* readable parts (char *), ordered by name */
    GPtrArray *left_out; /* sentences (char *) on parts missing in the trace */
    GPtrArray *remarks;  /* sentences (char *) on incomplete parts in the trace */
    GHashTable *numbers; /* numbers of the processes with a part, readable or not */
    guint64 world_size;  /* size of MPI_COMM_WORLD, as the processes report it; 0: no MPI */
    guint64 n_records;   /* records in all readable parts */
    guint64 n_removed;   /* volumes that `xtf record --keep` removed from these parts */
    bool missing;        /* some process of MPI_COMM_WORLD has no part in the folders searched */
} XtfParts;

void xtf_parts_init(XtfParts *parts);
void xtf_parts_finish(XtfParts *parts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfParts, xtf_parts_finish)

/* Waits until no collector works in a folder of parts, at most `seconds`, or until *cancel. */
void xtf_parts_await(const char *folder, guint64 seconds, const atomic_bool *cancel);

/* Waits until none of these files is being written, at most `seconds`, or until *cancel. A missing file counts as not
 * written. `paths` ends with NULL. */
void xtf_parts_await_files(char **paths, guint64 seconds, const atomic_bool *cancel);

/* Finds all parts in two folders, of which the second may be missing, and reads the collectors' logs. If processes are
 * missing, and the second folder exists, waits up to `seconds` for their parts. */
void xtf_parts_find(const char *folder, const char *gathered, guint64 seconds, const atomic_bool *cancel,
                    XtfParts *parts);

/* Merges the parts. Missing and damaged parts become remarks of the trace. XTF_ERROR_NOT_FOUND if there is no part;
 * XTF_ERROR_DAMAGED if the trace lacks records of the parts; other errors as of xtf_merge(). Ignores the options
 * `keep_going` and `left_out`. */
bool xtf_parts_merge(XtfParts *parts, const char *output, const char *folder, const XtfMergeOptions *options,
                     GError **error);
