/*
 * Ticks, and times as people write them. All arithmetic is exact, without floating point.
 *
 * A time is printed with `digits` digits after the point, not rounded, and parsed as the first tick at or after the
 * written time. Since 10^-digits is at most a tick, a printed tick is read back as the same tick.
 *
 * The clock of a measured network counts bytes, the lengths of messages: a tick is a byte, and units are B, K and M.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/handles.h"

typedef struct {
    uint64_t num, den; /* of the resolution, in lowest terms */
    uint64_t origin;   /* time 0 */
    uint64_t last;     /* of the last record; without records the origin */
    uint64_t end;    /* 100%: one tick after the last record; of a growing trace, where that is complete, if earlier */
    unsigned digits; /* after the point */
    unsigned width;  /* characters of the longest time of this trace */
    uint64_t fraction; /* 10^digits; 0: too large, digits are made one by one */
    /* 2^60 * fraction / num, rounded down: replaces the division by num. 0 if times of this clock need the slow way;
     * else a second is exactly num ticks. */
    uint64_t inverse;
    bool bytes; /* the clock counts bytes; set by whoever knows, after the scale is made */
} XtfTimeScale;

/* The end of an open window: after every record, even one at the last tick. */
#define XTF_TIME_OPEN UINT64_MAX

enum {
    XTF_TIME_TEXT_MAX = 64, /* of one time, with a NUL */
    XTF_WINDOW_TEXT_MAX = 2 * XTF_TIME_TEXT_MAX,
};

void xtf_time_scale_init(XtfTimeScale *scale, const XtfClock *clock);
/* Of a trace that grows: the widest time of any trace fits, and 100% is the time up to which all is complete. */
void xtf_time_scale_init_growing(XtfTimeScale *scale, const XtfClock *clock);

/* "s", or what the clock counts. */
const char *xtf_time_scale_unit(const XtfTimeScale *scale);
/* The directory that windows are in, and the first column of records: "time" or "length". */
const char *xtf_time_scale_name(const XtfTimeScale *scale);

/* Writes ticks as seconds so that they end before `end`; returns their beginning. */
char *xtf_time_scale_put(const XtfTimeScale *scale, uint64_t ticks, char *end);

/* The first tick of a second whose whole part is in a line already. */
typedef uint64_t XtfSecond;

/* Whether a time is in the same second; may be false if the clock needs the slow way. */
static inline bool xtf_time_scale_same_second(const XtfTimeScale *scale, XtfSecond second, uint64_t ticks)
{
    return scale->inverse != 0 && ticks >= second && ticks - second < scale->num;
}

/* Fills the `width` characters before `end` with blanks and a time, and sets *second. */
void xtf_time_scale_put_second(const XtfTimeScale *scale, uint64_t ticks, char *end, XtfSecond *second);
/* Writes n times so that each ends `at` bytes behind the beginning of its line. Each line has `second` there already.
 */
void xtf_time_scale_put_column(const XtfTimeScale *scale, XtfSecond second, const uint64_t *ticks, uint32_t n,
                               char *const *lines, size_t at);

/* The name of a window: "1.5-2", in seconds after the origin, trailing zeros left out; an open end stays open. */
void xtf_time_scale_print_window(const XtfTimeScale *scale, uint64_t a, uint64_t b,
                                 char text[static XTF_WINDOW_TEXT_MAX]);

/* The name of an instant, "1.5". */
void xtf_time_scale_print_instant(const XtfTimeScale *scale, uint64_t t, char text[static XTF_TIME_TEXT_MAX]);

/* "100-200", "1.5ms-", "-5%": [*a, *b) in ticks. XTF_ERROR_NOT_FOUND says what is wrong with it. A number without a
 * unit is in seconds; beside a percentage it is refused, unless it is 0. */
bool xtf_time_scale_parse_window(const XtfTimeScale *scale, const char *text, uint64_t *a, uint64_t *b, GError **error);
/* "1.5", "50%". UINT64_MAX if it is beyond all ticks. */
bool xtf_time_scale_parse_instant(const XtfTimeScale *scale, const char *text, uint64_t *t, GError **error);

/* About: for quotients. */
static inline double xtf_seconds_of(const XtfTimeScale *scale, unsigned __int128 ticks)
{
    return (double)ticks * (double)scale->den / (double)scale->num;
}

/* The i-th of the n + 1 bounds of n time bins that divide [a, b) as equally as ticks allow. */
static inline uint64_t xtf_time_bin_bound(uint64_t a, uint64_t b, uint64_t i, uint64_t n)
{
    return a + (uint64_t)((unsigned __int128)(b - a) * i / n);
}
