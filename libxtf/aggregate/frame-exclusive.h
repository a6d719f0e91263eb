/*
 * Exclusive time of a frame that spans many leaves.
 */
#pragma once

#include "libxtf/aggregates.h"

/* Computes the exclusive ticks of the frame that span->row begins and span->end_row ends, in an xtf_array_local().
 * Costs a few descents for the frame, and a few for each outermost frame of the same key nested in it. */
bool xtf_frame_exclusive(const XtfArray *array, unsigned index, const XtfFrameSpan *span, uint64_t *ticks,
                         GError **error);
