/*
 * Numbers of OpenTS's XML. They are read digit by digit, in no locale, and never by way of binary fractions where they
 * become ticks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A decimal number as it is written: digits * 10^exponent. */
typedef struct {
    uint64_t digits; /* without leading zeros; at most 19 of them */
    int exponent;
    unsigned decimals; /* digits behind the point */
    bool trailing;     /* the last of them is 0 */
    bool unusual;      /* with an exponent, or zeros before it: no usual printf writes it again */
    bool cut;          /* it has more digits, which are not in `digits` */
    bool negative;
} XtfDecimal;

/* A whole number without a sign. False: it is none, or 2^64 - 1 or more. */
bool xtf_opents_read_count(const char *text, uint64_t *n);

/* False: it is no number. */
bool xtf_opents_read_decimal(const char *text, XtfDecimal *decimal);
/* Seconds as nanoseconds, half of one rounded up; *rounded: there was something to round. False: it is negative, or
 * 2^64 - 1 ns or more. */
bool xtf_opents_ticks(const XtfDecimal *seconds, uint64_t *ticks, bool *rounded);
/* The double that is nearest. `text` is what the number was read from. False: it is negative, or too large. */
bool xtf_opents_real(const XtfDecimal *decimal, const char *text, double *value);
