#include "src/import/chrome/numbers.h"

#include <string.h>

enum {
    DIGITS_MAX = 19, /* digits that are kept of a mantissa */
    EXPONENT_MAX = 10000,
    MICROSECOND = 3, /* a microsecond has 10^3 nanoseconds */
    REAL_BYTES = 400,
};

typedef struct {
    bool negative, inexact; /* inexact: digits other than 0 were dropped */
    uint64_t mantissa;
    int exponent; /* of ten */
} Decimal;

static const char *read_exponent(const char *p, int *exponent)
{
    bool negative = *p == '-';

    p += *p == '-' || *p == '+';
    if (!g_ascii_isdigit(*p))
        return NULL;
    for (*exponent = 0; g_ascii_isdigit(*p); p++)
        *exponent = MIN(*exponent * 10 + (*p - '0'), EXPONENT_MAX);
    *exponent = negative ? -*exponent : *exponent;
    return p;
}

/* Reads the digits of the mantissa. Returns the byte after them; NULL if there are none. */
static const char *read_mantissa(const char *p, Decimal *decimal)
{
    const char *first = p;
    bool fraction = false;
    int n = 0;

    for (; g_ascii_isdigit(*p) || (*p == '.' && !fraction); p++) {
        if (*p == '.') {
            fraction = true;
        } else if (n < DIGITS_MAX) {
            decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*p - '0');
            n += decimal->mantissa > 0;
            decimal->exponent -= fraction;
        } else {
            decimal->inexact |= *p != '0';
            decimal->exponent += !fraction;
        }
    }
    return p > first && g_ascii_isdigit(*first) ? p : NULL;
}

static bool read_decimal(const char *text, gsize size, Decimal *decimal)
{
    int exponent = 0;

    *decimal = (Decimal){.negative = *text == '-'};
    const char *p = read_mantissa(text + decimal->negative, decimal);
    if (p && (*p == 'e' || *p == 'E'))
        p = read_exponent(p + 1, &exponent);
    decimal->exponent += exponent;
    return p == text + size;
}

bool xtf_chrome_read_time(const char *text, gsize size, int64_t *ns, bool *rounded)
{
    Decimal decimal;

    if (!read_decimal(text, size, &decimal))
        return false;
    bool half = false;
    *rounded |= decimal.inexact;
    for (decimal.exponent += MICROSECOND; decimal.exponent > 0 && decimal.mantissa > 0; decimal.exponent--)
        if (decimal.mantissa > XTF_CHROME_TIME_MAX || __builtin_mul_overflow(decimal.mantissa, 10, &decimal.mantissa))
            return false;
    for (; decimal.exponent < 0 && (decimal.mantissa > 0 || half); decimal.exponent++) {
        *rounded |= decimal.mantissa % 10 != 0;
        half = decimal.mantissa % 10 >= 5;
        decimal.mantissa /= 10;
    }
    decimal.mantissa += half;
    if (decimal.mantissa > XTF_CHROME_TIME_MAX)
        return false;
    *ns = decimal.negative ? -(int64_t)decimal.mantissa : (int64_t)decimal.mantissa;
    return true;
}

bool xtf_chrome_read_unsigned(const char *text, gsize size, uint64_t *value)
{
    uint64_t n = 0;

    if (size == 0)
        return false;
    for (gsize i = 0; i < size; i++)
        if (!g_ascii_isdigit(text[i]) || __builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n))
            return false;
    *value = n;
    return true;
}

bool xtf_chrome_read_integer(const char *text, gsize size, int64_t *value)
{
    bool negative = size > 0 && *text == '-';
    uint64_t n;

    if (!xtf_chrome_read_unsigned(text + negative, size - negative, &n) || n > (uint64_t)INT64_MAX + negative)
        return false;
    *value = (int64_t)(negative ? -n : n);
    return true;
}

bool xtf_chrome_read_whole(const char *text, gsize size, uint64_t *value)
{
    Decimal decimal;

    if (xtf_chrome_read_unsigned(text, size, value))
        return true;
    if (!read_decimal(text, size, &decimal) || decimal.inexact || (decimal.negative && decimal.mantissa > 0))
        return false;
    for (; decimal.exponent > 0 && decimal.mantissa > 0; decimal.exponent--)
        if (__builtin_mul_overflow(decimal.mantissa, 10, &decimal.mantissa))
            return false;
    for (; decimal.exponent < 0 && decimal.mantissa > 0; decimal.exponent++, decimal.mantissa /= 10)
        if (decimal.mantissa % 10 != 0)
            return false;
    *value = decimal.mantissa;
    return true;
}

double xtf_chrome_read_real(const char *text, gsize size)
{
    char digits[REAL_BYTES + 1];
    gsize n = MIN(size, REAL_BYTES);

    memcpy(digits, text, n);
    digits[n] = '\0';
    return g_ascii_strtod(digits, NULL);
}

static bool read_hexadecimal(const char *text, gsize size, uint64_t *value)
{
    *value = 0;
    if (size < 3 || size > 18 || text[0] != '0' || (text[1] | 32) != 'x')
        return false;
    for (gsize i = 2; i < size; i++) {
        int digit = g_ascii_xdigit_value(text[i]);
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint64_t)digit;
    }
    return true;
}

uint64_t xtf_chrome_read_id(const char *text, gsize size)
{
    uint64_t value;

    if (xtf_chrome_read_unsigned(text, size, &value) || read_hexadecimal(text, size, &value))
        return value;
    value = UINT64_C(0xcbf29ce484222325); /* FNV-1a: the same number in each import */
    for (gsize i = 0; i < size; i++)
        value = (value ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return value;
}
