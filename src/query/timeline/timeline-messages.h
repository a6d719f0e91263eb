/*
 * Messages in an exact timeline: lines from the sender's row to the receiver's.
 */
#pragma once

#include "src/query/timeline/timeline-private.h"

/* How many the window has; 0 if the trace's messages are not matched. */
bool xtf_timeline_count_messages(const XtfTimeline *timeline, uint64_t *n, GError **error);
/* Draws them, if they are few enough to be told apart. `tops` and `levels` are those of the rows, a level `lane` pixels
 * high. */
bool xtf_timeline_messages(XtfTimeline *timeline, const int *tops, const uint32_t *levels, int lane, GError **error);
