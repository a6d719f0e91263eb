/*
 * Numbers in sentences: three digits, in the unit that leaves at most three before the point. Tables show all digits.
 */
#pragma once

#include <stdint.h>

enum { XTF_WORD_TEXT = 40 }; /* bytes of one number, with a NUL */

typedef struct {
    char text[XTF_WORD_TEXT];
} XtfWord;

/* Returns "1.78 s", "12.3 ms", "450 us", "0 s". */
XtfWord xtf_word_seconds(double seconds);
/* Returns hundredths of a percent as "47.5 %", "0.12 %". */
XtfWord xtf_word_percent(double hundredths);
/* Returns "14.2", "1.08". */
XtfWord xtf_word_ratio(double ratio);
/* Returns "2500 bytes", "12.3 KB", "1.5 GB": units are powers of 1000. */
XtfWord xtf_word_bytes(double bytes);
/* Returns "6900", "12.3 million". */
XtfWord xtf_word_count(uint64_t count);
/* Returns a point in time in seconds, with enough digits to distinguish the ends of a window of `length` seconds. */
XtfWord xtf_word_time(double seconds, double length);
