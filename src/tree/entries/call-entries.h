/*
 * What num/K of a call has beside other records: `leave`, its LEAVE; `parent`, the call around it; `inside`, all calls
 * that were made in it; and `children`, a line for each call that was made right in it.
 */
#pragma once

#include "src/tree/node/node-class.h"

bool xtf_call_entry_has(const char *name);
/* The entry of a call: of the row that a span has alone, unfiltered. */
XtfNode *xtf_call_entry_new(XtfNode *directory, const XtfSpan *span, const char *name, GError **error);
/* Lists those that the call has. */
bool xtf_call_entries_list(XtfNode *directory, const XtfSpan *span, XtfLister *lister, GError **error);

/* The shortest path from a directory to record n of a type of a location: proc/P/thread/T/TYPE/num/N; without a type to
 * the location, proc/P/thread/T. *path is NULL if two locations share the numbers P and T. `location` is an index in
 * XtfLocations. */
bool xtf_location_path(XtfNode *directory, uint32_t location, const char *type, uint64_t n, char **path,
                       GError **error);
