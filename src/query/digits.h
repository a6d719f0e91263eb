/*
 * Decimal digits, two at a time, written backwards from where a column ends.
 */
#pragma once

#include <stdint.h>
#include <string.h>

extern const char xtf_digit_pairs[200];

/* Writes v before `end`; returns where it begins. */
static inline char *xtf_put_digits(char *end, uint64_t v)
{
    while (v >= 100) {
        end -= 2;
        memcpy(end, xtf_digit_pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10) {
        end -= 2;
        memcpy(end, xtf_digit_pairs + 2 * v, 2);
    } else {
        *--end = (char)('0' + v);
    }
    return end;
}

/* Exactly n digits, with leading zeros. */
static inline char *xtf_put_padded(char *end, uint64_t v, unsigned n)
{
    for (; n >= 2; n -= 2) {
        end -= 2;
        memcpy(end, xtf_digit_pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (n)
        *--end = (char)('0' + v % 10);
    return end;
}

static inline unsigned xtf_count_digits(uint64_t v)
{
    unsigned n = 1;
    for (; v >= 10; v /= 10)
        n++;
    return n;
}

/* The largest number of so many digits. */
static inline uint64_t xtf_largest_of_digits(unsigned n)
{
    uint64_t v = 1;
    if (n >= 20)
        return UINT64_MAX;
    while (n--)
        v *= 10;
    return v - 1;
}
