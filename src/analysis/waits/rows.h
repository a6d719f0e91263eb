/*
 * Writes the rows of `waits` and `contexts` of points.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/find.h"

/* Writes the table of call paths, and the waits of all locations by all cores. Counts the waits in `found`. Takes one
 * step of `steps`. */
bool xtf_waits_write(const XtfPoints *points, XtfWriter *writer, XtfSteps *steps, XtfFound *found, GError **error);
