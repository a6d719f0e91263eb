/*
 * The page of a timeline: the picture in HTML, with a script that shows the time under the pointer, and goes to the
 * window that is dragged over it. All data is in the page: browsers let files of a mount read no others. Zooming is
 * navigation, so the browser's Back zooms out, and without a script all links still work.
 */
#pragma once

#include "src/pictures/drawing/drawing.h"
#include "src/pictures/drawing/picture-kind.h"

/* The page up to its body, which begins then; XML as well as HTML. `styles` go into it beside those of the timeline. */
void xtf_timeline_page_begin(XtfDrawing *drawing, const XtfPictureJob *job, const char *what, const char *styles);
/* Begins the element that a timeline is in: it scrolls where the window is narrow, and says so. "</div>" ends it. */
void xtf_timeline_page_scroller(XtfDrawing *drawing);
/* The script; the first picture of the page is the timeline. */
void xtf_timeline_page_script(XtfDrawing *drawing, const XtfPictureJob *job);
