/*
 * Efficiencies: how much of a window the processes computed, and what the rest was lost to, as defined by the centre of
 * excellence POP.
 *
 *     parallel efficiency = mean useful / width = load balance * communication efficiency
 *     load balance = mean useful / max useful, communication efficiency = max useful / width
 *
 * A thread's useful time is its part of the window, from its first to its last record, less the exclusive time of
 * regions whose class is not useful. So time in no region is useful: many traces have MPI's regions alone. But in a
 * trace with OpenMP, threads other than the first of their process are idle while they are in no region. A process's
 * useful time is the mean of its threads'. Threads without calls, and what is no thread of a processor, do not count.
 *
 * With OpenMP, a process's time outside of MPI is that of its first thread, and
 *
 *     MPI's parallel efficiency = mean outside / width = its load balance * its communication efficiency
 *     OpenMP's parallel efficiency = parallel efficiency / MPI's
 *
 * What communication costs comes of waiting, and of the network:
 *
 *     communication efficiency = serialization * transfer,
 *     serialization = max useful / the least time that the window would take, transfer = the least time / width
 *
 * The least time is told in two ways. By the waits that an analysis found: a process's time less what it spends on the
 * transfer of data, which is its time in MPI without waits and files, of the process that has most left (Cube's
 * advisor, metrics transfer_time_mpi and max_total_time_ideal, without a simulation). By the ideal run, in which the
 * network takes no time: the time outside of MPI and the waits of that run, of the process that takes longest (Dimemas'
 * definition). Both are about the first thread of each process. So is the time in MPI that no wait explains, of all
 * processes together, without MPI_Init, MPI_Finalize and files.
 */
#pragma once

#include "src/tables/format/format.h"
#include "src/trace/context/region-classes.h"

/* Of one time of each process. */
typedef struct {
    double sum, max;
    uint64_t max_proc; /* the first that has it */
    uint32_t n;
} XtfEfficiencySpread;

typedef struct {
    uint64_t from, to; /* the window, as far as it is in the trace */
    XtfEfficiencySpread useful, outside;
    XtfEfficiencySpread untransferred, ideal; /* the least times; n is 0: no analysis tells */
    double communication, unexplained;        /* the time in MPI; what of it is no wait, if an analysis tells */
} XtfEfficiency;

/* Whether the selection has efficiencies. */
bool xtf_efficiency_exists(const XtfTraceContext *context, const XtfSelection *selection);
bool xtf_efficiency_measure(XtfFormats *formats, const XtfSelection *selection, XtfEfficiency *measured,
                            GError **error);
/* The same between MPI's bounds. */
bool xtf_efficiency_measure_focus(XtfResolver *resolver, XtfFormats *formats, const XtfSelection *selection,
                                  bool *exists, XtfEfficiency *measured, GError **error);
/* Whether the trace has regions of OpenMP; and some in which processes communicate. */
bool xtf_efficiency_has_omp(const XtfRegionClasses *classes);
bool xtf_efficiency_has_communication(const XtfRegionClasses *classes);

typedef enum {
    XTF_MEAN_TO_WIDTH,
    XTF_MEAN_TO_MAX,
    XTF_MAX_TO_WIDTH,
    XTF_USEFUL_TO_MEAN,
    XTF_USEFUL_TO_MAX,        /* the most useful time to the maximum */
    XTF_UNEXPLAINED_TO_WHOLE, /* of communication; the spread says whether there is an analysis */
} XtfEfficiencyFigure;

/* A figure of one of the spreads of `measured` is *part / *whole; not known if *whole is 0. */
void xtf_efficiency_ratio(const XtfEfficiency *measured, XtfEfficiencyFigure figure, const XtfEfficiencySpread *spread,
                          double *part, double *whole);
