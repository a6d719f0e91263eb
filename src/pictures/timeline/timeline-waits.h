/*
 * Waits in a timeline: a hatch over what was waiting. Of a stacked row as high as the part of the column that was
 * waited, at the bottom of the colour of the region in which it was; of calls one by one, over the part of the call.
 */
#pragma once

#include "src/pictures/timeline/rows/picture-calls.h"
#include "src/pictures/timeline/timeline-private.h"

/* The hatch in the legend, with a link to the table of waits. */
void xtf_timeline_waits_legend(XtfTimeline *timeline, int x, int y);

/* Draws the waits of a row, `calls` of which are XtfPictureCall; those of one level are `lane` pixels high, and there
 * are `levels` from `top` on. */
bool xtf_timeline_waits_exact(XtfTimeline *timeline, uint32_t row, const GArray *calls, int top, uint32_t levels,
                              int lane, GError **error);
