/*
 * Writes the critical path of a trace: the rows of `critical`, and the rows of `activity`, which users compare with it.
 *
 * The points of a trace have all its waits (waits/points.h). The walk goes backward over them (critical-path.h). Then a
 * forward pass over the segments reads the calls in each, for one location at a time. For n processes it reads about an
 * n-th of all calls. `activity` is computed from the times of the points.
 *
 * One thread does all of it. Memory: a block of points, a block of segments, and the times of one location by call
 * path.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/points.h"

typedef struct {
    uint64_t segments;
    uint64_t length;  /* ticks from MPI_Init to MPI_Finalize: the sum of all segments */
    bool finalized;   /* a location has called MPI_Finalize; false: the path ends at the last record of all */
    uint64_t circles; /* waits that caused each other: a sign of wrong clocks */
} XtfPathCounts;

/* Writes the rows, in several steps of progress (steps.h). A trace without records has no path. */
bool xtf_critical_write(const XtfPoints *points, XtfWriter *writer, XtfSteps *steps, XtfPathCounts *counts,
                        GError **error);
