/*
 * Rows of a definitions table as directories: region/NAME, comm/NAME.
 *
 * A name is written with \xNN for each byte that is not graphic ASCII, for `/` and `\`, and for a `.` or `#` that it
 * begins with; read, any other byte stands for itself too. It means all rows that have it. #ROW means one row: so it is
 * that those are listed which have no name, or one that is too long for a directory's.
 *
 * Immutable once loaded: any thread may use it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/trace.h"
#include "src/query/select/number-set.h"

enum {
    XTF_DIRECTORY_NAME_MAX = 255, /* bytes */
};

typedef struct {
    const char *what; /* "region": for messages */
    uint64_t n_rows;
    const char **texts; /* of the rows, in the trace's own bytes; borrowed */
    uint64_t *next;     /* the next row of the same name; itself: there is none */
    GHashTable *rows;   /* text to its first row's place in `texts` */
    uint64_t *listed;   /* rows that are listed: the first of each name, and all without a usable one */
    uint64_t n_listed;
} XtfNameIndex;

/* From the field `name` of a table; without one it has no rows. */
bool xtf_name_index_load(XtfNameIndex *named, XtfTrace *trace, const char *table, const char *what, GError **error);
void xtf_name_index_finish(XtfNameIndex *named); /* all zeros is fine */

/* The rows that a directory's name means. NULL with XTF_ERROR_NOT_FOUND if it means none. */
XtfNumberSet *xtf_name_index_lookup(const XtfNameIndex *named, const char *name, GError **error);

/* The i-th directory's name, of n_listed. */
char *xtf_name_index_print(const XtfNameIndex *named, uint64_t i);

/* A text as a directory's name; NULL if it has none that can be used. */
char *xtf_name_escape(const char *text);
/* The reverse. NULL if an escape is wrong. */
char *xtf_name_unescape(const char *name);
