/*
 * Entries that only selections of a measured network have: statistics as directories (`median`),
 * `pair/SENDER/RECEIVER`, and files about matrices and curves.
 *
 * Listings leave the directories out, because each record is below them again.
 */
#pragma once

#include "src/tree/node/node-class.h"

/* True if a name is an entry of some selection of a network. */
bool xtf_network_entry_has(const char *name);
/* Makes the entry `name` of a selection. *found is false if there is no such entry. */
XtfNode *xtf_network_entry_new(XtfNode *directory, const char *name, bool *found, GError **error);
void xtf_network_entries_list(XtfNode *directory, XtfLister *lister);
