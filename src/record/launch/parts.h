/*
 * The parts of a job: waiting for them, finding which are there, and making one trace of them.
 */
#pragma once

#include <glib.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "libxtf/merge.h"

/* What became of a job's parts. */
typedef struct {
    GPtrArray *paths;    /* of parts that can be read, of char, in the order of their names */
    GPtrArray *left_out; /* sentences about those that are not in the trace, of char */
    GPtrArray *remarks;  /* sentences about those that are, but not whole, of char */
    GHashTable *numbers; /* of the processes that have a part, also one that cannot be read */
    guint64 world_size;  /* of MPI_COMM_WORLD, as the processes say; 0: no MPI */
    guint64 n_records;   /* in all parts that can be read */
    bool missing;        /* processes of that world left no part where we looked */
} XtfParts;

void xtf_parts_init(XtfParts *parts);
void xtf_parts_finish(XtfParts *parts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfParts, xtf_parts_finish)

/* Waits until no collector works in a folder of parts any more, at most some seconds, or until *cancel. */
void xtf_parts_await(const char *folder, guint64 seconds, const atomic_bool *cancel);

/* Waits until nobody writes any of these files, at most some seconds, or until *cancel. A file that is not there is not
 * written. `paths` ends with NULL. */
void xtf_parts_await_files(char **paths, guint64 seconds, const atomic_bool *cancel);

/* Looks at all parts in two folders, of which the second need not be there, and at what the collectors complained of.
 * If processes are missing, and parts are brought into the second folder, it waits for them so many seconds. */
void xtf_parts_find(const char *folder, const char *gathered, guint64 seconds, const atomic_bool *cancel,
                    XtfParts *parts);

/* Merges them. What is missing becomes remarks of the trace, and what turns out to be damaged is added to them.
 * XTF_ERROR_NOT_FOUND if there is no part, _DAMAGED if the trace has not all their records. Else as xtf_merge(). Of the
 * options, `keep_going` and `left_out` are not looked at. */
bool xtf_parts_merge(XtfParts *parts, const char *output, const char *folder, const XtfMergeOptions *options,
                     GError **error);
