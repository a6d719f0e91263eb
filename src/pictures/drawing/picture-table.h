/*
 * The lines of a table, for pictures of it: so that a picture shows the numbers that the table has, and no others.
 */
#pragma once

#include "src/tables/views/registry.h"

enum {
    XTF_TABLE_CELLS_MAX = 16,
};

/* Called with the cells of a line, in the order of the columns; the last one ends where the line does,
 * and may be empty. */
typedef bool (*XtfTableLine)(const char *const *cells, unsigned n, void *data, GError **error);

/* Calls `line` for each line of a view of a selection, without the header. A cell that holds a number is read by
 * strtoull() or strtod(); one without a value is "-". */
bool xtf_picture_table_read(XtfViews *views, const char *view, XtfSelection *selection, XtfTableLine line, void *data,
                            GError **error);
