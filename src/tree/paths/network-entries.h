/*
 * What selections of a measured network have beside others: statistics as directories (`median`),
 * `pair/SENDER/RECEIVER`, and files about matrices and curves.
 *
 * Directories are not listed, since each record would be below them once more.
 */
#pragma once

#include "src/tree/node/node-class.h"

/* Whether a name means something in some selection of a network. */
bool xtf_network_entry_has(const char *name);
/* The entry of a selection; *found is false if there is none of that name. */
XtfNode *xtf_network_entry_new(XtfNode *directory, const char *name, bool *found, GError **error);
void xtf_network_entries_list(XtfNode *directory, XtfLister *lister);
