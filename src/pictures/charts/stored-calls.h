/*
 * Time by call path as an analysis has stored it: rows of `activity`, one for each call path of a location, whose call
 * paths are rows of `contexts` (docs/VOCABULARY.md, section 9). They are of the whole run, and windows of them are not
 * known.
 */
#pragma once

#include "src/pictures/charts/call-tree.h"
#include "src/tables/format/callpaths.h"
#include "src/tables/totals/regions/region-lines.h"
#include "src/tables/totals/selected-locations.h"

typedef struct {
    XtfTraceContext *context; /* borrowed */
    const XtfSchema *schema;  /* of activity; NULL: the trace has none that holds, and no more can be asked */
    unsigned aggregate;       /* by region and call path; its first cell is the time */
    XtfCallpaths callpaths;
} XtfStoredCalls;

/* Finds them. None are found of a trace that was not analysed, of an analysis of other clocks, and of one that had more
 * call paths than it stores. */
bool xtf_stored_calls_find(XtfStoredCalls *stored, XtfTraceContext *context, GError **error);

/* Adds the times of locations to a tree that has but its root, whose own amount stays. Where regions are selected,
 * other levels are left out. */
bool xtf_stored_calls_add(const XtfStoredCalls *stored, XtfCallTree *tree, const XtfSelection *selection,
                          const XtfSelectedLocations *selected, const XtfRegions *regions, GError **error);
