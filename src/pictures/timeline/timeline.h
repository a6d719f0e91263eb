/*
 * timeline: what each process did over time. The number of rows and calls decides between three ways to draw it:
 *
 * - exact: each call is a bar of its own, with its name, and each message a line, where they are few;
 * - stacked: a column of a row shows the shares of regions by their heights. Their area is their time, exactly;
 * - dense: rows of a few pixels, of which each column has the colour of the region with most time. A row represents
 * one process, never a mean. If processes are very many, it shows the most typical and the most unlike one of each
 * group.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_timeline, xtf_picture_timeline_page;
