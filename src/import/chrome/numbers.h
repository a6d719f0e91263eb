/*
 * Numbers of the JSON, read from their digits. Times never become doubles, which would lose nanoseconds.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Reads a decimal number of microseconds as nanoseconds, rounded half up. Sets *rounded if it has a remainder. False if
 * it is no number, or is beyond XTF_CHROME_TIME_MAX. `text` ends with a byte that is no part of a number. */
bool xtf_chrome_read_time(const char *text, gsize size, int64_t *ns, bool *rounded);

#define XTF_CHROME_TIME_MAX (INT64_C(1) << 61) /* about 73 years */

/* Reads an integer without fraction and exponent. False if the text is something else, or does not fit. */
bool xtf_chrome_read_integer(const char *text, gsize size, int64_t *value);
/* Reads an integer as xtf_chrome_read_integer(), up to 2^64 - 1. */
bool xtf_chrome_read_unsigned(const char *text, gsize size, uint64_t *value);
/* Reads an integer from 0 to 2^64 - 1 that may have an exponent, and a fraction of zeros. False if the text is
 * something else. `text` ends as for xtf_chrome_read_time(). */
bool xtf_chrome_read_whole(const char *text, gsize size, uint64_t *value);
/* Reads any number, also NaN and Infinity. */
double xtf_chrome_read_real(const char *text, gsize size);

/* Returns the number of an id: its value, if it is a decimal or a hexadecimal integer ("0x1f"), else a hash of it. */
uint64_t xtf_chrome_read_id(const char *text, gsize size);
