/*
 * Tables of the tree, read as any user of a mount reads them: by path, and by the names of their columns. So a screen
 * shows the numbers that files have, and no others.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/tree/paths/tree.h"

typedef struct {
    char *text; /* cut into cells, in place */
    GPtrArray *columns;
    GPtrArray *cells; /* line by line */
} XtfTextTable;

/* A table whose first line begins with #; or, without columns, lines of a word and a value. NULL with an error. */
XtfTextTable *xtf_text_table_read(XtfTree *tree, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
void xtf_text_table_free(XtfTextTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfTextTable, xtf_text_table_free)

guint xtf_text_table_n(const XtfTextTable *table);
/* "-" if there is no such column. */
const char *xtf_text_table_text(const XtfTextTable *table, guint line, const char *column);
/* 0 of a dash. */
double xtf_text_table_number(const XtfTextTable *table, guint line, const char *column);

/* The value of a line `name value`, as `run` and `info` have; NULL if there is none. */
const char *xtf_text_table_value(const XtfTextTable *table, const char *name);

/* A whole file as text. NULL with an error. */
char *xtf_read_file(XtfTree *tree, const char *path, GError **error);
