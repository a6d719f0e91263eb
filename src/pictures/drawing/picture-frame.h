/*
 * What all pictures have around them: the beginning of an SVG with its styles, the title, and links to other windows.
 *
 * Styles work in a page with several pictures in it, too: all names begin with "xt".
 */
#pragma once

#include "src/pictures/drawing/colours.h"
#include "src/pictures/drawing/drawing.h"
#include "src/pictures/drawing/picture-links.h"
#include "src/tables/clocks/clock-check.h"

enum {
    XTF_PICTURE_WIDTH = 1600,
    XTF_PICTURE_LEFT = 104, /* of the plot */
    XTF_PICTURE_PLOT = 1480,
    XTF_BARE_TOP = 56,   /* pixels that a picture without a title leaves out at its top */
    XTF_TITLE_NAME = 48, /* characters of a name in titles and tool tips */
};

typedef struct {
    const char *what;        /* is shown: in the title, behind the name of the trace */
    const char *file;        /* "timeline.svg", which links lead to */
    uint64_t from, to;       /* the window, ticks */
    int width, height;       /* of the picture, pixels */
    const char *description; /* for who cannot see it */
    bool bare;               /* nothing is at the top, where the title and links to other windows would be */
} XtfPictureFrame;

/* All up to the first element of the picture itself. */
void xtf_draw_frame(XtfDrawing *drawing, const XtfPictureFrame *frame, const XtfPictureLinks *links);

/* A line of small text below a picture. */
void xtf_draw_footer(XtfDrawing *drawing, int y, const char *text);
/* What such a line begins with where processes are compared at one time: sentences, each with a blank behind it, or
 * nothing where clocks agree. */
const char *xtf_clock_remark(XtfClockVerdict clocks);
