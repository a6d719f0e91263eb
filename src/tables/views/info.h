/*
 * Descriptions of a selection and of its columns.
 */
#pragma once

#include <glib.h>

#include "src/tables/format/format.h"
#include "src/trace/select/selection.h"
#include "src/trace/text/table-output.h"

/* Digits of the number of all records of the selection's types. */
size_t xtf_count_width(const XtfTraceContext *context, const XtfSelection *selection);

/* The file `columns`: a line for each column of a format. */
extern const XtfTableDeclaration xtf_table_columns;
bool xtf_columns_table(const XtfFormat *format, const XtfTimeScale *scale, XtfTableOutput *output, GError **error);
