/*
 * A broken line through fewer points, as a clock map.
 */
#pragma once

#include "libxtf/clock-map.h"

/* Takes points, XtfClockKnot, the local times rising, the global times not falling; gives the knots of a sound map. A
 * point is left out if the line without it passes it by less than `tolerance` ticks, or with 0 through it. Where the
 * line rises more than a clock drifts there is a jump. */
GArray *xtf_simplify_line(GArray *points, uint64_t tolerance);
