/*
 * Analysing a trace, and where its analysis goes: into the trace, or into a file of its own (companion.h).
 */
#pragma once

#include "src/analysis/analyze/analyze.h"

typedef struct {
    XtfTrace *trace;
    const char *source, *path; /* what the user named, and the .xtf file that it is, or was imported to */
    const char *output;        /* the companion to write, or a folder for it; NULL: what is usual for the trace */
    bool imported;             /* `path` is the import of an archive: the output is a copy of it, with its analysis */
    bool force;                /* replace any other file there, too */
    bool quiet;                /* no progress, no remarks */
} XtfAnalysisJob;

/* Analyses the trace. Without an `output` its analysis goes into it; that of a merged file, to which nothing is added,
 * beside it. Of an archive, whose import others may remove, the output is a trace of its own. Until all is done the
 * file is as it was. Refuses traces that lie in several files: what an analysis belongs to is one .xtf file, with all
 * its rows. Signals cancel. */
bool xtf_cli_write_analysis(const XtfAnalysisJob *job, XtfAnalyzeReport *report, GError **error);
