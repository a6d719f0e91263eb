/*
 * Exchange between the ranks of a job after the forward pass. Each rank keeps the points of its own locations.
 */
#pragma once

#include "src/analysis/waits/points.h"
#include "src/world/world.h"

/* Gives the call paths their final numbers, the same in all ranks. Each rank gets the collective operations in which
 * its locations have points. Rank 0 gets the bounds of all locations. Collective. `borders`: the first location of each
 * rank, and behind them the number of locations. */
bool xtf_points_exchange(XtfPoints *points, XtfWorld *world, const uint32_t *borders, GError **error);
