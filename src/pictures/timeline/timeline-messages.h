/*
 * Messages in an exact timeline: lines from the sender's row to the receiver's.
 */
#pragma once

#include "src/pictures/timeline/timeline-private.h"

/* Counts the messages of the window; 0 if the trace's messages are not matched. */
bool xtf_timeline_count_messages(const XtfTimeline *timeline, uint64_t *n, GError **error);
/* The shapes that were drawn. */
typedef struct {
    bool lines, dots;
    bool rings;    /* sends whose receive is unknown, or not in the picture */
    bool brackets; /* messages from a row to itself */
    bool strips;   /* bytes that were sent (timeline-sent.h), if messages are too many for lines */
} XtfMessagesDrawn;

/* Draws the messages. `tops` and `levels` are by row. A level is `lane` pixels high. */
bool xtf_timeline_messages(XtfTimeline *timeline, const int *tops, const uint32_t *levels, int lane,
                           XtfMessagesDrawn *drawn, GError **error);
