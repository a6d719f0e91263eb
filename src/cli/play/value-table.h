/*
 * Tables of the tree as values, by path and by column name. So a screen shows the same numbers as the files.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/trace/text/rows.h"
#include "src/tree/paths/tree.h"

typedef struct {
    const XtfTimeScale *scale; /* borrowed from the tree */
    GPtrArray *columns;        /* names of the columns */
    XtfRows rows;
} XtfValueTable;

/* Reads the table of a path. Returns NULL with an error. */
XtfValueTable *xtf_value_table_read(XtfTree *tree, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* Reads the table of a path that the trace may lack: then *table is NULL, without an error. */
bool xtf_value_table_read_optional(XtfTree *tree, XtfValueTable **table, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
void xtf_value_table_free(XtfValueTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfValueTable, xtf_value_table_free)

guint xtf_value_table_n(const XtfValueTable *table);
/* Returns a cell as tables print it: "-" if it is empty, or there is no such column. */
const char *xtf_value_table_text(const XtfValueTable *table, guint line, const char *column);
bool xtf_value_table_has(const XtfValueTable *table, const char *column);
/* Returns the number of a cell, a time in seconds; 0 if it is empty. */
double xtf_value_table_number(const XtfValueTable *table, guint line, const char *column);
/* Returns the first line that has a text in a column; G_MAXUINT: none. */
guint xtf_value_table_find(const XtfValueTable *table, const char *column, const char *text);
/* Appends the cells of a line as members of an object of JSON: `"proc":3,"since":"0.5"`. */
void xtf_value_table_json_cells(const XtfValueTable *table, guint line, GString *out);

/* Reads a whole file as text, which the caller frees. Returns NULL with an error. */
char *xtf_read_file(XtfTree *tree, const char *path, GError **error);
