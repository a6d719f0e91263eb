/*
 * Tables of the tree as values: by path, and by the names of their columns. So a screen shows the numbers that files
 * have, and no others.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/trace/text/rows.h"
#include "src/tree/paths/tree.h"

typedef struct {
    const XtfTimeScale *scale; /* borrowed from the tree */
    GPtrArray *columns;        /* their names */
    XtfRows rows;
} XtfValueTable;

/* The table of a path. NULL with an error. */
XtfValueTable *xtf_value_table_read(XtfTree *tree, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
void xtf_value_table_free(XtfValueTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfValueTable, xtf_value_table_free)

guint xtf_value_table_n(const XtfValueTable *table);
/* As tables show it: "-" of nothing, and if there is no such column. */
const char *xtf_value_table_text(const XtfValueTable *table, guint line, const char *column);
/* Of a time, in seconds; 0 of nothing. */
double xtf_value_table_number(const XtfValueTable *table, guint line, const char *column);
/* The first line that has a text in a column; G_MAXUINT if there is none. */
guint xtf_value_table_find(const XtfValueTable *table, const char *column, const char *text);

/* A whole file as text. NULL with an error. */
char *xtf_read_file(XtfTree *tree, const char *path, GError **error);
