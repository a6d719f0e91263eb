/*
 * Arrays whose frames nest fully: each row that ends a frame ends one frame, and each frame that ended has such a row.
 */
#pragma once

#include "libxtf/aggregates.h"

/* Sets *nest to true if the frames of an array nest fully, and *begun to the number of rows that begin frames. If d
 * frames are open behind the first n rows, (n + d) / 2 of these rows begin frames. *nest is false in an array of one
 * leaf, and if the array's totals do not show it. Reads the right edge, and the stack behind the last
 * row. */
bool xtf_frames_nest_fully(const XtfArray *array, unsigned index, bool *nest, uint64_t *begun, GError **error);
