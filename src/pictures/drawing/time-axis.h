/*
 * The axis of time of a picture: ticks at multiples of 1, 2 or 5 of a power of ten, some twelve of them in a wide
 * picture, with labels in the unit that makes them short. If they would still be long, a base is told once, and ticks
 * count from there.
 */
#pragma once

#include "src/pictures/drawing/drawing.h"
#include "src/trace/text/time-scale.h"

typedef struct {
    uint64_t from, to;    /* the window, ticks */
    uint32_t left, width; /* of the plot, pixels */
} XtfPlot;

/* The least of 1, 2 or 5 times a power of ten that is no less than a positive number. */
double xtf_round_up(double number);

/* The place of a time, pixels from the left of the picture. */
double xtf_plot_x(const XtfPlot *plot, uint64_t t);

/* The ticks' labels, with `y` below them, and lines down from there to `bottom`. */
void xtf_draw_time_axis(XtfDrawing *drawing, const XtfTimeScale *scale, const XtfPlot *plot, int y, int bottom);

/* A time in a unit of its size, with three digits after the point: "1.535 s". */
void xtf_time_in_words(const XtfTimeScale *scale, uint64_t ticks, char *text, size_t size);
