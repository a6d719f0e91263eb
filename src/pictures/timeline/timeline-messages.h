/*
 * Messages in an exact timeline: lines from the sender's row to the receiver's.
 */
#pragma once

#include "src/pictures/timeline/timeline-private.h"

/* How many the window has; 0 if the trace's messages are not matched. */
bool xtf_timeline_count_messages(const XtfTimeline *timeline, uint64_t *n, GError **error);
/* Which shapes there are. */
typedef struct {
    bool lines, dots;
    bool rings;    /* sends whose receive is not known, or not in the picture */
    bool brackets; /* messages to the own row */
    bool strips;   /* of the bytes that were sent (timeline-sent.h): lines would be a hairball */
} XtfMessagesDrawn;

/* Draws them. `tops` and `levels` are those of the rows, a level `lane` pixels high. */
bool xtf_timeline_messages(XtfTimeline *timeline, const int *tops, const uint32_t *levels, int lane,
                           XtfMessagesDrawn *drawn, GError **error);
