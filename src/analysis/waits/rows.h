/*
 * Rows of `waits` and `contexts` out of points.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/find.h"

/* Writes the table of call paths, and the waits of all locations by all cores; counts them in `found`.
 * One step. */
bool xtf_waits_write(const XtfPoints *points, XtfWriter *writer, XtfSteps *steps, XtfFound *found, GError **error);
