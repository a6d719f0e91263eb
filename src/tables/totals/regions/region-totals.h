/*
 * Totals of each region over all locations of a selection: the content of profile, before sorting.
 */
#pragma once

#include "src/tables/totals/regions/region-times.h"

typedef struct {
    uint64_t line, calls;                   /* a line of XtfRegions */
    unsigned __int128 inclusive, exclusive; /* ticks; sums over all locations may need more than 64 bits */
} XtfRegionTotal;

typedef struct {
    XtfRegionTimes times;    /* times.regions has the lines */
    XtfRegionTotal *all;     /* by line */
    uint64_t n;              /* xtf_regions_n_lines() */
    unsigned __int128 whole; /* ticks that are 100%: the sum of the locations' parts of the window */
} XtfRegionTotals;

/* Loads the totals of a selection for which xtf_region_times_exist(). Borrows the selection. */
bool xtf_region_totals_load(XtfRegionTotals *totals, XtfFormats *formats, const XtfSelection *selection,
                            GError **error);
/* Loads the totals of each bin of a selection: fills bins->n XtfRegionTotals, which the caller finishes, also after an
 * error. Borrows the selection, and reads each location once. */
bool xtf_region_totals_load_bins(XtfRegionTotals *totals, XtfFormats *formats, const XtfTimeBins *bins, GError **error);
void xtf_region_totals_finish(XtfRegionTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionTotals, xtf_region_totals_finish)
