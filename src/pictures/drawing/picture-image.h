/*
 * An image of pixels in a drawing.
 */
#pragma once

#include "src/pictures/drawing/drawing.h"
#include "src/pictures/images/indexed-png.h"

/* Draws an <image> with a PNG in it, whose pixels are squares at any scale. `format` gives its other attributes, such
 * as x, y, width and height. False with an error of xtf_png_encode(). */
bool xtf_draw_image(XtfDrawing *drawing, const XtfIndexedImage *image, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
