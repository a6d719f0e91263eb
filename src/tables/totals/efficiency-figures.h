/*
 * Efficiencies as defined by the POP centre of excellence: the fraction of a window in which processes compute, and the
 * causes of the loss.
 *
 *     parallel efficiency = mean useful / width = load balance * communication efficiency
 *     load balance = mean useful / max useful, communication efficiency = max useful / width
 *
 * A thread's part of the window is bounded by its first and its last record. Its useful time is this part less the
 * exclusive time of regions whose class is not useful. So time outside of all regions is useful: many traces have only
 * MPI's regions. But in a trace with OpenMP, threads other than the first of their process are idle while they are in
 * no region. A process's useful time is the mean over its threads. Threads without calls, and locations that are not
 * CPU threads, do not count.
 *
 * With OpenMP, a process's time outside of MPI is that of its first thread, and
 *
 *     MPI's parallel efficiency = mean outside / width = its load balance * its communication efficiency
 *     OpenMP's parallel efficiency = parallel efficiency / MPI's
 *
 * The loss in communication has two causes, waiting and the network:
 *
 *     communication efficiency = serialization * transfer,
 *     serialization = max useful / the least time that the window would take, transfer = the least time / width
 *
 * The least time is computed in two ways:
 * - By the waits that an analysis found. A process's time is reduced by its data transfer: its time in MPI without
 * waits and files. The process with the most time left counts. Cube's advisor defines the time so, without a
 * simulation, as metrics transfer_time_mpi and max_total_time_ideal.
 * - By the ideal run, in which the network takes no time. The time outside of MPI is added to the waits of that run.
 * The process with the greatest sum counts. Dimemas defines the time so.
 *
 * Both use the first thread of each process. So does the time in MPI that no wait explains, summed over all processes,
 * without MPI_Init, MPI_Finalize and files.
 */
#pragma once

#include "src/tables/format/format.h"
#include "src/trace/context/region-classes.h"

/* The text before the window of the focus, in the rows of `efficiency`: column `how` of line `window`. */
#define XTF_EFFICIENCY_FOCUS "focus: "

/* Sum and maximum, over `n` processes, of one time of each process, in ticks. */
typedef struct {
    double sum, max;
    uint64_t max_proc; /* first process with the maximum */
    uint32_t n;
} XtfEfficiencySpread;

typedef struct {
    uint64_t from, to; /* the window, clipped to the trace */
    uint64_t gaps; /* ticks of the window between runs, or in which no process was recorded: not part of its width */
    XtfEfficiencySpread useful, outside;
    XtfEfficiencySpread untransferred, ideal; /* time without data transfer, and in the ideal run; n 0: no analysis */
    double communication, unexplained;        /* with an analysis: ticks in communication; the part in no wait */
} XtfEfficiency;

/* True if the selection has efficiencies. */
bool xtf_efficiency_exists(const XtfTraceContext *context, const XtfSelection *selection);
bool xtf_efficiency_measure(XtfFormats *formats, const XtfSelection *selection, XtfEfficiency *measured,
                            GError **error);
/* Measures the efficiencies from the end of the last MPI_Init to the first MPI_Finalize. *exists is false if the
 * selection has none. */
bool xtf_efficiency_measure_focus(XtfResolver *resolver, XtfFormats *formats, const XtfSelection *selection,
                                  bool *exists, XtfEfficiency *measured, GError **error);
/* True if the trace has regions of OpenMP, or, for the second function, of communication. */
bool xtf_efficiency_has_omp(const XtfRegionClasses *classes);
bool xtf_efficiency_has_communication(const XtfRegionClasses *classes);

typedef enum {
    XTF_MEAN_TO_WIDTH,
    XTF_MEAN_TO_MAX,
    XTF_MAX_TO_WIDTH,
    XTF_USEFUL_TO_MEAN,
    XTF_USEFUL_TO_MAX,        /* ratio of the greatest useful time to the spread's maximum */
    XTF_UNEXPLAINED_TO_WHOLE, /* `unexplained` to `communication`; the spread only shows that there is an analysis */
} XtfEfficiencyFigure;

/* Computes a figure of one spread of `measured` as *part / *whole; unknown if *whole is 0. */
void xtf_efficiency_ratio(const XtfEfficiency *measured, XtfEfficiencyFigure figure, const XtfEfficiencySpread *spread,
                          double *part, double *whole);
