/*
 * One measured run of a scaling study: the times and calls of each region in a selection of its trace.
 *
 * A process's time in a region is the exclusive time, summed over its CPU threads. A process that was recorded for a
 * shorter time than the others is left out (recorded-procs.h).
 */
#pragma once

#include "src/tree/diff/pair-regions.h"
#include "src/tree/node/node-class.h"

/* Lines behind the lines of regions. */
typedef enum {
    XTF_SCALING_UNMATCHED, /* time before LEAVEs without an ENTER */
    XTF_SCALING_UNKNOWN,   /* calls of undefined regions */
    XTF_SCALING_OUTSIDE,   /* time outside of all regions */
    XTF_SCALING_N_OTHERS,
} XtfScalingOther;

typedef struct {
    double slowest; /* seconds of the process with most time in the region */
    double mean;    /* seconds; mean over all processes */
    double calls;   /* sum over all processes */
} XtfScalingAmounts;

typedef struct {
    uint64_t processes;
    double time;   /* seconds of the window; if region/ or class/ selects, mean time in these regions */
    double useful; /* seconds outside of MPI and other libraries; mean over all processes */
    XtfRegionTexts texts;
    uint8_t *classes;           /* XtfRegionClass, by line */
    XtfScalingAmounts *amounts; /* by line: of texts.n regions, then of XtfScalingOther */
    XtfScalingAmounts by_class[XTF_N_CLASSES];
} XtfScalingRun;

/* Measures a directory of records: the root of a tree, or time/10%-90%. XTF_ERROR_NOT_FOUND if it is another node, or
 * has no calls. The cost is that of the table imbalance. */
bool xtf_scaling_run_load(XtfScalingRun *run, XtfNode *directory, GError **error);
void xtf_scaling_run_finish(XtfScalingRun *run); /* all zeros is fine */

static inline uint64_t xtf_scaling_run_n_lines(const XtfScalingRun *run)
{
    return run->texts.n + XTF_SCALING_N_OTHERS;
}
