/* The cells `difference` and `ratio`, which compare two numbers or two times. */
#pragma once

#include "src/trace/text/lines.h"

enum { XTF_RATIO_WIDTH = 9 }; /* characters of 1.235e+05, a ratio with four digits */

static inline unsigned __int128 xtf_wide_distance(unsigned __int128 a, unsigned __int128 b)
{
    return a > b ? a - b : b - a;
}

static inline void xtf_lines_difference(XtfLines *lines, unsigned __int128 a, unsigned __int128 b)
{
    xtf_lines_signed_wide(lines, b < a, xtf_wide_distance(a, b));
}

static inline void xtf_lines_ticks_difference(XtfLines *lines, unsigned __int128 a, unsigned __int128 b)
{
    xtf_lines_signed_ticks(lines, b < a, xtf_wide_distance(a, b));
}

/* Adds b / a, or a dash if a is 0 or `known` is false. */
static inline void xtf_lines_ratio(XtfLines *lines, bool known, double a, double b)
{
    if (known && a != 0)
        xtf_lines_real(lines, "%.4g", b / a);
    else
        xtf_lines_none(lines);
}
