/* Whether two snapshots of a file are of the same records. */
#pragma once

#include <stdbool.h>

#include "libxtf/handles.h"

/* Whether `later`, of a later commit of the same file or with a companion, has the records and clocks of `earlier`, and
 * as many rows of its tables at least. Commits only add rows: so the records are the same. */
bool xtf_same_records(XtfTrace *earlier, XtfTrace *later);

/* Whether the trace has rows of an analysis. */
bool xtf_has_derived(const XtfTrace *trace);
