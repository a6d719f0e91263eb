/*
 * Analysing a trace, and choosing where the analysis goes: into the trace, or into a companion (companion.h).
 */
#pragma once

#include "src/analysis/analyze/analyze.h"

typedef struct {
    XtfTrace *trace;
    const char *source, *path; /* name that the user gave, and the .xtf file that it is, or was imported to */
    const char *output;        /* companion to write, or a folder for it; NULL: the default place */
    bool imported;             /* `path` is the import of an archive: the output is a copy of it with the analysis */
    bool force;                /* replace any other file at the output, too */
    bool quiet;                /* no progress bar, no remarks */
    XtfWorld *world;           /* the ranks that analyse the trace together; NULL: this process alone */
} XtfAnalysisJob;

/* Analyses the trace. Without an `output` the analysis goes into the trace, or beside a merged file or an anchor. The
 * import of an archive may be removed, so the output is a copy of it. For a trace in several files it is a copy, too,
 * unless it is a place of a companion. Refuses a copy of a trace whose first volumes were removed. Until all is done
 * the file stays unchanged. Refuses a companion, and a trace in several files without an anchor and output. Signals
 * cancel. In a job rank 0 writes the analysis; if a rank fails, one rank gets the error. */
bool xtf_cli_write_analysis(const XtfAnalysisJob *job, XtfAnalyzeReport *report, GError **error);
