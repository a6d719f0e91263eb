/*
 * Time by region of a selection, location by location: what profile and imbalance have in common.
 */
#pragma once

#include "src/query/views/region-lines.h"
#include "src/query/views/selected-locations.h"

typedef struct {
    XtfTraceContext *context;      /* borrowed */
    const XtfSelection *selection; /* borrowed */
    const XtfLocations *locations; /* borrowed */
    XtfAggregateRef frames;
    XtfRegions regions;
    XtfLocationArrays holding;
    XtfGroupTotals *totals; /* of the location that was measured last, by region */
} XtfRegionTimes;

bool xtf_region_times_init(XtfRegionTimes *times, XtfFormats *formats, const XtfSelection *selection, GError **error);
void xtf_region_times_finish(XtfRegionTimes *times);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRegionTimes, xtf_region_times_finish)

/* Whether the trace has sums of frames, and the selection may have calls. */
bool xtf_region_times_exist(const XtfTraceContext *context, const XtfSelection *selection);

/* Works out the totals of one location; *ticks is the width of its part of the window, 0 if it has no calls. */
bool xtf_region_times_measure(XtfRegionTimes *times, const XtfLocation *location, uint64_t *ticks, GError **error);

/* Characters of the most that the times of all locations together can be. */
size_t xtf_region_times_width(const XtfRegionTimes *times);
