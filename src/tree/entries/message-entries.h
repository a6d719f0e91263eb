/*
 * Entries that only the directory num/K of a send or a receive has. `match` is the record at the other end of the
 * message. `message` shows both ends.
 */
#pragma once

#include "src/tree/node/node-class.h"

bool xtf_message_entry_has(const char *name);
/* Makes the entry `name` of a record. `span` holds only the record's row, without a filter. */
XtfNode *xtf_message_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists the entries that the record has. */
bool xtf_message_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);
