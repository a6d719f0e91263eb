/*
 * index.html: the front page of a selection. Facts, what to look at first, the timeline, tables of where the time went
 * and how evenly, the matrix, where the records are, and links to files and processes.
 *
 * It is one file that loads no other, XML as well as HTML. Each number of it stands in a table that it links to.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_index;
