/*
 * The calls of a selection one by one, for pictures that show each: with those that are open when the window begins.
 */
#pragma once

#include "src/tables/format/format.h"
#include "src/tables/totals/selected-locations.h"

typedef struct {
    uint32_t location;   /* of the rows' selected locations */
    uint32_t level;      /* of nesting, from 0 */
    uint64_t line;       /* of XtfRegions */
    uint64_t begin, end; /* global ticks; they may lie beyond the window */
} XtfPictureCall;

typedef void (*XtfPictureCallVisit)(const XtfPictureCall *call, void *data);

/* Visits all calls of the selection: each after those around it, of several locations in any order. */
bool xtf_picture_calls(XtfResolver *resolver, XtfSelection *selection, const XtfSelectedLocations *selected,
                       XtfPictureCallVisit visit, void *data, GError **error);

/* The number, among the selected locations, of an index in XtfLocations; selected->n if it is not selected. */
uint32_t xtf_selected_number(const XtfSelectedLocations *selected, uint32_t location);
