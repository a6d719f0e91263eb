/*
 * What num/K of a collective operation's record has beside other records: `members`, a line for each member of the
 * communicator; `first`, `last` and `root`, the records of who began first and last, and of the root.
 */
#pragma once

#include "src/tree/node/node-class.h"

bool xtf_collective_entry_has(const char *name);
/* The entry of a record: of the row that a span has alone, unfiltered. */
XtfNode *xtf_collective_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists those that the record has; none if it is no collective operation's. */
bool xtf_collective_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);
