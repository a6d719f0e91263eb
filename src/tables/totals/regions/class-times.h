/*
 * Time by class of regions: what one location did in a selection's window.
 */
#pragma once

#include "src/tables/totals/regions/region-times.h"
#include "src/trace/context/region-classes.h"

typedef struct {
    unsigned __int128 ticks[XTF_N_CLASSES]; /* exclusive */
    uint64_t calls[XTF_N_CLASSES];
    unsigned __int128 before; /* LEAVEs without an ENTER: of which region is not known */
    unsigned __int128 whole;  /* the part of the window between the location's first and last record */
} XtfClassTimes;

/* Adds the times of the location that was measured last, whose part of the window has `ticks`; of regions that region/
 * selects alone. */
void xtf_class_times_add(XtfClassTimes *times, const XtfRegionTimes *region_times, const XtfRegionClasses *classes,
                         uint64_t ticks);

/* The exclusive times of a set of classes together. */
unsigned __int128 xtf_class_times_of(const XtfClassTimes *times, XtfClassSet classes);

/* The time in no region at all. */
unsigned __int128 xtf_class_times_outside(const XtfClassTimes *times);
