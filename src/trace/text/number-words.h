/*
 * Numbers in sentences: three digits, with the unit that leaves at most three before the point. Tables have all digits.
 */
#pragma once

#include <stdint.h>

enum { XTF_WORD_TEXT = 40 }; /* bytes of one number, with a NUL */

typedef struct {
    char text[XTF_WORD_TEXT];
} XtfWord;

/* "1.78 s", "12.3 ms", "450 us", "0 s". */
XtfWord xtf_word_seconds(double seconds);
/* Of hundredths of a percent: "47.5 %", "0.12 %". */
XtfWord xtf_word_percent(double hundredths);
/* "14.2", "1.08". */
XtfWord xtf_word_ratio(double ratio);
/* "2500 bytes", "12.3 KB", "1.5 GB": powers of 1000. */
XtfWord xtf_word_bytes(double bytes);
/* "6900", "12.3 million". */
XtfWord xtf_word_count(uint64_t count);
/* A point in time in seconds, with the digits that tell the ends of a window apart that is `length` long. */
XtfWord xtf_word_time(double seconds, double length);
