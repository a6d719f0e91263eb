/*
 * Formats values of measured networks in columns.
 */
#pragma once

#include "src/trace/text/lines.h"

enum {
    XTF_LINK_CELL = 11,  /* characters of a value */
    XTF_LINK_FIGURE = 11 /* characters of a figure of a fit */
};

/* Fills the XTF_LINK_CELL characters before `end` with a value. It has four decimals, or an exponent if it is too wide.
 * NaN is a dash. */
void xtf_link_put_value(char *end, double value);
/* Adds the text that xtf_link_put_value() writes as a cell of a table. */
void xtf_link_add_cell(XtfLines *lines, double value);
/* Adds a figure of a fit as a cell: four digits. NaN is a dash. */
void xtf_link_add_figure(XtfLines *lines, double value);
