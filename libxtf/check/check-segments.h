/*
 * Checking what a catalog says of segments: where they lie, and how their numbers become those of the file.
 */
#pragma once

#include "libxtf/tree/trace-private.h"

typedef void (*XtfSegmentProblem)(const char *message, void *data);

void xtf_check_segments(XtfTrace *trace, XtfSegmentProblem problem, void *data);
