/*
 * Exclusive time of regions without the cost of the probes: the content of local/profile, before sorting.
 *
 * Costs come from the property `probes` of the trace, else from its recorder. A compensated trace has none left. Only
 * counts and sums of the index are read, no records. An ENTER costs its own region, a record of another type the region
 * in which it happened. A LEAVE costs the caller. Counts do not say who that is, so LEAVEs have a sum of their own.
 */
#pragma once

#include "src/analysis/compensate/probes.h"
#include "src/tables/totals/regions/region-times.h"

typedef struct {
    uint64_t line, calls; /* a line of XtfRegions */
    unsigned __int128 exclusive;
    unsigned __int128 probes; /* ticks; set by xtf_local_totals_load() from parts of a tick */
} XtfLocalTotal;

typedef struct {
    XtfRegionTimes times; /* times.regions has the lines */
    XtfLocalTotal *all;   /* by line */
    uint64_t n;
    uint64_t leaves; /* LEAVEs of all listed lines, and their cost in ticks */
    unsigned __int128 leave_cost;
    unsigned __int128 whole; /* ticks that are 100%, as in region-totals.h */
} XtfLocalTotals;

/* Loads the totals of a selection for which xtf_region_times_exist(). Borrows the selection. XTF_ERROR_NOT_FOUND if the
 * trace does not say what probes cost. */
bool xtf_local_totals_load(XtfLocalTotals *totals, XtfFormats *formats, const XtfSelection *selection, GError **error);
void xtf_local_totals_finish(XtfLocalTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocalTotals, xtf_local_totals_finish)
