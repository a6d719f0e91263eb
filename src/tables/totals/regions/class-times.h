/*
 * Time by class of regions, of one or several locations, in a selection's window. Only this file defines which time is
 * the program's own.
 */
#pragma once

#include "src/tables/totals/regions/region-times.h"
#include "src/trace/context/region-classes.h"

typedef struct {
    unsigned __int128 ticks[XTF_N_CLASSES]; /* exclusive */
    uint64_t calls[XTF_N_CLASSES];
    unsigned __int128 before; /* time before LEAVEs without an ENTER, whose region is unknown */
    unsigned __int128 whole;  /* the part of the window between the location's first and last record */
    bool is_narrowed;         /* true if region/ selects: then the time outside of regions is not in the selection */
} XtfClassTimes;

/* Adds the times of the location that was measured last; `ticks` is its part of the window. Only regions that region/
 * selects count. */
void xtf_class_times_add(XtfClassTimes *times, const XtfRegionTimes *region_times, const XtfRegionClasses *classes,
                         uint64_t ticks);

/* Returns the sum of the exclusive times of a set of classes. */
unsigned __int128 xtf_class_times_of(const XtfClassTimes *times, XtfClassSet classes);

/* Returns the time outside of all regions. */
unsigned __int128 xtf_class_times_outside(const XtfClassTimes *times);

/* Returns the program's own time: in its own regions, in OpenMP's work, and outside of all regions. Many traces have
 * only MPI's regions, and the program runs outside of them. */
unsigned __int128 xtf_class_times_program(const XtfClassTimes *times);

/* The locations of a selection to measure. */
typedef enum {
    XTF_TIMES_OF_ALL,
    XTF_TIMES_OF_THREADS, /* CPU threads: neither streams of accelerators nor locations of metrics */
    XTF_TIMES_OF_DEVICES, /* all locations that are not CPU threads */
} XtfTimesOf;

/* Sums the times of a selection's locations. The caller zeroes `times`. */
bool xtf_class_times_measure(XtfClassTimes *times, XtfFormats *formats, const XtfSelection *selection, XtfTimesOf of,
                             GError **error);
/* Sums the times of the locations in each bin of a selection. The caller zeroes the bins->n `times`. */
bool xtf_class_times_measure_bins(XtfClassTimes *times, XtfFormats *formats, const XtfTimeBins *bins, XtfTimesOf of,
                                  GError **error);
