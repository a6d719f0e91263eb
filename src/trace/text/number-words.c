#include "src/trace/text/number-words.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Returns `value` with at most three significant digits, followed by `unit`. Keeps all digits before the point. */
static XtfWord word_of(double value, const char *unit)
{
    XtfWord word;
    int magnitude = value > 0 ? (int)floor(log10(value)) : 0;
    int digits = CLAMP(2 - magnitude, 0, 9);
    char number[XTF_WORD_TEXT];

    /* Rounding may add a digit before the point: 9.996 becomes 10. */
    if (digits > 0 && value > 0 && round(value * pow(10, digits)) >= pow(10, magnitude + 1 + digits))
        digits--;
    g_ascii_formatd(number, sizeof number, digits ? (char[]){'%', '.', (char)('0' + digits), 'f', '\0'} : "%.0f",
                    value);
    if (digits) {
        char *end = number + strlen(number);
        while (end[-1] == '0')
            *--end = '\0';
        if (end[-1] == '.')
            end[-1] = '\0';
    }
    g_snprintf(word.text, sizeof word.text, "%s%s", number, unit);
    return word;
}

/* Returns a value, given in units[0], in the largest unit that leaves at least 1 before the point. Each unit is `step`
 * times the next. */
static XtfWord scaled_word(double value, double step, const char *const units[])
{
    while (units[1] && fabs(value) < 0.9995) {
        value *= step;
        units++;
    }
    return word_of(value, *units);
}

XtfWord xtf_word_seconds(double seconds)
{
    static const char *const units[] = {" s", " ms", " us", " ns", NULL};

    return seconds <= 0 ? word_of(0, " s") : scaled_word(seconds, 1000, units);
}

XtfWord xtf_word_percent(double hundredths)
{
    return word_of(hundredths / 100, " %");
}

XtfWord xtf_word_ratio(double ratio)
{
    return word_of(ratio, "");
}

XtfWord xtf_word_bytes(double bytes)
{
    static const char *const units[] = {" TB", " GB", " MB", " KB", NULL};

    return bytes < 9999.5 ? word_of(round(bytes), " bytes") : scaled_word(bytes / 1e12, 1000, units);
}

XtfWord xtf_word_count(uint64_t count)
{
    enum { EXACT = 100000 };

    if (count >= EXACT)
        return word_of((double)count / 1e6, " million");
    XtfWord word;
    g_snprintf(word.text, sizeof word.text, "%" PRIu64, count);
    return word;
}

XtfWord xtf_word_time(double seconds, double length)
{
    XtfWord word;
    int digits = length > 0 ? CLAMP(2 - (int)floor(log10(length)), 0, 12) : 9;

    g_snprintf(word.text, sizeof word.text, "%.*f s", digits, seconds);
    return word;
}
