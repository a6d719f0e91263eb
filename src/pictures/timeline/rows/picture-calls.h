/*
 * The calls of a selection one by one, for pictures that show each call. The calls that are open when the window
 * begins are included.
 */
#pragma once

#include "src/tables/format/format.h"
#include "src/tables/totals/selected-locations.h"

typedef struct {
    uint32_t location;   /* number among the selected locations */
    uint32_t level;      /* level of nesting, from 0 */
    uint64_t line;       /* line of XtfRegions */
    uint64_t site;       /* row of definitions/sites; UINT64_MAX: none */
    uint64_t begin, end; /* global ticks; may lie outside of the window */
} XtfPictureCall;

typedef void (*XtfPictureCallVisit)(const XtfPictureCall *call, void *data);

/* Visits all calls of the selection: each after the calls around it. The order of locations is undefined. */
bool xtf_picture_calls(XtfResolver *resolver, XtfSelection *selection, const XtfSelectedLocations *selected,
                       XtfPictureCallVisit visit, void *data, GError **error);

/* Returns the number, among the selected locations, of an index in XtfLocations; selected->n if it is not selected. */
uint32_t xtf_selected_number(const XtfSelectedLocations *selected, uint32_t location);
