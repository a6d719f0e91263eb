/*
 * Descriptions of a selection and of its columns.
 */
#pragma once

#include <glib.h>

#include "src/tables/format/format.h"
#include "src/trace/select/selection.h"
#include "src/trace/text/table-output.h"

/* Returns the number of digits of the count of all records of the selection's types. */
size_t xtf_count_width(const XtfTraceContext *context, const XtfSelection *selection);

/* Adds the lines of the file `columns`: one for each column of a format. */
extern const XtfTableDeclaration xtf_table_columns;
bool xtf_columns_table(const XtfFormat *format, const XtfTimeScale *scale, XtfTableOutput *output, GError **error);
