/*
 * A drawing: SVG as text, of a size that is promised before the drawing begins.
 *
 * A formula gives the most bytes for a picture of a selection. If stat() must not draw, blanks before the last tag pad
 * the text to that size. So cat, cp, mmap, XML parsers and browsers all see one whole file of that size. If a picture
 * is drawn before stat() returns its size, blanks pad it to whole blocks. A part is only drawn if it fits in the room
 * left.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/pictures/drawing/palette.h"

typedef struct {
    GString *out; /* borrowed */
    size_t size;  /* most bytes of the whole file */
} XtfDrawing;

enum {
    XTF_DRAWING_RESERVE = 8 << 10, /* bytes kept free for the end of the file */
    XTF_DRAWING_BLOCK = 4 << 10,   /* bytes of a block; files are whole blocks */
};

void xtf_drawing_init(XtfDrawing *drawing, GString *out, size_t size);
/* Returns the bytes that parts may still use. */
size_t xtf_drawing_left(const XtfDrawing *drawing);
/* Pads the text to the greatest size, or if `fitted` to whole blocks. The text then ends in `end`. Fails with
 * XTF_ERROR_UNSUPPORTED if the text is too long. */
bool xtf_drawing_finish(XtfDrawing *drawing, const char *end, bool fitted, GError **error);

void xtf_draw(XtfDrawing *drawing, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Draws text from a trace, escaped for XML. Omits the middle of more than `most` characters. */
void xtf_draw_text(XtfDrawing *drawing, const char *text, size_t most);
/* Draws text of any bytes, such as a label of a field, escaped for XML. Omits the middle of more than `most`
 * characters. */
void xtf_draw_bytes(XtfDrawing *drawing, const char *bytes, size_t most);
/* Draws a number of half pixels in pixels: "12", "12.5". */
void xtf_draw_half(XtfDrawing *drawing, uint32_t halves);
