#pragma once

#include "src/analysis/waits/contexts.h"
#include "src/analysis/waits/operations.h"
#include "src/analysis/waits/points.h"
#include "src/analysis/waits/spool.h"

struct XtfPoints {
    XtfReplay *replay; /* borrowed */
    XtfPointLocation *locations;
    uint32_t n_locations;
    uint64_t n;
    XtfSpool points, times, results;
    XtfOperations operations;
    XtfContexts contexts;
};
