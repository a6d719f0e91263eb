/*
 * Writes the rows of `waits` and `contexts` of points.
 */
#pragma once

#include "src/analysis/rows/row-sink.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/find.h"
#include "src/world/world.h"

/* Writes the table of call paths. */
bool xtf_waits_write_callpaths(const XtfPoints *points, XtfWriter *writer, GError **error);
/* Writes the waits of all locations. Counts the waits in `found`. Takes one step of `steps`. */
bool xtf_waits_write(const XtfPoints *points, XtfWriter *writer, XtfSteps *steps, XtfFound *found, GError **error);
/* Adds up the counts of the waits that the ranks of a job have written. Collective. */
void xtf_waits_join(XtfWorld *world, XtfFound *found);
