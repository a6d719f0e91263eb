/*
 * timeline: what each process did over time. Three ways to draw it, by how much there is to see:
 *
 * - exact: each call is a bar of its own, with its name, and each message a line, where they are few;
 * - stacked: a column of a row shows the shares of regions by their heights. Their area is their time, exactly;
 * - dense: rows of a few pixels, of which each column has the colour of the region with most time. A row stands for one
 *   process, never for a mean of several: of very many processes, groups of neighbours are shown by the most typical
 *   and the most unlike of them.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_timeline, xtf_picture_timeline_page;
