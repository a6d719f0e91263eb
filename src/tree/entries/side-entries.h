/*
 * Files of side arrays in num/K: one for each side array that has rows of the record, such as `attributes`. As CSV and
 * JSON a file has all rows. As text, which is held in memory, it has a limited number of rows.
 */
#pragma once

#include "src/tree/entries/found-record.h"

/* Finds the rows of a record in a side array of its location. *span may be empty. */
bool xtf_side_rows(const XtfNode *node, const XtfFoundRecord *record, const XtfSchema *schema, XtfSpan *span,
                   GError **error);

/* Makes the file of a side array. XTF_ERROR_NOT_FOUND: the record has no rows in the array. */
XtfNode *xtf_side_entry_new(XtfNode *directory, const XtfFoundRecord *record, const XtfSchema *schema, GError **error);
