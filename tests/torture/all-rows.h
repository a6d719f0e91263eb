/* All rows of a trace and their texts, as one sequence of bytes, from which tests compute digests. */
#pragma once

#include "libxtf/xtf.h"

/* Receives some bytes of a trace's rows. */
typedef void (*AddBytes)(void *data, const void *bytes, size_t n);

/* Passes each array's head (location, schema, number of rows), its rows and their strings to `add`, then the rows of
 * all tables. Fails if any row or string cannot be read. */
bool all_rows_visit(XtfTrace *trace, AddBytes add, void *data, GError **error);
