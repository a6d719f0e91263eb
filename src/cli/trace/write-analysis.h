/*
 * Analysing a trace, and where its analysis goes: into the trace, or into a file of its own (companion.h).
 */
#pragma once

#include "src/analysis/analyze/analyze.h"

typedef struct {
    XtfTrace *trace;
    const char *source, *path; /* what the user named, and the .xtf file that it is, or was imported to */
    const char *output;        /* the companion to write, or a folder for it; NULL: what is usual for the trace */
    bool force;                /* replace any other file there, too */
    bool quiet;                /* no progress, no remarks */
} XtfAnalysisJob;

/* Analyses the trace. Without an `output` its analysis goes into it; that of a merged file, to which nothing is added,
 * beside it. Until all is done the file is as it was. Refuses traces that lie in several files: what an analysis
 * belongs to is one .xtf file, with all its rows. Signals cancel. */
bool xtf_cli_write_analysis(const XtfAnalysisJob *job, XtfAnalyzeReport *report, GError **error);
