/*
 * Times as people write them, and ticks. All arithmetic is exact: nothing here is ever a double.
 *
 * A time is printed cut off after `digits` digits, and parsed as the first tick at or after what is written. With
 * 10^-digits no more than a tick, the tick that was printed is the one that is read back.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/trace.h"

typedef struct {
    uint64_t num, den; /* of the resolution, in lowest terms */
    uint64_t origin;   /* time 0 */
    uint64_t last;     /* of the last record; the origin if there are none */
    uint64_t end;      /* 100%: one tick after the last record */
    unsigned digits;   /* after the point */
    unsigned width;    /* characters of the longest time of this trace */
    uint64_t fraction; /* 10^digits, where one division makes them; else 0 */
    /* 2^60 * fraction / num, so that the digits of a part of a second take no division; 0: they do. A second is then
     * just `num` ticks. */
    uint64_t inverse;
} XtfTimeScale;

/* The end of a window that is open: after every record, also one at the last tick of all. */
#define XTF_TIME_OPEN UINT64_MAX

enum {
    XTF_TIME_TEXT_MAX = 64, /* what one time may take, with its NUL */
    XTF_WINDOW_TEXT_MAX = 2 * XTF_TIME_TEXT_MAX,
};

void xtf_time_scale_init(XtfTimeScale *scale, const XtfClock *clock);

/* Writes a number of ticks as seconds so that it ends before `end`, and returns where it begins. */
char *xtf_time_scale_put(const XtfTimeScale *scale, uint64_t ticks, char *end);

/* The first tick of a second, of one whose whole part stands before a point already. */
typedef uint64_t XtfSecond;

/* Whether a time has the same whole part; false, too, where that takes long to tell. */
static inline bool xtf_time_scale_same_second(const XtfTimeScale *scale, XtfSecond second, uint64_t ticks)
{
    return scale->inverse != 0 && ticks >= second && ticks - second < scale->num;
}

/* Writes a time, blanks before it, into the `width` characters before `end`, and remembers its second. */
void xtf_time_scale_put_second(const XtfTimeScale *scale, uint64_t ticks, char *end, XtfSecond *second);
/* Writes n times one below another, `stride` bytes apart, the first before `end`. Each line has `second` there already.
 */
void xtf_time_scale_put_column(const XtfTimeScale *scale, XtfSecond second, const uint64_t *ticks, uint32_t n,
                               char *end, size_t stride);

/* The name of a window: "1.5-2", in seconds after the origin, trailing zeros left out; an open end stays open. */
void xtf_time_scale_print_window(const XtfTimeScale *scale, uint64_t a, uint64_t b,
                                 char text[static XTF_WINDOW_TEXT_MAX]);

/* "100-200", "1.5ms-", "-5%": [*a, *b) in ticks. XTF_ERROR_NOT_FOUND says what is wrong with it. */
bool xtf_time_scale_parse_window(const XtfTimeScale *scale, const char *text, uint64_t *a, uint64_t *b, GError **error);

/* The i-th of n + 1 ticks that cut [a, b) into n slices that are as equal as ticks allow. */
static inline uint64_t xtf_time_bin_bound(uint64_t a, uint64_t b, uint64_t i, uint64_t n)
{
    return a + (uint64_t)((unsigned __int128)(b - a) * i / n);
}
