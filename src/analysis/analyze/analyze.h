/*
 * The analysis of waits as a whole: the forward pass, and what is found going back; rows of all derived types.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/analysis/causes/causes.h"
#include "src/analysis/path/path.h"
#include "src/analysis/waits/find.h"

typedef struct {
    atomic_bool *cancel; /* true: stop, with XTF_ERROR_CANCELLED; may be NULL */
    /* Now and then, by any thread: what is done at the moment, how far that is, and all of it; a total of 0 is not
     * known. May be NULL. */
    void (*progress)(const char *step, uint64_t done, uint64_t total, void *data);
    void *progress_data;
} XtfAnalyzeOptions;

typedef struct {
    XtfFound found;
    XtfCausesCounts causes;
    XtfPathCounts path;
    uint64_t ideal; /* ticks that the run takes on the ideal network */
} XtfAnalyzeReport;

/*
 * Analyses a trace, and writes derived rows and the tables that belong to them by a writer, which is of the trace's
 * file, or of a copy of it. What an earlier analysis wrote is replaced. Nothing is committed. The machine's cores share
 * the work.
 */
bool xtf_analyze(XtfTrace *trace, XtfWriter *writer, const char *tool, const XtfAnalyzeOptions *options,
                 XtfAnalyzeReport *report, GError **error);
