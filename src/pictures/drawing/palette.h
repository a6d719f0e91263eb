/*
 * The palette: a colour for each region, by its class and its name alone, so that it is the same in all pictures of a
 * trace, and nearly always in those of other traces.
 *
 * A class has a hue and a lightness, since two hues alone are one for many colour-blind eyes; a name is a step of
 * lightness in it. Regions of the program take one of twelve colours. Colours are made in OKLCH (B. Ottosson, "A
 * perceptual color space for image processing", 2020), where equal steps look equal.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/model/region-class.h"

enum {
    XTF_PROGRAM_COLOURS = 12,
    XTF_COLOUR_TEXT = 8, /* "#rrggbb", with a NUL */
};

/* How pictures group classes, from the bottom of a stack to its top: the top edge of the program is a curve of its own,
 * useful work over time. */
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

/* The slot that a name asks for among the colours of the program. */
unsigned xtf_program_slot(const char *name);
XtfColour xtf_program_colour(unsigned slot);
/* Of a region around nearly all of the run, whose children are what matters: pale. */
XtfColour xtf_root_colour(void);
/* Amounts, from 0, the least, to 1, the greatest: pale to dark. */
XtfColour xtf_ramp_colour(double amount);
/* Of a region that is not the program's. */
XtfColour xtf_class_colour(XtfRegionClass class, const char *name);

void xtf_colour_print(XtfColour colour, char text[static XTF_COLOUR_TEXT]);
/* Whether white is read better on it than black (WCAG's contrast). */
bool xtf_colour_is_dark(XtfColour colour);
