#include "src/import/opents/numbers.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum {
    DIGITS_MAX = 19,    /* a uint64_t holds any number of 19 digits */
    EXPONENT_MAX = 400, /* a greater one makes the number infinite, or 0 */
    TICK_DIGITS = 9,
    EXACT_TENS = 22, /* powers of ten up to 10^22 are exact doubles */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool xtf_opents_read_count(const char *text, uint64_t *n)
{
    const char *p = text;

    for (*n = 0; is_digit(*p); p++)
        if (__builtin_mul_overflow(*n, 10, n) || __builtin_add_overflow(*n, (uint64_t)(*p - '0'), n))
            return false;
    return p > text && *p == '\0' && *n != UINT64_MAX; /* UINT64_MAX means "none" in the trace */
}

static const char *read_digits(const char *p, XtfDecimal *decimal, unsigned *n_kept, bool behind_point)
{
    for (; is_digit(*p); p++) {
        if (behind_point) {
            decimal->decimals++;
            decimal->trailing = *p == '0';
        }
        if (*n_kept < DIGITS_MAX) {
            decimal->digits = 10 * decimal->digits + (uint64_t)(*p - '0');
            *n_kept += decimal->digits > 0;
            decimal->exponent -= behind_point;
        } else {
            decimal->cut |= *p != '0';
            decimal->exponent += !behind_point;
        }
    }
    return p;
}

static const char *read_exponent(const char *p, XtfDecimal *decimal)
{
    bool minus = p[1] == '-';
    int exponent = 0;

    p += p[1] == '-' || p[1] == '+' ? 2 : 1;
    if (!is_digit(*p))
        return NULL;
    for (; is_digit(*p); p++)
        exponent = MIN(10 * exponent + (*p - '0'), EXPONENT_MAX);
    decimal->exponent += minus ? -exponent : exponent;
    decimal->unusual = true;
    return p;
}

bool xtf_opents_read_decimal(const char *text, XtfDecimal *decimal)
{
    const char *p = text;
    unsigned n_kept = 0;

    *decimal = (XtfDecimal){.negative = *p == '-'};
    p += decimal->negative;
    const char *first = p;
    p = read_digits(p, decimal, &n_kept, false);
    bool has_digits = p > first;
    decimal->unusual = !has_digits || (*first == '0' && p > first + 1);
    if (*p == '.') {
        first = ++p;
        p = read_digits(p, decimal, &n_kept, true);
        has_digits = has_digits || p > first;
        decimal->unusual |= p == first;
    }
    if (has_digits && (*p == 'e' || *p == 'E'))
        p = read_exponent(p, decimal);
    return has_digits && p && *p == '\0';
}

bool xtf_opents_ticks(const XtfDecimal *seconds, uint64_t *ticks, bool *rounded)
{
    int exponent = seconds->exponent + TICK_DIGITS;
    uint64_t n = seconds->digits, remainder = 0, unit = 1;

    *rounded = seconds->cut;
    *ticks = 0;
    if (n == 0)
        return true;
    if (seconds->negative)
        return false;
    for (; exponent > 0; exponent--)
        if (__builtin_mul_overflow(n, 10, &n))
            return false;
    if (exponent < -DIGITS_MAX) { /* less than half a tick */
        *rounded = true;
        return true;
    }
    for (; exponent < 0 && n > 0; exponent++) {
        remainder += n % 10 * unit; /* below 10^19, which is less than 2^64 */
        unit *= 10;
        n /= 10;
    }
    /* The loop ends before exponent is 0 only if all digits are in `remainder`: then it is less than a tenth of a tick.
     */
    bool half = exponent == 0 && unit > 1 && remainder >= unit / 2;
    *rounded |= remainder > 0;
    *ticks = n + half;
    return *ticks != UINT64_MAX;
}

bool xtf_opents_real(const XtfDecimal *decimal, const char *text, double *value)
{
    static const double tens[EXACT_TENS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int exponent = decimal->exponent;

    /* Digits and power of ten are exact doubles, so that one division gives the nearest double (Clinger, "How to read
     * floating point numbers accurately"). */
    if (decimal->digits < UINT64_C(1) << 53 && exponent <= 0 && exponent >= -EXACT_TENS)
        *value = (double)decimal->digits / tens[-exponent];
    else
        *value = g_ascii_strtod(text, NULL);
    return (!decimal->negative || decimal->digits == 0) && isfinite(*value);
}
