/*
 * The data of a monitor: the state of each process at the end of its trace.
 *
 * They come from the tables `monitor` and `waiting` and, while the run goes, from `last/10s/monitor`.
 */
#pragma once

#include "src/cli/play/screen.h"
#include "src/cli/watch/waits-report.h"

/* The colour of a process, the worst one first. The table `monitor` has the rule (docs/TREE.md). */
typedef enum {
    XTF_WATCHED_WAITING,       /* red */
    XTF_WATCHED_COMMUNICATING, /* yellow: in a call of a library */
    XTF_WATCHED_SILENT,        /* grey: before its first record, after its last, or not recorded */
    XTF_WATCHED_COMPUTING,     /* green */
    XTF_N_WATCHED_COLOURS,
} XtfWatchedColour;

extern const char *const xtf_watched_colour_names[XTF_N_WATCHED_COLOURS]; /* "red", "yellow", ... */
extern const char *const xtf_watched_colour_words[XTF_N_WATCHED_COLOURS]; /* "waiting", "communicating", ... */

typedef struct {
    uint64_t proc;
    guint line; /* its line in `monitor` */
    XtfWatchedColour colour;
    double for_seconds; /* time since it entered its call; 0: it is in no call */
} XtfWatchedProcess;

typedef struct {
    XtfTree *tree;          /* borrowed */
    double seconds;         /* time of the run up to which the trace is shown */
    XtfValueTable *monitor; /* NULL: the trace has no processes yet */
    XtfValueTable *recent;  /* `monitor` of the last ten seconds; NULL: the run has ended */
    XtfWaitsReport waits;
    GArray *processes; /* XtfWatchedProcess, by process */
    guint n_by_colour[XTF_N_WATCHED_COLOURS];
} XtfWatchedRun;

/* Reads the state of a run. */
bool xtf_watched_run_init(XtfWatchedRun *run, XtfTree *tree, GError **error);
void xtf_watched_run_finish(XtfWatchedRun *run); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfWatchedRun, xtf_watched_run_finish)

static inline const XtfWatchedProcess *xtf_watched_process(const XtfWatchedRun *run, guint i)
{
    return &g_array_index(run->processes, XtfWatchedProcess, i);
}

/* Returns the indices of all processes, the worst colour first. The waiting ones are ordered by the time in their call,
 * the longest first, all others by number. The caller frees the array. */
guint *xtf_watched_run_order(const XtfWatchedRun *run);
/* Returns the sentence on the call of a process: "in MPI_Recv, called by get(solver.c:7), for 2.5 s", or
 * "in no call". If it computes: its last call of MPI, and how long ago it ended. The caller frees it. */
char *xtf_watched_call(const XtfWatchedRun *run, const XtfWatchedProcess *process);
/* Appends the state of the whole run as an object of JSON. */
void xtf_watched_run_json(const XtfWatchedRun *run, GString *out);
