/*
 * Reads numbers of OpenTS's XML, digit by digit and in any locale. Times become ticks without conversion to binary
 * fractions.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A decimal number as the file writes it: digits * 10^exponent. */
typedef struct {
    uint64_t digits; /* at most 19 digits, without leading zeros */
    int exponent;
    unsigned decimals; /* digits after the point */
    bool trailing;     /* the last of these digits is 0 */
    bool unusual;      /* with an exponent, or leading zeros: no usual printf format writes it */
    bool cut;          /* the number has more digits than `digits` holds */
    bool negative;
} XtfDecimal;

/* Reads a whole number without a sign. False if the text is not such a number, or is 2^64 - 1 or more. */
bool xtf_opents_read_count(const char *text, uint64_t *n);

/* Reads a decimal number. False if the text is not a number. */
bool xtf_opents_read_decimal(const char *text, XtfDecimal *decimal);
/* Converts seconds to nanoseconds. Rounds half a nanosecond up, and sets *rounded if it rounds. False if the number is
 * negative, or 2^64 - 1 ns or more. */
bool xtf_opents_ticks(const XtfDecimal *seconds, uint64_t *ticks, bool *rounded);
/* Finds the nearest double. `text` is the text of the number. False if the number is negative or too large. */
bool xtf_opents_real(const XtfDecimal *decimal, const char *text, double *value);
