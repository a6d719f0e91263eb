/*
 * Messages in an exact timeline: lines from the sender's row to the receiver's.
 */
#pragma once

#include "src/pictures/timeline/timeline-private.h"

/* How many the window has; 0 if the trace's messages are not matched. */
bool xtf_timeline_count_messages(const XtfTimeline *timeline, uint64_t *n, GError **error);
typedef enum {
    XTF_MESSAGES_NONE,
    XTF_MESSAGES_AS_LINES,
    XTF_MESSAGES_AS_BYTES, /* that were sent, in strips (timeline-sent.h): lines would be a hairball */
} XtfMessagesDrawn;

/* Draws them. `tops` and `levels` are those of the rows, a level `lane` pixels high. */
bool xtf_timeline_messages(XtfTimeline *timeline, const int *tops, const uint32_t *levels, int lane,
                           XtfMessagesDrawn *drawn, GError **error);
