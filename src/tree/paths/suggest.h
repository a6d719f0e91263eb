/*
 * What may have been meant by a name that a directory does not have. For commands: a mount is asked for names that are
 * not there all the time, and a suggestion takes a listing.
 */
#pragma once

#include "src/tree/node/node-class.h"

/* A name of the directory, or a path from there; NULL: nothing is near. The caller frees it. */
char *xtf_suggest(XtfNode *directory, const char *name);
