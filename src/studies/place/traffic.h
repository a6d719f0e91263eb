/*
 * The bytes that the processes of a trace send each other, from its totals.
 */
#pragma once

#include "src/studies/place/place.h"
#include "src/trace/select/selection.h"
#include "src/tree/node/node-class.h"

/* Returns the traffic of a selection as an array of XtfPlaceTraffic, whose processes are indexes in XtfLocations.procs.
 * XTF_ERROR_UNSUPPORTED or XTF_ERROR_NOT_FOUND if the selection has no table `matrix`. NULL with an error. */
GArray *xtf_place_read_traffic(XtfTree *tree, XtfSelection *selection, GError **error);
