/*
 * The time axis of a picture. Ticks are at multiples of 1, 2 or 5 times a power of ten, some twelve of them in a wide
 * picture. Labels are in the unit that makes them short. If they would still be long, the axis shows a base once, and
 * labels count from the base.
 */
#pragma once

#include "src/pictures/drawing/drawing.h"
#include "src/trace/text/time-scale.h"

typedef struct {
    uint64_t from, to;    /* bounds of the window in ticks */
    uint32_t left, width; /* pixels of the plot */
} XtfPlot;

/* Returns the least of 1, 2 or 5 times a power of ten that is not less than a positive number. */
double xtf_round_up(double number);

/* Returns the pixels from the left of the picture to a time. */
double xtf_plot_x(const XtfPlot *plot, uint64_t t);

/* Draws the ticks' labels, whose base line is `y`, and lines down from there to `bottom`. */
void xtf_draw_time_axis(XtfDrawing *drawing, const XtfTimeScale *scale, const XtfPlot *plot, int y, int bottom);

/* Prints a time in a unit of its size, with four digits: "1.535 s". */
void xtf_time_in_words(const XtfTimeScale *scale, uint64_t ticks, char *text, size_t size);
