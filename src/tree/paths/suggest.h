/*
 * Suggestions for a name that a directory does not have. Only commands use them. A mount often gets lookups of missing
 * names, and a suggestion costs a listing.
 */
#pragma once

#include "src/tree/node/node-class.h"

/* Returns a similar name of the directory, or a path from it. NULL: no name is similar. The caller frees the result. */
char *xtf_suggest(XtfNode *directory, const char *name);
