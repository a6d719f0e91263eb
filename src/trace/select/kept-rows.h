/*
 * Rows from the kept time of a trace on (libxtf/trace.h). Totals count the rows before it, too, though they may be in
 * volumes that were removed.
 */
#pragma once

#include "libxtf/aggregates.h"
#include "libxtf/group-filter.h"

/* Counts the rows of a group before the kept time. 0 at no cost in a trace that lacks no volume. */
bool xtf_kept_rank(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t *k, GError **error);
/* Finds the row of a group with k of its rows before it; n_rows if there is none from the kept time on. */
bool xtf_kept_select(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, uint64_t k, uint64_t *n,
                     GError **error);
