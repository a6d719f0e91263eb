/*
 * The time of its own of a frame that spans many leaves.
 */
#pragma once

#include "libxtf/aggregates.h"

/* Exclusive time of a frame whose rows are [span->row, span->end_row], of a local array: a few descents, and as many
 * for each frame of the same key that is nested in it, but not in another of these. */
bool xtf_frame_exclusive(const XtfArray *array, unsigned index, const XtfFrameSpan *span, uint64_t *ticks,
                         GError **error);
