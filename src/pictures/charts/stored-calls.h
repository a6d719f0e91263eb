/*
 * Time by call path, as an analysis stores it: a row of `activity` for each call path of a location. Call paths are
 * rows of `contexts` (docs/VOCABULARY.md, section 9). The times are of the whole run; there are none for windows.
 */
#pragma once

#include "src/pictures/charts/call-tree.h"
#include "src/tables/format/callpaths.h"
#include "src/tables/totals/regions/region-lines.h"
#include "src/tables/totals/selected-locations.h"

typedef struct {
    XtfTraceContext *context; /* borrowed */
    const XtfSchema
        *schema;        /* schema of `activity`; NULL: there is no valid analysis, and the other fields are unset */
    unsigned aggregate; /* number of the aggregate by region and call path, whose first cell is the time */
    XtfCallpaths callpaths;
} XtfStoredCalls;

/* Finds the stored calls. None are found without an analysis, with an analysis of other clocks, or if there were more
 * call paths than it stores. */
bool xtf_stored_calls_find(XtfStoredCalls *stored, XtfTraceContext *context, GError **error);

/* Adds the times of locations to a tree that has only its root. The root's own amount stays. If regions are selected,
 * omits the levels of others. */
bool xtf_stored_calls_add(const XtfStoredCalls *stored, XtfCallTree *tree, const XtfSelection *selection,
                          const XtfSelectedLocations *selected, const XtfRegions *regions, GError **error);
