/*
 * Draws a matrix as a picture: a line for each sender, a column for each receiver, on a logarithmic scale.
 */
#include <math.h>

#include "src/network/tables/link-image.h"
#include "src/network/tables/link-view.h"

enum {
    COLOURS = XTF_LINK_COLOURS,
    UNMEASURED = 0,
    STOPS = 5,
};

/* From blue over green to yellow. The lightness rises, so that the scale can be read in grey. */
static const uint8_t stops[STOPS][3] = {{48, 18, 98}, {44, 86, 150}, {28, 148, 140}, {120, 198, 86}, {252, 232, 60}};

static void make_scale(uint32_t colours[static COLOURS])
{
    colours[UNMEASURED] = XTF_LINK_UNKNOWN_COLOUR;
    for (unsigned i = 1; i < COLOURS; i++) {
        double place = (double)(i - 1) / (COLOURS - 2) * (STOPS - 1);
        unsigned stop = MIN((unsigned)place, STOPS - 2);
        uint32_t colour = 0;
        for (unsigned k = 0; k < 3; k++)
            colour =
                colour << 8 | (uint32_t)lround(stops[stop][k] + (place - stop) * (stops[stop + 1][k] - stops[stop][k]));
        colours[i] = colour;
    }
}

/* True if the logarithmic scale has a colour for the value. */
static bool has_colour(double value)
{
    return isfinite(value) && value > 0;
}

static uint8_t colour_of(double value, double low, double high)
{
    if (!has_colour(value))
        return UNMEASURED;
    double place = high > low ? log(value / low) / log(high / low) : 0;
    return (uint8_t)(1 + lround(CLAMP(place, 0, 1) * (COLOURS - 2)));
}

/* Returns the picture's title: its contents, and the range of its values. The caller frees the string. */
static char *format_title(const XtfLinkView *view, double low, double high)
{
    double factor = xtf_link_factor(&view->type, view->statistic);
    const char *unit = factor == 1 ? "" : " us"; /* amounts have no unit */

    return g_strdup_printf("%s of messages of %" PRIu64 " bytes: a line a sender, a column a receiver; from %.4g%s "
                           "(dark) to %.4g%s (bright), logarithmic; grey: not measured",
                           view->statistic < 0 ? "nothing" : view->type.event->labels[view->statistic],
                           view->selection->time_from, low * factor, unit, high * factor, unit);
}

GString *xtf_link_heat_png(XtfLinkView *view, GError **error)
{
    uint32_t n_senders = view->sides.senders->len, n_receivers = view->sides.n_receivers;
    const XtfLinkPart part = {view->links, view->statistic, 0, n_senders};
    g_autofree double *values = xtf_links_matrix(view->resolver, &view->type, &view->sides, &part, error);
    double low = INFINITY, high = 0;
    g_auto(XtfLinkImage) image = {0};
    uint32_t colours[COLOURS];

    if (!values)
        return NULL;
    for (size_t i = 0; i < (size_t)n_senders * n_receivers; i++)
        if (has_colour(values[i])) {
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
    if (!xtf_link_image_init(&image, &view->sides, error))
        return NULL;
    for (uint32_t s = 0; s < n_senders; s++)
        for (uint32_t r = 0; r < n_receivers; r++)
            xtf_link_image_set(&image, s, r, colour_of(values[(size_t)s * n_receivers + r], low, high));
    make_scale(colours);
    g_autofree char *title = format_title(view, high > 0 ? low : 0, high);
    return xtf_link_image_png(&image, colours, title, error);
}
