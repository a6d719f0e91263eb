#include "src/pictures/drawing/text-width.h"

#include <glib.h>
#include <string.h>

enum {
    CHARACTERS_MIN = 5, /* least characters of a shortened text */
};

#define ELLIPSIS   "\342\200\246"
#define MPI_PREFIX "MPI_"

/* The advances of U+0020 to U+007E in DejaVu Sans, in thousandths of the letters' size; rounded up. */
static const unsigned short advances[] = {
    318, 402, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838,
};

/* The advance of the widest letters of left-to-right scripts, and of an ellipsis. */
enum {
    ADVANCE_MAX = 1100,
};

static unsigned advance_of(gunichar c)
{
    if (c >= 0x20 && c < 0x20 + G_N_ELEMENTS(advances))
        return advances[c - 0x20];
    return ADVANCE_MAX;
}

static double sum_advances(const char *text)
{
    double sum = 0;

    for (; *text; text = g_utf8_next_char(text))
        sum += advance_of(g_utf8_get_char(text));
    return sum;
}

double xtf_text_pixels(const char *text, double size)
{
    return sum_advances(text) * size / 1000;
}

char *xtf_text_elided(const char *text, size_t most)
{
    size_t length = (size_t)g_utf8_strlen(text, -1);

    if (length <= most)
        return g_strdup(text);
    /* Names often differ only in numbers at their ends. */
    size_t tail = (most - 1) / 2, head = most - 1 - tail;
    const char *head_end = g_utf8_offset_to_pointer(text, (glong)head);
    const char *tail_begin = g_utf8_offset_to_pointer(text, (glong)(length - tail));
    return g_strdup_printf("%.*s" ELLIPSIS "%s", (int)(head_end - text), text, tail_begin);
}

char *xtf_name_fitted(const char *name, double size, double pixels)
{
    if (xtf_text_pixels(name, size) <= pixels)
        return g_strdup(name);
    if (g_str_has_prefix(name, MPI_PREFIX))
        name += strlen(MPI_PREFIX);
    if (xtf_text_pixels(name, size) <= pixels)
        return g_strdup(name);
    for (size_t most = (size_t)g_utf8_strlen(name, -1); most-- > CHARACTERS_MIN;) {
        g_autofree char *elided = xtf_text_elided(name, most);
        if (xtf_text_pixels(elided, size) <= pixels)
            return g_steal_pointer(&elided);
    }
    return NULL;
}
