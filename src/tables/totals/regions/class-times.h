/*
 * Time by class of regions: what one location, or several together, did in a selection's window. What of it is the
 * program's own is said here and nowhere else.
 */
#pragma once

#include "src/tables/totals/regions/region-times.h"
#include "src/trace/context/region-classes.h"

typedef struct {
    unsigned __int128 ticks[XTF_N_CLASSES]; /* exclusive */
    uint64_t calls[XTF_N_CLASSES];
    unsigned __int128 before; /* LEAVEs without an ENTER: of which region is not known */
    unsigned __int128 whole;  /* the part of the window between the location's first and last record */
    bool is_narrowed;         /* region/ selects: the time in no region is none of the selection */
} XtfClassTimes;

/* Adds the times of the location that was measured last, whose part of the window has `ticks`; of regions that region/
 * selects alone. */
void xtf_class_times_add(XtfClassTimes *times, const XtfRegionTimes *region_times, const XtfRegionClasses *classes,
                         uint64_t ticks);

/* The exclusive times of a set of classes together. */
unsigned __int128 xtf_class_times_of(const XtfClassTimes *times, XtfClassSet classes);

/* The time in no region at all. */
unsigned __int128 xtf_class_times_outside(const XtfClassTimes *times);

/* The time of the program itself: in its own regions, in OpenMP's work, and in no region. Many traces have regions of
 * MPI alone, and the program runs outside of them. */
unsigned __int128 xtf_class_times_program(const XtfClassTimes *times);

/* Which of a selection's locations are measured. */
typedef enum {
    XTF_TIMES_OF_ALL,
    XTF_TIMES_OF_THREADS, /* of processors: neither streams of accelerators nor locations of metrics */
    XTF_TIMES_OF_DEVICES, /* the others */
} XtfTimesOf;

/* The times of a selection's locations together. `times` is of zeros. */
bool xtf_class_times_measure(XtfClassTimes *times, XtfFormats *formats, const XtfSelection *selection, XtfTimesOf of,
                             GError **error);
