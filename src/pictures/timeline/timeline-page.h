/*
 * The page of a timeline: the picture in HTML, with a script. The script shows the time under the pointer, and opens
 * the window that a user drags over it. All data is in the page, as browsers do not let files of a mount read others.
 * Zooming is navigation: the browser's Back zooms out, and all links work without a script. A policy in the page's head
 * (Content-Security-Policy) forbids any other script, and all requests.
 */
#pragma once

#include "src/pictures/drawing/drawing.h"
#include "src/pictures/drawing/picture-kind.h"

/* Draws the page up to the begin of its body, as XML that is also HTML. `styles` follow the timeline's own styles. */
void xtf_timeline_page_begin(XtfDrawing *drawing, const XtfPictureJob *job, const char *title, const char *styles);
/* Begins the element around a timeline: it scrolls if the window is narrow, and says so. "</div>" ends it. */
void xtf_timeline_page_scroller(XtfDrawing *drawing);
/* Draws the script. The first picture of the page must be the timeline. */
void xtf_timeline_page_script(XtfDrawing *drawing, const XtfPictureJob *job);
