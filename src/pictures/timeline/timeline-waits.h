/*
 * Waits in a timeline: hatches. In a stacked row, the height of a hatch is the part of the column that was waiting. It
 * lies at the bottom of the colour of the region in which the process waited. In an exact row, a hatch lies over a
 * part of the call.
 */
#pragma once

#include "src/pictures/timeline/rows/picture-calls.h"
#include "src/pictures/timeline/timeline-private.h"

/* Draws the hatch in the legend, with a link to the table of waits. */
void xtf_timeline_waits_legend(XtfTimeline *timeline, int x, int y);

/* Draws the waits of a row. `calls` holds XtfPictureCall. Levels are `lane` pixels high, and `levels` of them begin at
 * `top`. */
bool xtf_timeline_waits_exact(XtfTimeline *timeline, uint32_t row, const GArray *calls, int top, uint32_t levels,
                              int lane, GError **error);
