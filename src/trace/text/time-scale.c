#include "src/trace/text/time-scale.h"

#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/trace/text/digits.h"

typedef unsigned __int128 Wide;

enum {
    NUMBER_DIGITS_MAX = 40, /* most digits of a number in a path; any tick needs fewer */
    LIMBS = 6,              /* 384 bits; 40 digits * unit * resolution take 209 */
    INVERSE_BITS = 60,
};

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Returns the least number of digits after the point whose last digit is at most a tick: 10^digits * den >= num. */
static unsigned count_resolution_digits(uint64_t num, uint64_t den)
{
    unsigned digits = 0;
    for (Wide power = den; power < num; power *= 10)
        digits++;
    return digits;
}

static unsigned count_characters(const XtfTimeScale *scale, uint64_t ticks)
{
    char text[XTF_TIME_TEXT_MAX], *end = text + sizeof text;
    return (unsigned)(end - xtf_time_scale_put(scale, ticks, end));
}

void xtf_time_scale_init(XtfTimeScale *scale, const XtfClock *clock)
{
    uint64_t num = MAX(clock->resolution_num, 1), den = MAX(clock->resolution_den, 1);
    uint64_t divisor = greatest_common_divisor(num, den);
    bool empty = clock->first > clock->last;

    *scale = (XtfTimeScale){.num = num / divisor, .den = den / divisor};
    if (empty)
        scale->origin = clock->origin == UINT64_MAX ? 0 : clock->origin;
    else
        scale->origin = MIN(clock->origin, clock->first);
    scale->last = empty ? scale->origin : clock->last;
    scale->end = empty ? scale->origin : scale->last + (scale->last < UINT64_MAX);
    scale->digits = count_resolution_digits(scale->num, scale->den);
    scale->fraction = scale->digits <= 19 ? xtf_largest_of_digits(scale->digits) + 1 : 0;
    /* Only for seconds of less than 2^60 ticks. The inverse fits 64 bits, since 10^digits < 10 * num. */
    if (scale->fraction && scale->den == 1 && scale->num < UINT64_C(1) << INVERSE_BITS)
        scale->inverse = (uint64_t)(((Wide)scale->fraction << INVERSE_BITS) / scale->num);
    /* Windows and durations print the end, too. */
    scale->width = count_characters(scale, scale->end - scale->origin);
}

void xtf_time_scale_init_growing(XtfTimeScale *scale, const XtfClock *clock)
{
    xtf_time_scale_init(scale, clock);
    scale->width = count_characters(scale, UINT64_MAX);
    if (clock->complete != UINT64_MAX && scale->end > scale->origin)
        scale->end = MAX(clock->complete, scale->origin);
}

/* Writes the digits of remainder / num one by one, for resolutions of more than 10^19 ticks per second. */
static void put_fraction_by_digit(const XtfTimeScale *scale, uint64_t remainder, char *end)
{
    for (char *p = end - scale->digits; p < end; p++) {
        Wide ten = (Wide)remainder * 10;
        *p = (char)('0' + (unsigned)(ten / scale->num));
        remainder = (uint64_t)(ten % scale->num);
    }
}

/* Computes remainder * fraction / num, where remainder < num. The inverse is too small by less than 1 in units of
 * 2^-60, so the quotient is too small by at most 1. */
static inline uint64_t compute_fraction(const XtfTimeScale *scale, uint64_t remainder)
{
    uint64_t quotient = (uint64_t)((Wide)remainder * scale->inverse >> INVERSE_BITS);
    /* Both products may wrap; their difference does not, since it is less than 2 * num. */
    uint64_t excess = remainder * scale->fraction - quotient * scale->num;
    return quotient + (excess >= scale->num);
}

char *xtf_time_scale_put(const XtfTimeScale *scale, uint64_t ticks, char *end)
{
    uint64_t remainder;
    Wide whole;

    if (G_LIKELY(scale->den == 1)) {
        whole = ticks / scale->num;
        remainder = ticks % scale->num;
    } else {
        Wide seconds = (Wide)ticks * scale->den;
        whole = seconds / scale->num;
        remainder = (uint64_t)(seconds % scale->num);
    }
    if (scale->digits) {
        if (G_LIKELY(scale->fraction == scale->num))
            xtf_put_padded(end, remainder, scale->digits);
        else if (G_LIKELY(scale->inverse))
            xtf_put_padded(end, compute_fraction(scale, remainder), scale->digits);
        else if (scale->fraction)
            xtf_put_padded(end, (uint64_t)((Wide)remainder * scale->fraction / scale->num), scale->digits);
        else
            put_fraction_by_digit(scale, remainder, end);
        end -= scale->digits;
        *--end = '.';
    }
    return xtf_put_wide(end, whole);
}

void xtf_time_scale_put_second(const XtfTimeScale *scale, uint64_t ticks, char *end, XtfSecond *second)
{
    memset(end - scale->width, ' ', scale->width);
    xtf_time_scale_put(scale, ticks, end);
    if (scale->inverse)
        *second = ticks - ticks % scale->num;
}

/* Writes a column of times. `plain`: the fraction's digits are the ticks themselves. Callers pass `digits` and `plain`
 * as constants, so that the compiler makes a short loop for each. */
__attribute__((always_inline)) static inline void put_column(const XtfTimeScale *scale, XtfSecond second,
                                                             const uint64_t *ticks, uint32_t n, char *const *lines,
                                                             size_t at, unsigned digits, bool plain)
{
    XtfSecond current = second;

    for (uint32_t i = 0; i < n; i++) {
        char *end = lines[i] + at;
        if (G_UNLIKELY(!xtf_time_scale_same_second(scale, current, ticks[i]) || current != second))
            xtf_time_scale_put_second(scale, ticks[i], end, &current);
        else if (plain && digits <= 9)
            xtf_put_padded_small(end, (uint32_t)(ticks[i] - current), digits);
        else
            xtf_put_padded(end, compute_fraction(scale, ticks[i] - current), digits);
    }
}

void xtf_time_scale_put_column(const XtfTimeScale *scale, XtfSecond second, const uint64_t *ticks, uint32_t n,
                               char *const *lines, size_t at)
{
    bool plain = scale->fraction == scale->num;

    if (plain && scale->digits == 9)
        put_column(scale, second, ticks, n, lines, at, 9, true);
    else if (plain && scale->digits == 6)
        put_column(scale, second, ticks, n, lines, at, 6, true);
    else if (scale->digits == 9)
        put_column(scale, second, ticks, n, lines, at, 9, false);
    else
        put_column(scale, second, ticks, n, lines, at, scale->digits, false);
}

static char *print_bound(const XtfTimeScale *scale, uint64_t t, char *out)
{
    char text[XTF_TIME_TEXT_MAX], *end = text + sizeof text;
    char *begin = xtf_time_scale_put(scale, t - MIN(t, scale->origin), end);

    if (scale->digits) {
        while (end[-1] == '0')
            end--;
        if (end[-1] == '.')
            end--;
    }
    memcpy(out, begin, (size_t)(end - begin));
    return out + (end - begin);
}

void xtf_time_scale_print_instant(const XtfTimeScale *scale, uint64_t t, char text[static XTF_TIME_TEXT_MAX])
{
    *print_bound(scale, t, text) = '\0';
}

void xtf_time_scale_print_window(const XtfTimeScale *scale, uint64_t a, uint64_t b,
                                 char text[static XTF_WINDOW_TEXT_MAX])
{
    char *p = print_bound(scale, a, text);
    *p++ = '-';
    if (b != XTF_TIME_OPEN)
        p = print_bound(scale, b, p);
    *p = '\0';
}

/* ---- Parsing: number * unit * resolution, exact. */

typedef struct {
    uint64_t limbs[LIMBS]; /* limbs of the number, the least significant first */
    bool inexact;          /* a division had a remainder */
} Big;

static void big_multiply_add(Big *big, uint64_t factor, uint64_t carry)
{
    for (unsigned i = 0; i < LIMBS; i++) {
        Wide product = (Wide)big->limbs[i] * factor + carry;
        big->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
}

static void big_divide(Big *big, uint64_t divisor)
{
    uint64_t remainder = 0;
    for (unsigned i = LIMBS; i-- > 0;) {
        Wide dividend = (Wide)remainder << 64 | big->limbs[i];
        big->limbs[i] = (uint64_t)(dividend / divisor);
        remainder = (uint64_t)(dividend % divisor);
    }
    big->inexact |= remainder != 0;
}

/* Returns the number rounded up, at most UINT64_MAX. */
static uint64_t big_ceil(const Big *big)
{
    for (unsigned i = 1; i < LIMBS; i++) {
        if (big->limbs[i])
            return UINT64_MAX;
    }
    return big->limbs[0] + (big->inexact && big->limbs[0] < UINT64_MAX);
}

typedef struct {
    const char *name;
    uint64_t num, den; /* the unit is num / den seconds */
} Unit;

/* A number without a unit is in the first one. */
static const Unit seconds[] = {
    {"s", 1, 1}, {"ms", 1, 1000}, {"us", 1, 1000000}, {"ns", 1, 1000000000}, {"m", 60, 1}, {"h", 3600, 1}, {NULL, 0, 0},
};
static const Unit bytes[] = {{"B", 1, 1}, {"K", 1 << 10, 1}, {"M", 1 << 20, 1}, {NULL, 0, 0}};

const char *xtf_time_scale_unit(const XtfTimeScale *scale)
{
    return scale->bytes ? bytes->name : seconds->name;
}

const char *xtf_time_scale_name(const XtfTimeScale *scale)
{
    return scale->bytes ? "length" : "time";
}

/* Reads a number that ends at `end` or before; *decimals is its digits after the point. Returns the number's end; NULL
 * with an error. */
static const char *parse_number(const char *text, const char *end, Big *big, unsigned *decimals, GError **error)
{
    const char *p = text, *point = NULL;
    unsigned n_digits = 0;

    for (; p < end && (g_ascii_isdigit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = p;
            continue;
        }
        if (++n_digits > NUMBER_DIGITS_MAX) {
            xtf_fail(error, XTF_ERROR_NOT_FOUND, "a time has more than %d digits", NUMBER_DIGITS_MAX);
            return NULL;
        }
        big_multiply_add(big, 10, (uint64_t)(*p - '0'));
    }
    if (!n_digits) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "\"%.*s\" is not a time: a time begins with a number", (int)(end - text),
                 text);
        return NULL;
    }
    *decimals = point ? (unsigned)(p - point - 1) : 0;
    return p;
}

typedef enum {
    IN_UNIT,
    IN_PERCENT,
    WITHOUT_UNIT, /* the number means seconds */
} Written;

/* Multiplies a number by its unit, the text from `name` to `end`, so that it becomes ticks. */
static bool apply_unit(const XtfTimeScale *scale, const char *name, const char *end, Big *big, Written *written,
                       GError **error)
{
    size_t length = (size_t)(end - name);
    const Unit *unit = scale->bytes ? bytes : seconds;

    *written = length == 0 ? WITHOUT_UNIT : length == 1 && *name == '%' ? IN_PERCENT : IN_UNIT;
    if (*written == IN_PERCENT) {
        big_multiply_add(big, scale->end - scale->origin, 0);
        big_divide(big, 100);
        return true;
    }
    while (length && unit->name && (strlen(unit->name) != length || memcmp(unit->name, name, length) != 0))
        unit++;
    if (!unit->name)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "\"%.*s\" is not a unit of %s; the units are %s %%", (int)length,
                        name, xtf_time_scale_name(scale), scale->bytes ? "B K M" : "ns us ms s m h");
    big_multiply_add(big, unit->num, 0);
    big_multiply_add(big, scale->num, 0);
    big_divide(big, unit->den);
    big_divide(big, scale->den);
    return true;
}

static bool parse_time(const XtfTimeScale *scale, const char *text, const char *end, uint64_t *t, Written *written,
                       GError **error)
{
    Big big = {0};
    unsigned decimals = 0;
    const char *unit = parse_number(text, end, &big, &decimals, error);

    if (!unit || !apply_unit(scale, unit, end, &big, written, error))
        return false;
    while (decimals--)
        big_divide(&big, 10);

    uint64_t ticks = big_ceil(&big);
    *t = ticks > UINT64_MAX - scale->origin ? UINT64_MAX : scale->origin + ticks;
    return true;
}

/* Fails if a number without a unit is used with a percentage, since it may mean seconds or percent. 0 is 0 in all
 * units.
 */
static bool check_units(const XtfTimeScale *scale, const char *text, int length, uint64_t t, Written written,
                        Written other_bound, GError **error)
{
    if (written != WITHOUT_UNIT || other_bound != IN_PERCENT || t == scale->origin)
        return true;
    return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                    "with a percentage, \"%.*s\" could be seconds or percent: write %.*ss or %.*s%%", length, text,
                    length, text, length, text);
}

bool xtf_time_scale_parse_window(const XtfTimeScale *scale, const char *text, uint64_t *a, uint64_t *b, GError **error)
{
    const char *dash = strchr(text, '-'), *end = text + strlen(text);
    Written from_written = IN_UNIT, to_written = IN_UNIT;
    uint64_t from = 0, to = XTF_TIME_OPEN;

    if (!dash || end - text == 1)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "\"%s\" is not a window of time: write A-B, A- or -B, such as 1.5s-2s or 10%%-; an instant is "
                        "below at/",
                        text);
    const char *last = dash + 1;
    if (dash > text && !parse_time(scale, text, dash, &from, &from_written, error))
        return false;
    if (last < end && !parse_time(scale, last, end, &to, &to_written, error))
        return false;
    if (!check_units(scale, text, (int)(dash - text), from, from_written, to_written, error) ||
        !check_units(scale, last, (int)(end - last), to, to_written, from_written, error))
        return false;
    if (from > to)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "the window \"%s\" ends before it begins%s", text,
                        g_ascii_isdigit(dash[-1]) ? " (a number without a unit is in seconds)" : "");
    *a = from;
    *b = to;
    return true;
}

bool xtf_time_scale_parse_instant(const XtfTimeScale *scale, const char *text, uint64_t *t, GError **error)
{
    Written written;

    if (strchr(text, '-'))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "\"%s\" is not an instant: write 1.5s or 10%%; a window is below time/", text);
    return parse_time(scale, text, text + strlen(text), t, &written, error);
}
