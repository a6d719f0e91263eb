#include "src/network/tables/cells.h"

#include <math.h>
#include <string.h>

#include "src/trace/text/digits.h"

enum {
    DECIMALS = 4,
};
#define SCALE     1e4
#define FIXED_MAX 1e6 /* values below it fit with their decimals */

void xtf_link_put_value(char *end, double value)
{
    char *begin = end - XTF_LINK_CELL;

    memset(begin, ' ', XTF_LINK_CELL);
    if (isnan(value)) {
        end[-1] = '-';
    } else if (value >= 0 && value < FIXED_MAX - 1) {
        uint64_t scaled = (uint64_t)(value * SCALE + 0.5);
        xtf_put_padded(end, scaled % (uint64_t)SCALE, DECIMALS);
        end[-DECIMALS - 1] = '.';
        xtf_put_digits(end - DECIMALS - 1, scaled / (uint64_t)SCALE);
    } else {
        char text[64];
        int length = g_snprintf(text, sizeof text, "%.3e", value);
        memcpy(end - MIN(length, XTF_LINK_CELL), text, MIN((size_t)length, XTF_LINK_CELL));
    }
}

void xtf_link_add_cell(XtfLines *lines, double value)
{
    char text[XTF_LINK_CELL + 1] = "";

    if (isnan(value)) {
        xtf_lines_none(lines);
        return;
    }
    xtf_link_put_value(text + XTF_LINK_CELL, value);
    xtf_lines_real_text(lines, value, text + strspn(text, " "));
}

void xtf_link_add_figure(XtfLines *lines, double value)
{
    if (isnan(value))
        xtf_lines_none(lines);
    else
        xtf_lines_real(lines, "%.3e", value);
}
