/*
 * The frame of all pictures: the begin of an SVG with its styles, the title, and links to other windows.
 *
 * The styles work in a page with several pictures, too: all names begin with "xt".
 */
#pragma once

#include "src/pictures/drawing/colours.h"
#include "src/pictures/drawing/drawing.h"
#include "src/pictures/drawing/picture-links.h"
#include "src/tables/clocks/clock-check.h"

enum {
    XTF_PICTURE_WIDTH = 1600,
    XTF_PICTURE_LEFT = 104, /* pixels left of the plot */
    XTF_PICTURE_PLOT = 1480,
    XTF_BARE_TOP = 56,   /* pixels that a picture without a title omits at its top */
    XTF_TITLE_NAME = 48, /* most characters of a name in titles and tool tips */
};

typedef struct {
    const char *content;     /* content of the picture, for the title, after the name of the trace */
    const char *file;        /* file that links open, such as "timeline.svg" */
    uint64_t from, to;       /* bounds of the window in ticks */
    int width, height;       /* pixels of the picture */
    const char *description; /* for users who cannot see the picture */
    bool is_bare;            /* omit the title and the links to other windows */
} XtfPictureFrame;

/* The <style> element that each picture begins with. */
extern const char xtf_picture_style[];

/* Draws all up to the first element of the picture itself. */
void xtf_draw_frame(XtfDrawing *drawing, const XtfPictureFrame *frame, const XtfPictureLinks *links);

/* Draws a line of small text below a picture. */
void xtf_draw_footer(XtfDrawing *drawing, int y, const char *text);
/* Returns the begin of a footer if processes are compared at one time: sentences, each with a blank after it, or "" if
 * the clocks agree. */
const char *xtf_clock_remark(XtfClockVerdict clocks);
