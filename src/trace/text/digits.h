/*
 * Decimal digits, written backwards from the end of a column, three at a time.
 */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

/* The numbers below 1000 as three characters after a filler. A store writes all four characters; the next store to the
 * left overwrites the filler. */
extern const char xtf_triples[1000][4];       /* the digits of each number, with leading zeros */
extern const char xtf_blank_triples[1000][4]; /* the digits of each number, with leading blanks; 0 is blank */

/* Writes the digits of v before `end`; returns the first one. The functions below do likewise, unless they say more. */
static inline char *xtf_put_digits(char *end, uint64_t v)
{
    for (; v >= 1000; v /= 1000) {
        end -= 3;
        memcpy(end, xtf_triples[v % 1000] + 1, 3);
    }
    for (; v >= 10; v /= 10)
        *--end = (char)('0' + v % 10);
    *--end = (char)('0' + v);
    return end;
}

static inline char *xtf_put_signed(char *end, int64_t v)
{
    char *begin = xtf_put_digits(end, v < 0 ? -(uint64_t)v : (uint64_t)v);

    if (v < 0)
        *--begin = '-';
    return begin;
}

static inline char *xtf_put_wide(char *end, unsigned __int128 v)
{
    for (; v > UINT64_MAX; v /= 10)
        *--end = (char)('0' + (unsigned)(v % 10));
    return xtf_put_digits(end, (uint64_t)v);
}

/* Writes the last n, 1 to 3, characters of a triple before `end`. */
static inline void xtf_store_triple(char *end, const char *triple, unsigned n)
{
    if (n == 3)
        memcpy(end - 3, triple + 1, 3);
    else if (n == 2)
        memcpy(end - 2, triple + 2, 2);
    else
        end[-1] = triple[3];
}

/* Writes exactly n digits of v, with leading zeros. */
static inline char *xtf_put_padded(char *end, uint64_t v, unsigned n)
{
    for (; n > 3; n -= 3, end -= 3, v /= 1000)
        memcpy(end - 4, xtf_triples[v % 1000], 4);
    if (n > 0)
        xtf_store_triple(end, xtf_triples[v % 1000], n);
    return end - n;
}

/* Writes exactly n digits of v, n <= 9, with leading zeros. A 32-bit division takes half the time of a 64-bit one. */
static inline void xtf_put_padded_small(char *end, uint32_t v, unsigned n)
{
    for (; n > 3; n -= 3, end -= 3, v /= 1000)
        memcpy(end - 4, xtf_triples[v % 1000], 4);
    if (n > 0)
        xtf_store_triple(end, xtf_triples[v % 1000], n);
}

/* Fills `width` characters, at least 1, before `end` with blanks and v, which fits. */
static inline void xtf_put_right(char *end, uint64_t v, unsigned width)
{
    /* An OR turns a blank in the last character into a zero; digits have these bits already. */
    const uint32_t zero = GUINT32_TO_LE((uint32_t)('0' - ' ') << 24);
    char last[4];
    uint32_t four;

    memcpy(&four, v >= 1000 ? xtf_triples[v % 1000] : xtf_blank_triples[v], 4);
    four |= zero;
    memcpy(last, &four, 4);
    if (width <= 3) {
        xtf_store_triple(end, last, width);
        return;
    }
    memcpy(end - 4, last, 4);
    for (v /= 1000, width -= 3, end -= 3; width > 3; width -= 3, end -= 3, v /= 1000)
        memcpy(end - 4, v >= 1000 ? xtf_triples[v % 1000] : xtf_blank_triples[v], 4);
    xtf_store_triple(end, xtf_blank_triples[v], width);
}

static inline unsigned xtf_count_digits(uint64_t v)
{
    unsigned n = 1;
    for (; v >= 10; v /= 10)
        n++;
    return n;
}

/* Writes n bytes as hexadecimal digits, two per byte. */
static inline void xtf_put_bytes(char *to, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        *to++ = digits[bytes[i] >> 4];
        *to++ = digits[bytes[i] & 15];
    }
}

/* Returns the largest number of n digits; at most UINT64_MAX. */
static inline uint64_t xtf_largest_of_digits(unsigned n)
{
    uint64_t v = 1;
    if (n >= 20)
        return UINT64_MAX;
    while (n--)
        v *= 10;
    return v - 1;
}
