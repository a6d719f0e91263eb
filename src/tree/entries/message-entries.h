/*
 * What num/K of a send or a receive has beside other records: `match`, the record at the other end of the message, and
 * `message`, both ends together.
 */
#pragma once

#include "src/tree/node/node-class.h"

bool xtf_message_entry_has(const char *name);
/* The entry of a record: of the row that a span has alone, unfiltered. */
XtfNode *xtf_message_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists those that the record has. */
bool xtf_message_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);
