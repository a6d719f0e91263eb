#include "src/trace/typed/quantity.h"

#include <glib.h>
#include <math.h>

const XtfUnit xtf_units_of_time[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {NULL, 0}};

const char *xtf_quantity_number(const char *text, double *number)
{
    bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;

    if (is_hexadecimal || !g_ascii_isdigit(text[text[0] == '.']))
        return NULL;
    *number = g_ascii_strtod(text, &end);
    return isfinite(*number) ? end : NULL;
}

bool xtf_quantity_parse(const char *text, const XtfUnit *units, double *value)
{
    double number;
    const char *unit = xtf_quantity_number(text, &number);

    for (; unit && units->name; units++) {
        if (!g_str_equal(unit, units->name) || !isfinite(number * units->value))
            continue;
        *value = number * units->value;
        return true;
    }
    return false;
}
