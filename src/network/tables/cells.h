/*
 * Numbers of measured networks in columns.
 */
#pragma once

#include "src/trace/text/lines.h"

enum {
    XTF_LINK_CELL = 11,  /* characters of a value */
    XTF_LINK_FIGURE = 11 /* of a figure of a fit */
};

/* Fills `width` characters before `end` with a value to four decimals; one that is too wide for that has an exponent.
 * NaN is a dash. */
void xtf_link_put(char *end, double value);
/* The same as a cell of a table. */
void xtf_link_cell(XtfLines *lines, double value);
/* A figure of a fit: four digits; NaN is a dash. */
void xtf_link_figure(XtfLines *lines, double value);
