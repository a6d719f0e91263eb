/*
 * Images of matrices: a line for each sender, a column for each receiver, and a colour for each pair. For few
 * processes, a pair is several pixels wide and high.
 */
#pragma once

#include "src/network/tables/links.h"
#include "src/pictures/images/indexed-png.h"

enum {
    XTF_LINK_COLOURS = XTF_PNG_COLOURS_MAX, /* colours of an image; the first one is for pairs without a value */
    XTF_LINK_UNKNOWN_COLOUR = 0x808080,
};

typedef struct {
    const XtfLinkSides *sides; /* borrowed */
    unsigned zoom;             /* width and height of a pair, in pixels */
    uint8_t *pixels;
} XtfLinkImage;

/* Allocates an image of all pairs of the sides. Fails with XTF_ERROR_TOO_LARGE without enough memory. */
bool xtf_link_image_init(XtfLinkImage *image, const XtfLinkSides *sides, GError **error);
void xtf_link_image_finish(XtfLinkImage *image); /* an image of all zeros is allowed */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLinkImage, xtf_link_image_finish)

/* Sets the colour of a pair. `sender` and `receiver` are indices in the sides. */
void xtf_link_image_set(XtfLinkImage *image, uint32_t sender, uint32_t receiver, uint8_t colour);
/* Returns the image as a PNG file; NULL with an error. */
GString *xtf_link_image_png(const XtfLinkImage *image, const uint32_t colours[static XTF_LINK_COLOURS],
                            const char *title, GError **error);
