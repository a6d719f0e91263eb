/*
 * A drawing: SVG as text, in a size that was promised before it was begun.
 *
 * The size of a picture is at most what a formula of its selection says. Where stat() must not draw, the text is padded
 * to that with blanks before its last tag, so cat, cp, mmap, XML parsers and browsers all see one whole file of that
 * size. Where a picture is drawn before its size is told, it is padded to whole blocks. A part is only drawn if it fits
 * what is left.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/pictures/drawing/palette.h"

typedef struct {
    GString *out; /* borrowed */
    size_t size;  /* of the whole file, at most */
} XtfDrawing;

enum {
    XTF_DRAWING_RESERVE = 8 << 10, /* kept free for the end of the file */
    XTF_DRAWING_BLOCK = 4 << 10,   /* sizes of files are whole blocks */
};

void xtf_drawing_init(XtfDrawing *drawing, GString *out, size_t size);
/* Bytes that parts may still take. */
size_t xtf_drawing_left(const XtfDrawing *drawing);
/* Pads to the greatest size, or, if it is `fitted`, to whole blocks of what was drawn. The text then ends in `end`.
 * XTF_ERROR_UNSUPPORTED if more was drawn. */
bool xtf_drawing_finish(XtfDrawing *drawing, const char *end, bool fitted, GError **error);

void xtf_draw(XtfDrawing *drawing, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Text from a trace, for XML: of more than `most` characters the middle is left out; then what XML means is escaped. */
void xtf_draw_text(XtfDrawing *drawing, const char *text, size_t most);
/* The same of text that is any bytes, such as a label of a field. */
void xtf_draw_bytes(XtfDrawing *drawing, const char *bytes, size_t most);
/* Units of 1 are half pixels: "12", "12.5". */
void xtf_draw_half(XtfDrawing *drawing, uint32_t halves);
