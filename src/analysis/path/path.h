/*
 * Finds and writes the critical path of a trace: the rows of `critical`, and the rows of `activity`, which users
 * compare with it.
 *
 * The points of a trace have all its waits (waits/points.h). A forward pass over them computes `activity`, and keeps
 * the waits that move the path (moves.h). The walk goes backward over these waits (critical-path.h). Then a forward
 * pass over the segments reads the calls in each. For n processes it reads about an n-th of all calls. All cores share
 * this pass by locations; one thread does the rest.
 *
 * In a job each rank does the first pass for its locations. Rank 0 gets the waits that move the path, and does the
 * rest: a path is far shorter than the trace.
 *
 * Memory: a block of points, buffers of segments and rows, and the times of one location a core by call path.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/points.h"
#include "src/world/world.h"

typedef struct {
    uint64_t segments;
    uint64_t length;  /* ticks from MPI_Init to MPI_Finalize: the sum of all segments */
    bool finalized;   /* a location has called MPI_Finalize; false: the path ends at the last record of all */
    uint64_t circles; /* waits that caused each other: a sign of wrong clocks */
} XtfPathCounts;

typedef struct XtfCritical XtfCritical;

/* Finds the segments of the path, its rows and the rows of `activity`, in steps of progress (steps.h). Borrows the
 * points. A trace without records has no path. In a job (`world`) all ranks call the function, each with the points of
 * its own locations, and rank 0 with the bounds of all. Only rank 0 gets *counts. */
XtfCritical *xtf_critical_find(const XtfPoints *points, XtfWorld *world, XtfSteps *steps, XtfPathCounts *counts,
                               GError **error);
void xtf_critical_free(XtfCritical *critical); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfCritical, xtf_critical_free)
/* Writes the rows of `critical` and `activity`. To be called once. In a job rank 0 has all rows of `critical`, and each
 * rank the activity of its own locations. */
bool xtf_critical_write(XtfCritical *critical, XtfWriter *writer, XtfSteps *steps, GError **error);
