/*
 * What each row of an exact timeline sends, where messages are too many for lines: a strip below the row, in each
 * column as high as the bytes that were sent in it.
 */
#pragma once

#include "src/pictures/timeline/timeline-private.h"

enum {
    XTF_SENT_HEIGHT = 4, /* pixels of a strip */
};

/* Draws the strips: that of row i begins a pixel below `bottoms[i]`. `sends` is the selection of the messages. */
bool xtf_timeline_sent(XtfTimeline *timeline, XtfSelection *sends, const int *bottoms, GError **error);
