/*
 * The times of a trace without the cost of recording it: docs/COMPENSATE.md.
 *
 * A walk over the records of each location, by all cores, shortens the sections between records by the costs of the
 * probes (walk.h). Then waits are computed anew (retime.h). Temporary files hold some 10 bytes for each record that
 * communicates, beside the files of the replay. A location takes 1 KB of memory.
 *
 * One thread uses a compensation.
 */
#pragma once

#include "src/analysis/compensate/new-times.h"
#include "src/analysis/compensate/retime.h"

typedef struct {
    /* Texts (probes.h), NULL-terminated; NULL: the property `probes`, else the recorder's costs. */
    const char *const *probes;
    bool keep_flushes; /* true: the time of buffer flushes stays */
} XtfCompensateOptions;

/* The effect of the compensation on a process. */
typedef struct {
    uint64_t proc;
    uint64_t removed;      /* ticks of all probes of its locations */
    uint64_t end, new_end; /* times of its last record */
} XtfCompensatedProcess;

typedef struct {
    uint64_t n_records, n_sections, n_clamped, removed;
    uint64_t length, new_length;                 /* ticks from the trace's first record to its last one */
    uint64_t thread_locations, window_locations; /* locations with records of kinds of waits that stay as recorded */
    XtfReplayCounts counts;
    XtfRetimeCounts retime;
    GArray *processes; /* XtfCompensatedProcess, by number */
    char *probes;      /* the costs, as texts */
    bool recorded;     /* true: the recorder measured them */
} XtfCompensationReport;

typedef struct XtfCompensation XtfCompensation;

/* Computes the times. Borrows the trace. XTF_ERROR_NOT_FOUND if neither the options nor the trace have costs.
 * XTF_ERROR_UNSUPPORTED for joined runs, traces without their first volumes, compensated ones, and clocks of bytes. */
XtfCompensation *xtf_compensate(XtfTrace *trace, const XtfCompensateOptions *options, XtfSteps *steps, GError **error);
void xtf_compensation_free(XtfCompensation *compensation); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfCompensation, xtf_compensation_free)
const XtfCompensationReport *xtf_compensation_report(const XtfCompensation *compensation);
/* Returns the new times of all records, which borrow the compensation. */
XtfNewTimes xtf_compensation_times(const XtfCompensation *compensation);
