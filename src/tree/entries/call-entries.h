/*
 * Entries that only the directory num/K of a call has. `leave` is its LEAVE, and `parent` the surrounding call.
 * `inside` leads to all calls made within it. `children` has a line for each call made directly by it.
 */
#pragma once

#include "src/tree/node/node-class.h"

bool xtf_call_entry_has(const char *name);
/* Makes the entry `name` of a call. `span` holds only the call's row, without a filter. */
XtfNode *xtf_call_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists the entries that the call has. */
bool xtf_call_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);

/* Finds the shortest path from a directory to record n of a type of a location: proc/P/thread/T/TYPE/num/N. If `type`
 * is NULL, the path leads to the location: proc/P/thread/T. *path is NULL if two locations share the numbers P and T.
 * `location` is an index in XtfLocations. */
bool xtf_location_path(XtfNode *directory, uint32_t location, const char *type, uint64_t n, char **path,
                       GError **error);
