#pragma once

#include "src/analysis/replay/logs/callpath-log.h"
#include "src/analysis/replay/logs/spool.h"
#include "src/analysis/waits/operations.h"
#include "src/analysis/waits/points.h"
#include "src/files/paged.h"

struct XtfPoints {
    XtfReplay *replay;           /* borrowed */
    XtfPointLocation *locations; /* in `paged` */
    XtfPaged paged;
    uint32_t n_locations;
    uint64_t n;
    XtfSpool points, times;
    GMutex lock;      /* guards the allocation of `results` */
    bool any_results; /* atomic: `results` is allocated */
    XtfPaged results; /* XtfPointResult by number; empty until the first is put */
    uint32_t n_put;   /* atomic: results put since their pages were released */
    XtfOperations operations;
    XtfCallpathLog *callpaths; /* owned by the replay */
};

/* Writes n points, from number `first` on, and their times, which are in the order of the points. Until then a point's
 * `times` is an index in `times`. */
bool xtf_points_put(XtfPoints *points, uint64_t first, XtfPoint *all, uint32_t n, const XtfCallpathTicks *times,
                    uint32_t n_times, GError **error);
