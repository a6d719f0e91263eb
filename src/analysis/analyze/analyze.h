/*
 * The whole analysis of waits: the forward pass, then the backward passes. It writes the rows of all derived types.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/causes/causes.h"
#include "src/analysis/path/path.h"
#include "src/analysis/waits/find.h"

typedef struct {
    XtfWorld *world;     /* the ranks that analyse the trace together; NULL: this process alone */
    atomic_bool *cancel; /* set to true by any thread to stop with XTF_ERROR_CANCELLED; may be NULL */
    /* Called from time to time, by any thread, with the step, its progress and its total. A total of 0 is not known.
     * May be NULL. */
    void (*progress)(const char *step, uint64_t done, uint64_t total, void *data);
    void *progress_data;
} XtfAnalyzeOptions;

typedef struct {
    XtfFound found;
    XtfCausesCounts causes;
    XtfPathCounts path;
    uint64_t ideal;  /* length of the run on the ideal network, in ticks */
    uint32_t levels; /* levels of call paths that the analysis has; 0: all */
    uint32_t roots;  /* outermost functions that the analysis has; 0: all */
} XtfAnalyzeReport;

/*
 * Analyses a trace. Writes derived rows and their tables by a writer of the trace's file, or of a copy of it. The new
 * rows replace the rows of an earlier analysis. Commits nothing. All cores share the work.
 *
 * In a job all ranks call the function. Rank 0 alone has a writer, and gets the report; the others pass NULL. They
 * keep their rows in temporary files until rank 0 gets them. A rank that fails returns false without an error if
 * another rank reports one. The caller then calls xtf_world_have_succeeded().
 */
bool xtf_analyze(XtfTrace *trace, XtfWriter *writer, const char *tool, const XtfAnalyzeOptions *options,
                 XtfAnalyzeReport *report, GError **error);
