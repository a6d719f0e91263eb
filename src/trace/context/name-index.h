/*
 * Rows of a definitions table as directories: region/NAME, comm/NAME.
 *
 * A name has \xNN for each byte that is not graphic ASCII, for `/` and `\`, and for a `.` or `#` at its
 * beginning. A lookup accepts any other byte unescaped, too. NAME selects all rows of that name. #ROW selects one row.
 * Rows without a name, or whose name is too long for a directory, are listed as #ROW.
 *
 * A lookup accepts a list, NAME,#ROW,PATTERN (name-pattern.h). At each place of a list, the longest existing name wins
 * over commas and wildcards. So a lookup finds each listed name. A byte written as \xNN is never a comma between names,
 * nor a wildcard.
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
    const char *noun; /* of a row, for messages: "region" */
    uint64_t n_rows;
    uint64_t n_numbered;   /* rows that #ROW may name */
    const char **texts;    /* by row: its name, as bytes of the trace; borrowed */
    uint64_t *next;        /* by row: next row of the same name; the row itself if it is the last */
    GHashTable *rows;      /* from a short text to the element of `texts` of its first row */
    GHashTable *long_rows; /* as `rows`, from the address of a text that is too long for a path */
    uint64_t *listed;      /* listed rows: the first of each name, and all without a usable name */
    uint64_t n_listed;
} XtfNameIndex;

/* Sets *texts to a new array of the names of a table's rows; NULL if the table has no field `name`. The trace owns the
 * strings. */
bool xtf_table_names(XtfTrace *trace, const char *table, const char ***texts, uint64_t *n_rows, GError **error);

/* Loads the names of a table; the index has no rows if the table has no field `name`. */
bool xtf_name_index_load(XtfNameIndex *index, XtfTrace *trace, const char *table, const char *noun, GError **error);
void xtf_name_index_finish(XtfNameIndex *index); /* accepts all zeros */

/* Returns the label of a row's value in a field; NULL if the value has none, or `field` is NULL. */
static inline const char *xtf_row_label(const XtfField *field, const uint8_t *row)
{
    uint64_t value = field ? xtf_field_get(field, row) : UINT64_MAX;
    return field && value < field->n_labels ? field->labels[value] : NULL;
}

/* Returns the value of a label in a field; UINT64_MAX if the field lacks it, or is NULL. */
static inline uint64_t xtf_label_value(const XtfField *field, const char *label)
{
    for (uint32_t i = 0; field && i < field->n_labels; i++)
        if (g_str_equal(field->labels[i], label))
            return i;
    return UINT64_MAX;
}

/* Makes an index of the n_rows strings of `texts`; of no rows if `texts` is NULL. Takes the array, and borrows the
 * strings and `noun`. */
void xtf_name_index_init(XtfNameIndex *index, const char *noun, const char **texts, uint64_t n_rows);

/* Lets #ROW name only the first n rows. Later rows without a usable name are not listed. */
void xtf_name_index_number(XtfNameIndex *index, uint64_t n);

/* Returns the rows that a directory's name selects. NULL with XTF_ERROR_NOT_FOUND if a part of it selects no row. */
XtfNumberSet *xtf_name_index_lookup(const XtfNameIndex *index, const char *name, GError **error);

/* Returns the name of the directory of listed[i], i < n_listed. The caller frees it. */
char *xtf_name_index_print(const XtfNameIndex *index, uint64_t i);

/* Escapes a text as a directory's name; NULL if the text is empty or the name too long. The caller frees it. */
char *xtf_directory_name_escape(const char *text);
/* Reverses the escapes; NULL if an escape is wrong. The caller frees the text. */
char *xtf_directory_name_unescape(const char *name);

/* True if a name from a file can be a directory's name without escapes. */
bool xtf_directory_name_is_usable(const char *name);
