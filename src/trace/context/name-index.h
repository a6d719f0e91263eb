/*
 * Rows of a definitions table as directories: region/NAME, comm/NAME.
 *
 * A name is written with \xNN for each byte that is not graphic ASCII, for `/` and `\`, and for a `.` or `#` at its
 * beginning. In a name that is looked up, any other byte may stand for itself too. NAME means all rows of that name.
 * #ROW means one row; rows without a name, or whose name is too long for a directory, are listed that way.
 *
 * A name that is looked up may be a list, NAME,#ROW,PATTERN (name-pattern.h). A name that is there as it is written,
 * with its commas and stars, is that name: at each place of a list the longest one that is there is meant. So whatever
 * is listed is found, and a byte written as \xNN is never a comma between names, nor a pattern's.
 *
 * Immutable once loaded: any thread may use it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"
#include "libxtf/schema.h"
#include "src/trace/context/number-set.h"

enum {
    XTF_DIRECTORY_NAME_MAX = 255, /* bytes */
    XTF_NAMES_MAX = 1 << 22,      /* rows of a table with names: views need some 300 bytes for each */
};

typedef struct {
    const char *what; /* "region": for messages */
    uint64_t n_rows;
    const char **texts;    /* by row: its name, in the trace's own bytes; borrowed */
    uint64_t *next;        /* by row: the next row of the same name; the row itself: it is the last */
    GHashTable *rows;      /* text to the address in `texts` of its first row */
    GHashTable *long_rows; /* the same of texts that are too long for paths: by their addresses */
    uint64_t *listed;      /* rows that are listed: the first of each name, and all without a usable name */
    uint64_t n_listed;
} XtfNameIndex;

/* The strings of a table's field `name`: by row, borrowed, in a new array; NULL if the trace has no such field. */
bool xtf_table_names(XtfTrace *trace, const char *table, const char ***texts, uint64_t *n_rows, GError **error);

/* From the names of a table; there are no rows if the trace has no such field. */
bool xtf_name_index_load(XtfNameIndex *index, XtfTrace *trace, const char *table, const char *what, GError **error);
void xtf_name_index_finish(XtfNameIndex *index); /* all zeros is fine */

/* The label that a row has in a field; NULL if it has none, or `field` is NULL. */
static inline const char *xtf_row_label(const XtfField *field, const uint8_t *row)
{
    uint64_t value = field ? xtf_field_get(field, row) : UINT64_MAX;
    return field && value < field->n_labels ? field->labels[value] : NULL;
}

/* From any texts, which are borrowed; takes the array of n_rows pointers to them, NULL: there are no rows. `what` is
 * borrowed. */
void xtf_name_index_init(XtfNameIndex *index, const char *what, const char **texts, uint64_t n_rows);

/* The rows that a directory's name means. NULL with XTF_ERROR_NOT_FOUND if some part of it means none. */
XtfNumberSet *xtf_name_index_lookup(const XtfNameIndex *index, const char *name, GError **error);

/* The i-th directory's name, of n_listed. */
char *xtf_name_index_print(const XtfNameIndex *index, uint64_t i);

/* A text as a directory's name; NULL if it is empty or too long. */
char *xtf_directory_name_escape(const char *text);
/* The reverse. NULL if an escape is wrong. */
char *xtf_directory_name_unescape(const char *name);

/* Whether a name from a file, unescaped, can be a directory's. */
bool xtf_directory_name_is_usable(const char *name);
