/*
 * Ticks as decimal times, printed and parsed. All arithmetic is exact, without floating point.
 *
 * A time is printed with `digits` digits after the point, not rounded. Parsing yields the first tick at or after the
 * written time. Since 10^-digits is at most a tick, a printed tick is parsed as the same tick.
 *
 * The clock of a measured network counts bytes, the lengths of messages. A tick is then a byte, and units are B, K and
 * M.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

typedef struct {
    uint64_t num, den; /* of the resolution, in lowest terms */
    uint64_t origin;   /* time that counts as 0, in ticks of the trace */
    uint64_t last;     /* time of the last record; the origin if there are no records */
    uint64_t end;      /* 100%: one tick after the last record; in a growing trace the complete time */
    unsigned digits;   /* digits after the decimal point */
    unsigned width;    /* characters of the trace's longest time */
    uint64_t fraction; /* 10^digits; 0: too large, so digits are computed one by one */
    /* 2^60 * fraction / num, rounded down, which replaces the division by num. 0 if the clock has no such inverse; else
     * a second is exactly num ticks. */
    uint64_t inverse;
    bool bytes; /* the clock counts bytes; set after xtf_time_scale_init() by the caller */
} XtfTimeScale;

/* End of an open window: after every record, even one at the last tick. */
#define XTF_TIME_OPEN UINT64_MAX

enum {
    XTF_TIME_TEXT_MAX = 64, /* bytes of one time, with a NUL */
    XTF_WINDOW_TEXT_MAX = 2 * XTF_TIME_TEXT_MAX,
};

void xtf_time_scale_init(XtfTimeScale *scale, const XtfClock *clock);
/* Makes the scale of a growing trace: columns fit the widest time of any trace, and 100% is the complete time. */
void xtf_time_scale_init_growing(XtfTimeScale *scale, const XtfClock *clock);

/* Returns "s", or "B" if the clock counts bytes. */
const char *xtf_time_scale_unit(const XtfTimeScale *scale);
/* Returns the name of the directory of windows and of the first column of records: "time", or "length" if the clock
 * counts bytes. */
const char *xtf_time_scale_name(const XtfTimeScale *scale);

/* Writes ticks as seconds before `end`; returns the first character. */
char *xtf_time_scale_put(const XtfTimeScale *scale, uint64_t ticks, char *end);

/* First tick of a second whose whole part is in a line already. */
typedef uint64_t XtfSecond;

/* True if a time is in the same second. False for any time if the clock has no inverse. */
static inline bool xtf_time_scale_same_second(const XtfTimeScale *scale, XtfSecond second, uint64_t ticks)
{
    return scale->inverse != 0 && ticks >= second && ticks - second < scale->num;
}

/* Fills the `width` characters before `end` with blanks and a time, and sets *second. */
void xtf_time_scale_put_second(const XtfTimeScale *scale, uint64_t ticks, char *end, XtfSecond *second);
/* Writes n times; each ends `at` bytes after the beginning of its line. Each line has `second` there already. */
void xtf_time_scale_put_column(const XtfTimeScale *scale, XtfSecond second, const uint64_t *ticks, uint32_t n,
                               char *const *lines, size_t at);

/* Writes the name of a window, "1.5-2": seconds after the origin without trailing zeros. An open end has no number. */
void xtf_time_scale_print_window(const XtfTimeScale *scale, uint64_t a, uint64_t b,
                                 char text[static XTF_WINDOW_TEXT_MAX]);

/* Writes the name of an instant, "1.5". */
void xtf_time_scale_print_instant(const XtfTimeScale *scale, uint64_t t, char text[static XTF_TIME_TEXT_MAX]);

/* Parses a window, "100-200", "1.5ms-" or "-5%", as [*a, *b) in ticks. A number without a unit is in seconds. With a
 * percentage, only 0 may lack a unit. Fails with XTF_ERROR_NOT_FOUND. */
bool xtf_time_scale_parse_window(const XtfTimeScale *scale, const char *text, uint64_t *a, uint64_t *b, GError **error);
/* Parses an instant, "1.5" or "50%", as ticks, at most UINT64_MAX. */
bool xtf_time_scale_parse_instant(const XtfTimeScale *scale, const char *text, uint64_t *t, GError **error);

/* Returns ticks in seconds, rounded, for quotients. */
static inline double xtf_seconds_of(const XtfTimeScale *scale, unsigned __int128 ticks)
{
    return (double)ticks * (double)scale->den / (double)scale->num;
}

/* Returns ticks in nanoseconds, rounded down, modulo 2^64. */
static inline uint64_t xtf_nanoseconds_of(const XtfTimeScale *scale, unsigned __int128 ticks)
{
    ticks *= scale->den;
    return (uint64_t)(ticks / scale->num * 1000000000 + ticks % scale->num * 1000000000 / scale->num);
}

/* Returns the i-th of the n + 1 bounds of n time bins that divide [a, b) as equally as ticks allow. */
static inline uint64_t xtf_time_bin_bound(uint64_t a, uint64_t b, uint64_t i, uint64_t n)
{
    return a + (uint64_t)((unsigned __int128)(b - a) * i / n);
}
