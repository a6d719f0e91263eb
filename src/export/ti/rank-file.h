/*
 * The file of one rank: its actions, a line each. The file begins with `init` and ends with `finalize`.
 *
 * Actions of one call of MPI are written when the call ends. If the call sends and receives, such as MPI_Sendrecv, it
 * begins all messages before it waits. A blocking send in front of the receive might wait for ever.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    XTF_TI_SEND,
    XTF_TI_ISEND,
    XTF_TI_RECV,
    XTF_TI_IRECV,
    XTF_TI_WAIT_SEND,
    XTF_TI_WAIT_RECV,
} XtfTiKind;

typedef struct {
    XtfTiKind kind;
    uint32_t peer, tag; /* rank; tag of the file, not of the trace */
    uint64_t bytes;     /* not of a wait */
} XtfTiAction;

typedef struct {
    FILE *file; /* NULL: not open */
    char *name; /* path that errors show */
    uint32_t rank;
    uint64_t computed, written; /* nanoseconds of computing: up to now; in the file */
    GArray *call;               /* of XtfTiAction: of the open call */
} XtfTiFile;

/* Returns the name of a rank's file. The caller frees it. */
char *xtf_ti_file_name(uint32_t rank);

/* Makes the file in `folder`. `shown_folder` is its final name. */
bool xtf_ti_file_open(XtfTiFile *file, const char *folder, const char *shown_folder, uint32_t rank, GError **error);
/* Ends the file; XTF_ERROR_IO if it could not be written. Without `error` it only frees what the file holds. */
bool xtf_ti_file_close(XtfTiFile *file, GError **error);

/* Adds an action. Computing precedes it, up to `computed`. */
void xtf_ti_file_add(XtfTiFile *file, const XtfTiAction *action);
/* Writes the actions since the last call. */
void xtf_ti_file_end_call(XtfTiFile *file);
/* Ends the call, and writes a line: the rank, and `text`. */
void xtf_ti_file_put(XtfTiFile *file, const char *text);

/* Appends a number of elements to a line, and sets *type to their type. Elements are bytes. More than 2^31 - 1 bytes
 * are doubles, rounded up. */
void xtf_ti_append_size(GString *line, uint64_t bytes, char *type);
