/*
 * Matrices of pairs as images: a line a sender, a column a receiver, a colour a pair. Of few processes a pair is some
 * pixels wide.
 */
#pragma once

#include "src/network/tables/links.h"
#include "src/pictures/images/indexed-png.h"

enum {
    XTF_LINK_COLOURS = XTF_PNG_COLOURS_MAX, /* of an image; the first is that of pairs of which nothing is known */
    XTF_LINK_UNKNOWN_COLOUR = 0x808080,
};

typedef struct {
    const XtfLinkSides *sides; /* borrowed */
    unsigned zoom;             /* pixels of a pair, each way */
    uint8_t *pixels;
} XtfLinkImage;

/* Borrows the sides. */
bool xtf_link_image_init(XtfLinkImage *image, const XtfLinkSides *sides, GError **error);
void xtf_link_image_finish(XtfLinkImage *image); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLinkImage, xtf_link_image_finish)

/* The colour of a pair, by numbers of a sender and a receiver among the sides'. */
void xtf_link_image_set(XtfLinkImage *image, uint32_t sender, uint32_t receiver, uint8_t colour);
/* The bytes of a PNG file. */
GString *xtf_link_image_png(const XtfLinkImage *image, const uint32_t colours[static XTF_LINK_COLOURS],
                            const char *title, GError **error);
