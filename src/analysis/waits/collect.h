/*
 * Turns raw points into points: sorted, with their call paths and the time by call path between them. Worker threads
 * walk over the calls of each location.
 */
#pragma once

#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/raw-points.h"

/* Collects the points, as one step. Takes over the operations of `raw`, which the caller may free then. Borrows the
 * replay, whose call paths the caller numbers afterwards. In a job, only this rank's locations have points. */
XtfPoints *xtf_points_collect(XtfReplay *replay, XtfRawPoints *raw, XtfSteps *steps, GError **error);
