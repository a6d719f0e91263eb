/*
 * Private parts of the analysis, shared by its files.
 *
 *   analyze.c         a whole trace
 *   analyze-window.c  the steps, for the records of a window
 *   analyze-runs.c    a trace of several runs
 */
#pragma once

#include "src/analysis/analyze/analyze.h"
#include "src/analysis/steps/steps.h"
#include "src/trace/context/run-gaps.h"

/* Removes the rows of an earlier analysis, and adds the derived types and the table of call paths. */
bool xtf_analyze_clear(XtfWriter *writer, GError **error);

/* Analyses the records in a window, and writes the derived rows and their call paths. Clears the writer first. In a job
 * `writer` is NULL in the ranks above 0. */
bool xtf_analyze_window(XtfTrace *trace, XtfRunWindow window, XtfWorld *world, XtfWriter *writer, XtfSteps *steps,
                        XtfAnalyzeReport *report, GError **error);

/* Analyses each run separately: no wait or path leads from one run to another. The report has the sums of all runs.
 * Clears the writer first. */
bool xtf_analyze_runs(XtfTrace *trace, const XtfRunGaps *gaps, XtfWorld *world, XtfWriter *writer, XtfSteps *steps,
                      XtfAnalyzeReport *report, GError **error);
