/*
 * What num/K has of side arrays: a file for each of them that has rows of the record, such as `attributes`. As CSV and
 * JSON such a file has all rows; as text, which is held in memory, a limited number of them.
 */
#pragma once

#include "src/tree/entries/found-record.h"

/* The rows of a record in a side array of its location; *span may be empty. */
bool xtf_side_rows(const XtfNode *node, const XtfFoundRecord *record, const XtfSchema *schema, XtfSpan *span,
                   GError **error);

/* The file of a side array. XTF_ERROR_NOT_FOUND: the record has no rows there. */
XtfNode *xtf_side_entry_new(XtfNode *directory, const XtfFoundRecord *record, const XtfSchema *schema, GError **error);
