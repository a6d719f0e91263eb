/*
 * Strips of the bytes that each row of an exact timeline sends, if messages are too many for lines. A strip is below
 * its row. The height of a column is the bytes that were sent in it.
 */
#pragma once

#include "src/pictures/timeline/timeline-private.h"

enum {
    XTF_SENT_HEIGHT = 4, /* pixels of a strip */
};

/* Draws the strips. The strip of row i begins a pixel below `bottoms[i]`. `sends` is the selection of the messages. */
bool xtf_timeline_sent(XtfTimeline *timeline, XtfSelection *sends, const int *bottoms, GError **error);
