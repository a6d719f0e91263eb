/*
 * The palette: a colour for each region, by its class and its name only. A region thus has the same colour in all
 * pictures of a trace, and nearly always in pictures of other traces.
 *
 * A class has a hue and a lightness, as two hues look the same to many colour-blind eyes. A name is a step of
 * lightness in the class. Regions of the program have one of twelve colours. Colours are made in OKLCH, in which equal
 * steps look equal (B. Ottosson, "A perceptual color space for image processing", 2020).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/model/region-class.h"

enum {
    XTF_PROGRAM_COLOURS = 12,
    XTF_COLOUR_TEXT = 8, /* bytes of "#rrggbb" with a NUL */
};

/* Groups of classes in pictures, from the bottom of a stack to its top. The top edge of the program's group is a curve
 * of useful work over time. */
typedef enum {
    XTF_PAINT_PROGRAM,
    XTF_PAINT_IO,
    XTF_PAINT_P2P,
    XTF_PAINT_ONE_SIDED,
    XTF_PAINT_COLLECTIVE,
    XTF_PAINT_BARRIER,
    XTF_PAINT_LOCK,
    XTF_PAINT_WAIT,
    XTF_PAINT_OTHER,
    XTF_PAINT_UNMEASURED,
    XTF_N_PAINTS,
} XtfPaint;

typedef uint32_t XtfColour; /* 0xrrggbb */

XtfPaint xtf_paint_of(XtfRegionClass class);

/* Returns the preferred slot of a name among the colours of the program. */
unsigned xtf_program_slot(const char *name);
XtfColour xtf_program_colour(unsigned slot);
/* Returns a pale colour for a region around nearly all of the run, in which only the children matter. */
XtfColour xtf_root_colour(void);
/* Returns the colour of an amount from 0, the least, to 1, the greatest: pale to dark. */
XtfColour xtf_ramp_colour(double amount);
/* Returns the colour of a region that is not the program's. */
XtfColour xtf_class_colour(XtfRegionClass class, const char *name);

void xtf_colour_print(XtfColour colour, char text[static XTF_COLOUR_TEXT]);
/* True if white is easier to read on the colour than black (WCAG's contrast). */
bool xtf_colour_is_dark(XtfColour colour);
