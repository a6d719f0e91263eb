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
    XtfPaged results; /* XtfPointResult, by number; nothing until one is put */
    uint32_t n_put;   /* since they rested */
    XtfOperations operations;
    XtfCallpathLog *callpaths; /* the replay's */
};
