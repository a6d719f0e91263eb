/*
 * Times in a unit of their size, for people.
 */
#pragma once

#include "src/trace/text/time-scale.h"

enum {
    XTF_TIME_UNITS = 4,
    XTF_TIME_WORDS = 48, /* bytes that are enough for a time in words */
};

typedef struct {
    const char *name;
    double seconds;
} XtfTimeUnit;

extern const XtfTimeUnit xtf_time_units[XTF_TIME_UNITS]; /* the largest first */

/* The largest unit of which so many seconds are one or more; else the smallest. */
unsigned xtf_time_unit_of(double seconds);
/* A time with four digits: "1.535 s". */
void xtf_time_in_words(const XtfTimeScale *scale, uint64_t ticks, char *text, size_t size);
