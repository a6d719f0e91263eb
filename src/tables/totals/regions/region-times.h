/*
 * Time by region, location by location. The views profile and imbalance sum it up.
 */
#pragma once

#include "src/tables/totals/regions/region-lines.h"
#include "src/tables/totals/selected-locations.h"
#include "src/tables/totals/time-bins.h"

typedef struct {
    XtfTraceContext *context;      /* borrowed */
    const XtfSelection *selection; /* borrowed */
    const XtfLocations *locations; /* borrowed */
    XtfAggregateRef frames;
    XtfRegions regions;
    XtfLocationArrays arrays;
    XtfGroupTotals *groups; /* by region; of the last measured location */
    /* For calls of some sites; NULL and all zeros: for all calls. */
    const XtfSites *sites; /* borrowed */
    XtfAggregateRef by_site;
    XtfGroupTotals *site_groups;
} XtfRegionTimes;

bool xtf_region_times_init(XtfRegionTimes *region_times, XtfFormats *formats, const XtfSelection *selection,
                           GError **error);
/* Initializes times for another thread, which borrows the loaded data of `from`. */
void xtf_region_times_init_more(XtfRegionTimes *region_times, const XtfRegionTimes *from);
void xtf_region_times_finish(XtfRegionTimes *region_times);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionTimes, xtf_region_times_finish)

/* True if the trace has aggregates of frames, and the selection may have calls. */
bool xtf_region_times_exist(const XtfTraceContext *context, const XtfSelection *selection);

/* Finds the totals of one location; *ticks is its part of the window, 0 if the location has no calls. */
bool xtf_region_times_measure(XtfRegionTimes *region_times, const XtfLocation *location, uint64_t *ticks,
                              GError **error);

/* Takes the totals of a location in bin `bin`: region_times->groups, and the ticks as xtf_region_times_measure() gives
 * them. */
typedef bool (*XtfRegionBinVisitor)(XtfRegionTimes *region_times, uint64_t bin, uint64_t ticks, void *data,
                                    GError **error);

/* Visits the totals of one location in each bin of the selection's window, in ascending order. Several bins are one
 * pass over the location's calls (libxtf/slices.h). */
bool xtf_region_times_visit(XtfRegionTimes *region_times, const XtfLocation *location, const XtfTimeBins *bins,
                            XtfRegionBinVisitor visit, void *data, GError **error);

/* Returns the greatest width in characters of a sum of times over all locations. */
size_t xtf_region_times_width(const XtfRegionTimes *region_times);
