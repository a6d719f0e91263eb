#include "src/trace/typed/frame-rate.h"

#include <string.h>

#include "libxtf/error.h"

typedef unsigned __int128 Wide;

enum {
    DIGITS_MAX = 12, /* most digits of a rate: so no product below exceeds 128 bits */
};

static const uint64_t divisor_max = UINT64_C(1) << 62;

typedef struct {
    const char *name;
    bool per_second;  /* true: the number is frames per second; false: the length of a frame */
    uint64_t divisor; /* units of length in a second */
} Unit;

static const Unit units[] = {
    {"fps", true, 1},       {"s", false, 1},           {"ms", false, 1000},
    {"us", false, 1000000}, {"ns", false, 1000000000}, {NULL, false, 0},
};

static Wide greatest_common_divisor(Wide a, Wide b)
{
    while (b) {
        Wide r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Parses a decimal number as digits / power. Returns its end; NULL if there is none or it has too many digits. */
static const char *parse_decimal(const char *text, uint64_t *digits, uint64_t *power)
{
    const char *p = text;
    unsigned n = 0;
    bool point = false;

    *digits = 0;
    *power = 1;
    for (; g_ascii_isdigit(*p) || (*p == '.' && !point && n); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (++n > DIGITS_MAX)
            return NULL;
        *digits = *digits * 10 + (uint64_t)(*p - '0');
        *power *= point ? 10 : 1;
    }
    return n ? p : NULL;
}

static const Unit *parse_rate(const char *text, uint64_t *digits, uint64_t *power)
{
    const char *end = parse_decimal(text, digits, power);
    const Unit *unit = units;

    if (!end || !*digits)
        return NULL;
    while (unit->name && !g_str_equal(unit->name, end))
        unit++;
    return unit->name ? unit : NULL;
}

/* Counts the frames up to the trace's end: the least n with n * num / den >= the trace's length. */
static uint64_t count_frames(const XtfTimeScale *scale, Wide num, uint64_t den)
{
    Wide length = scale->end - scale->origin;
    return (uint64_t)((length * den + num - 1) / num);
}

bool xtf_frame_rate_parse(XtfFrameRate *rate, const XtfTimeScale *scale, const char *text, GError **error)
{
    uint64_t digits, power;
    const Unit *unit = parse_rate(text, &digits, &power);

    if (!unit)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "\"%s\" is not a frame rate: write frames per second, such as 25fps, or a frame's length, "
                        "such as 40ms (s ms us ns), with at most %d digits",
                        text, DIGITS_MAX);
    /* In ticks: resolution / rate, or resolution * length. */
    Wide num = (Wide)scale->num * (unit->per_second ? power : digits), den;
    bool fits =
        !__builtin_mul_overflow((Wide)scale->den * (unit->per_second ? digits : power), (Wide)unit->divisor, &den);
    Wide common = fits ? greatest_common_divisor(num, den) : 1;
    num /= common;
    den /= common;
    if (fits && num < den)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "frames of \"%s\" are shorter than a tick of this trace's clock",
                        text);
    if (!fits || den > divisor_max || num / den > UINT64_MAX / 2)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "frames of \"%s\" need numbers beyond 64 bits in this trace's ticks", text);
    rate->divisor = (uint64_t)den;
    rate->whole = (uint64_t)(num / den);
    rate->remainder = (uint64_t)(num % den);
    rate->n = count_frames(scale, num, rate->divisor);
    return true;
}

uint64_t xtf_frame_rate_bound(const XtfFrameRate *rate, const XtfTimeScale *scale, uint64_t k)
{
    Wide ticks = (Wide)rate->whole * k + (Wide)rate->remainder * k / rate->divisor;
    return ticks > UINT64_MAX - scale->origin ? UINT64_MAX : scale->origin + (uint64_t)ticks;
}

uint64_t xtf_frame_rate_at(const XtfFrameRate *rate, const XtfTimeScale *scale, uint64_t t)
{
    uint64_t low = 0, high = rate->n; /* bound(low) <= t < bound(high), inside the trace */

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (xtf_frame_rate_bound(rate, scale, middle) <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}
