/*
 * The classes of a trace's regions, by row of definitions/regions.
 *
 * Immutable once loaded: any thread may use it.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"
#include "src/model/region-class.h"
#include "src/trace/context/number-set.h"

typedef struct {
    uint64_t n;          /* rows of the table of regions; 0 if they have no names */
    uint8_t *by_row;     /* XtfRegionClass */
    XtfClassSet present; /* classes that have at least one row */
} XtfRegionClasses;

bool xtf_region_classes_load(XtfRegionClasses *classes, XtfTrace *trace, GError **error);
void xtf_region_classes_finish(XtfRegionClasses *classes); /* accepts all zeros */

/* Returns the class of a row. Rows that the trace does not define count as the program. */
static inline XtfRegionClass xtf_region_classes_of(const XtfRegionClasses *classes, uint64_t row)
{
    return row < classes->n ? (XtfRegionClass)classes->by_row[row] : XTF_CLASS_PROGRAM;
}

/* Returns the rows of some classes as a new set, which may be empty. Includes undefined rows if PROGRAM is wanted. */
XtfNumberSet *xtf_region_classes_rows(const XtfRegionClasses *classes, XtfClassSet wanted);

/* Parses a list of names of classes and groups, and of patterns: "wait", "mpi", "wait,omp-*". XTF_ERROR_NOT_FOUND if a
 * part matches no class. */
bool xtf_class_set_parse(const char *text, XtfClassSet *classes, GError **error);
