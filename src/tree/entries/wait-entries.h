/*
 * What num/K of a row of an analysis has beside other records: `event`, the record of the trace that it is about; and
 * of a wait `match`, the record of the one that was late, `culprit`, the thread that was, `cause`, the wait that
 * made it so, and `causes`, what it had done too long. What a file says of rows and processes that do not exist leads
 * nowhere: these links are absent.
 */
#pragma once

#include "src/tree/node/node-class.h"

extern const XtfTableDeclaration xtf_table_causes;

bool xtf_wait_entry_has(const char *name);
/* Whether a span is of such rows. */
bool xtf_wait_entries_are_of(const XtfSpan *span);
/* The entry of a row: the one that a span has alone, unfiltered. */
XtfNode *xtf_wait_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists those that the row has. */
bool xtf_wait_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);
