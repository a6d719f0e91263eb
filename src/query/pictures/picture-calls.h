/*
 * The calls of a selection one by one, for pictures that show each: with those that are open when the window begins.
 */
#pragma once

#include "src/query/format/format.h"
#include "src/query/pictures/picture-rows.h"

typedef struct {
    uint32_t row;        /* of the picture */
    uint32_t level;      /* of nesting, from 0 */
    uint64_t line;       /* of XtfRegions */
    uint64_t begin, end; /* global ticks; they may lie beyond the window */
} XtfPictureCall;

/* All calls of the rows, each of which is one location: XtfPictureCall, the calls of each location from the outermost
 * in. NULL with an error. */
GArray *xtf_picture_calls(XtfResolver *resolver, XtfSelection *selection, const XtfPictureRows *rows, GError **error);

/* The row of a location, an index in XtfLocations; rows->n if it has none. */
uint32_t xtf_picture_row_of(const XtfPictureRows *rows, uint32_t location);
