/*
 * From points as they were found to points as they are read: sorted, with their call paths, and the time by call path
 * between them. A walk over the calls of each location, by all cores.
 */
#pragma once

#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/raw-points.h"

/* One step. Takes over what the raw points found, which may be freed then. Borrows the replay. */
XtfPoints *xtf_points_collect(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error);
