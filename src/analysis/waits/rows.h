/*
 * Writes the rows of `waits` and `contexts` of points.
 */
#pragma once

#include "src/analysis/rows/row-sink.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/find.h"

/* Writes the table of call paths, and the waits of all locations. Counts the waits in `found`. Takes one step of
 * `steps`. In a job each rank passes the points of its own locations, and gets the counts of all. */
bool xtf_waits_write(const XtfPoints *points, const XtfRowTarget *target, XtfSteps *steps, XtfFound *found,
                     GError **error);
