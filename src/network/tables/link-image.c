#include "src/network/tables/link-image.h"

#include <string.h>

enum {
    SMALL_MAX = 256, /* processes: with fewer, a pair is SMALL_PIXELS wide */
    SMALL_PIXELS = 4,
};

bool xtf_link_image_init(XtfLinkImage *image, const XtfLinkSides *sides, GError **error)
{
    uint32_t n_senders = sides->senders->len, n_receivers = sides->n_receivers;

    *image = (XtfLinkImage){.sides = sides, .zoom = MAX(n_senders, n_receivers) < SMALL_MAX ? SMALL_PIXELS : 1};
    /* An image without pairs has one pixel. */
    image->pixels = g_try_malloc0((size_t)n_senders * n_receivers * image->zoom * image->zoom + 1);
    return image->pixels || xtf_links_fail_too_large(sides, error);
}

void xtf_link_image_finish(XtfLinkImage *image)
{
    g_clear_pointer(&image->pixels, g_free);
}

void xtf_link_image_set(XtfLinkImage *image, uint32_t sender, uint32_t receiver, uint8_t colour)
{
    size_t width = (size_t)image->sides->n_receivers * image->zoom;
    uint8_t *first = image->pixels + (size_t)sender * image->zoom * width + (size_t)receiver * image->zoom;

    for (unsigned k = 0; k < image->zoom; k++)
        memset(first + k * width, colour, image->zoom);
}

GString *xtf_link_image_png(const XtfLinkImage *image, const uint32_t colours[static XTF_LINK_COLOURS],
                            const char *title, GError **error)
{
    const XtfIndexedImage indexed = {.width = MAX(image->sides->n_receivers * image->zoom, 1),
                                     .height = MAX(image->sides->senders->len * image->zoom, 1),
                                     .pixels = image->pixels,
                                     .colours = colours,
                                     .n_colours = XTF_LINK_COLOURS,
                                     .title = title};
    g_autoptr(GByteArray) png = xtf_png_encode(&indexed, error);

    return png ? g_string_new_len((const char *)png->data, (gssize)png->len) : NULL;
}
