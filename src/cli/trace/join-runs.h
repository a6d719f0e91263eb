/*
 * Joining the traces of runs of one job, one after another in time (libxtf/runs.h).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "libxtf/runs.h"
#include "src/cli/ui/progress.h"

typedef struct {
    XtfBytesProgress progress;
    bool incomplete; /* leave out damaged parts of folders */
    bool quiet;      /* no remarks on parts */
    bool in_place;   /* write an anchor, and copy no rows */
} XtfJoinRunsOptions;

typedef struct {
    size_t n_runs;    /* a run that was joined before counts as the runs that it has */
    uint64_t renamed; /* locations that have another name in a later run; the whole has the first */
} XtfJoinRunsReport;

/* Writes the trace of the runs `names`, .xtf files or folders of parts, in any order, NULL-terminated. The output gets
 * its name when it is complete. XTF_ERROR_INVALID as xtf_runs_sort() and xtf_join_runs(), or if a location is of
 * different processes. */
bool xtf_cli_join_runs(const char *output, char **names, const XtfJoinRunsOptions *options, XtfJoinRunsReport *report,
                       GError **error);
