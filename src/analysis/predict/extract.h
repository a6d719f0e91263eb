/*
 * From a trace to a program (program.h), by one run of a replay. The same run collects the estimate of the network.
 */
#pragma once

#include "src/analysis/predict/estimate.h"
#include "src/analysis/predict/program.h"

typedef struct {
    XtfReplayCounts counts;
    uint64_t backward; /* messages that were received before they were sent */
    XtfEstimate estimate;
} XtfExtraction;

/* Makes the program of a replay, which must have calls and times that are global. */
XtfRunProgram *xtf_extract(XtfReplay *replay, XtfExtraction *extraction, GError **error);
