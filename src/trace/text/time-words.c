#include "src/trace/text/time-words.h"

#include <stdio.h>

const XtfTimeUnit xtf_time_units[XTF_TIME_UNITS] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

unsigned xtf_time_unit_of(double seconds)
{
    unsigned unit = 0;

    while (unit + 1 < XTF_TIME_UNITS && seconds < xtf_time_units[unit].seconds)
        unit++;
    return unit;
}

void xtf_time_in_words(const XtfTimeScale *scale, uint64_t ticks, char *text, size_t size)
{
    double seconds = xtf_seconds_of(scale, ticks);
    const XtfTimeUnit *unit = &xtf_time_units[seconds > 0 ? xtf_time_unit_of(seconds) : 0];

    snprintf(text, size, "%.4g %s", seconds / unit->seconds, unit->name);
}
