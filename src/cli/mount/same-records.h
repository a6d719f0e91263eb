/* Comparing the records of two snapshots of a file. */
#pragma once

#include <stdbool.h>

#include "libxtf/handles.h"

/* True if `later` has the same records and clocks as `earlier`, and at least as many rows of its tables. `later` is of
 * a later commit of the same file, or has a companion. As commits only add rows, equal counts mean equal records. */
bool xtf_same_records(XtfTrace *earlier, XtfTrace *later);

/* True if the trace has rows of an analysis. */
bool xtf_has_derived(const XtfTrace *trace);
