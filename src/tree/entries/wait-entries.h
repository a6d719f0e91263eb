/*
 * Entries that only the directory num/K of a row of an analysis has.
 *
 * `event` is the trace's record that the row is about. A wait has further entries: `match` is the record that was late,
 * and `culprit` is the thread that was late. `cause` is the wait that made the culprit late. `causes` lists the call
 * paths in which it spent too long. `met` and `culprit_met` are the records where both sides met before. A link to a
 * row or process that does not exist is left out.
 */
#pragma once

#include "src/tree/node/node-class.h"

extern const XtfTableDeclaration xtf_table_causes;

bool xtf_wait_entry_has(const char *name);
/* True if the rows of a span are rows of an analysis. */
bool xtf_wait_entries_are_of(const XtfSpan *span);
/* Makes the entry `name` of a row. `span` holds only this row, without a filter. */
XtfNode *xtf_wait_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists the entries that the row has. */
bool xtf_wait_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);
