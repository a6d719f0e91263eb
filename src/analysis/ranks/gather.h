/*
 * The points of all ranks of a job, in rank 0.
 */
#pragma once

#include "src/analysis/waits/points.h"
#include "src/world/world.h"

/* Moves the points that each rank has of its locations to rank 0, with the call paths and the operations. The call
 * paths have no final numbers yet. Collective: if it fails, one rank gets the error. */
bool xtf_points_gather(XtfPoints *points, XtfWorld *world, GError **error);
