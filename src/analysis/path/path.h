/*
 * The critical path of a trace, written: the rows of `critical`, and those of `activity`, with which it is compared.
 *
 * All waits are known by their points (waits/points.h). The path is walked backward over them (critical-path.h); then
 * its segments are gone through forward, and what each did is read from the calls in it: one location's calls at a
 * time, so that of n processes about the n-th part of all calls is read. `activity` comes from the times that the
 * points have.
 *
 * One thread. Memory: a block of points, of segments, and the times of one location by call path.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/steps/steps.h"
#include "src/analysis/waits/points.h"

typedef struct {
    uint64_t segments;
    uint64_t length;  /* ticks, from MPI_Init to MPI_Finalize: those of all segments together */
    bool finalized;   /* a location has called MPI_Finalize; else the path ends with the last record of all */
    uint64_t circles; /* waits that caused each other: a sign of clocks that are wrong */
} XtfPathCounts;

/* Writes the rows, in several steps. A trace without records has no path. */
bool xtf_critical_write(const XtfPoints *points, XtfWriter *writer, XtfSteps *steps, XtfPathCounts *counts,
                        GError **error);
