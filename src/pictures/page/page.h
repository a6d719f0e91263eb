/*
 * index.html: the front page of a selection. It has facts, what to look at first, the timeline, the matrix and the
 * records over time. Tables show where the time went and how evenly. Links lead to files and processes.
 *
 * The page is one file that loads no other, and is XML as well as HTML. Each of its numbers is in a table to which it
 * links.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_index;
