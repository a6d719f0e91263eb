/*
 * From a trace to a program (program.h), by one run of a replay. The same run collects the estimate of the network.
 */
#pragma once

#include "src/analysis/predict/estimate.h"
#include "src/analysis/predict/program.h"

typedef struct {
    XtfReplayCounts counts;
    uint64_t backward;      /* messages that were received before they were sent */
    uint64_t ends;          /* ends of collective operations that need another member's begin */
    uint64_t backward_ends; /* ends before such a begin */
    XtfEstimate estimate;
} XtfExtraction;

/* Makes the program of a replay, which must have calls and times that are global. */
XtfRunProgram *xtf_extract(XtfReplay *replay, XtfExtraction *extraction, GError **error);
