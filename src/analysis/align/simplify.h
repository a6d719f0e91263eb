/*
 * Simplification of a broken line to a clock map.
 */
#pragma once

#include "libxtf/clock-map.h"

/* Takes ownership of points (XtfClockKnot): local times rise, global times do not fall. Returns the knots of a valid
 * map. The result skips points that its line passes at less than `tolerance` ticks; if `tolerance` is 0, points on the
 * line. A piece that rises faster than a clock can drift becomes a jump. */
GArray *xtf_simplify_line(GArray *points, uint64_t tolerance);
