/*
 * Entries that only the directory num/K of a collective operation's record has. `members` has a line for each member of
 * the communicator. `first`, `last` and `root` are the records of the first and last member to begin, and of the root.
 */
#pragma once

#include "src/tree/node/node-class.h"

bool xtf_collective_entry_has(const char *name);
/* Makes the entry `name` of a record. `span` holds only the record's row, without a filter. */
XtfNode *xtf_collective_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists the entries that the record has: none unless it is part of a collective operation. */
bool xtf_collective_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);
