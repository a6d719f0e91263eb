/*
 * Correcting the clocks of nodes while parts are merged, by the readings of the recorder.
 */
#pragma once

#include "src/analysis/align/node-clocks.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/progress.h"

/* The data of a merge that shows progress and corrects clocks. */
typedef struct {
    XtfBytesProgress progress; /* first, so that xtf_progress_bytes() finds it */
    XtfNodeClocks clocks;
} XtfClockedMerge;

/* Reads the clocks of the parts that a merge will join. Skips parts that cannot be read, which the merge reports. */
void xtf_cli_read_clocks(const char *const *paths, size_t n, XtfNodeClocks *clocks);
/* Returns the clock map of a location, for a merge whose data is an XtfClockedMerge. */
const XtfClockMap *xtf_cli_clock_of(uint64_t location, void *merge);
/* Returns sentences without periods: faults of clocks, and how exact the readings are. The caller unrefs the array. */
GPtrArray *xtf_cli_sum_up_clocks(const XtfNodeClocks *clocks);
