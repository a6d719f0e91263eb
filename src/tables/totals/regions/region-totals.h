/*
 * Totals of each region, of all locations of a selection together: what profile shows, before sorting.
 */
#pragma once

#include "src/tables/totals/regions/region-times.h"

typedef struct {
    uint64_t line, calls;                   /* a line of XtfRegions */
    unsigned __int128 inclusive, exclusive; /* ticks; of all locations together they may need more than 64 bits */
} XtfRegionTotal;

typedef struct {
    XtfRegionTimes times;    /* times.regions has the lines */
    XtfRegionTotal *all;     /* by line */
    uint64_t n;              /* xtf_regions_n_lines() */
    unsigned __int128 whole; /* ticks that are 100%: the locations' parts of the window, added up */
} XtfRegionTotals;

/* Borrows the selection, for which xtf_region_times_exist(). */
bool xtf_region_totals_load(XtfRegionTotals *totals, XtfFormats *formats, const XtfSelection *selection,
                            GError **error);
void xtf_region_totals_finish(XtfRegionTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionTotals, xtf_region_totals_finish)
