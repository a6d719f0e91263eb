/* histogram.svg: the table `histogram` as bars: calls, messages sent and bytes sent in 100 slices of the window. */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_histogram;
