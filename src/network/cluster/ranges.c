#include "src/network/cluster/ranges.h"

#include <glib.h>
#include <string.h>

enum {
    DIGIT_BITS = 11,
    N_DIGITS = 6, /* digits into which the 64 bits of a value are divided */
    RADIX = 1 << DIGIT_BITS,
};

/* Half of netCDF's NC_FILL_DOUBLE, 9.97e36, so that fill values are recognized even after some arithmetic. */
#define LEAST_FILL 5e36

bool xtf_is_measured(double value)
{
    return value >= 0 && value < LEAST_FILL; /* false for NaN */
}

/* ---- Sorting. */

void xtf_order_init(XtfOrder *order, size_t n_pairs)
{
    order->n_pairs = n_pairs;
    order->n = 0;
    order->pairs = g_new(uint32_t, n_pairs);
    order->scratch = g_new(uint32_t, n_pairs);
}

void xtf_order_finish(XtfOrder *order)
{
    g_clear_pointer(&order->pairs, g_free);
    g_clear_pointer(&order->scratch, g_free);
}

/* Returns a digit of the bits of a value. Non-negative doubles have the order of their bits; the sum changes -0 to
 * 0. */
static inline unsigned digit_of(double value, unsigned digit)
{
    uint64_t bits;

    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> digit * DIGIT_BITS & (RADIX - 1);
}

static void count_digits(const XtfOrder *order, const double *values, uint32_t counts[N_DIGITS][RADIX])
{
    memset(counts, 0, sizeof(uint32_t) * N_DIGITS * RADIX);
    for (size_t i = 0; i < order->n; i++) {
        for (unsigned digit = 0; digit < N_DIGITS; digit++)
            counts[digit][digit_of(values[order->pairs[i]], digit)]++;
    }
}

/* Sorts the pairs by one digit, stably. Skips a digit that is the same in all values. */
static void sort_by_digit(XtfOrder *order, const double *values, unsigned digit, uint32_t *counts)
{
    uint32_t before = 0;

    if (counts[digit_of(values[order->pairs[0]], digit)] == order->n)
        return;
    for (unsigned i = 0; i < RADIX; i++) {
        uint32_t count = counts[i];
        counts[i] = before;
        before += count;
    }
    for (size_t i = 0; i < order->n; i++) {
        uint32_t pair = order->pairs[i];
        order->scratch[counts[digit_of(values[pair], digit)]++] = pair;
    }
    uint32_t *sorted = order->scratch;
    order->scratch = order->pairs;
    order->pairs = sorted;
}

void xtf_order_sort(XtfOrder *order, const double *values)
{
    g_autofree uint32_t(*counts)[RADIX] = g_malloc(sizeof(uint32_t) * N_DIGITS * RADIX);

    order->n = 0;
    for (size_t pair = 0; pair < order->n_pairs; pair++) {
        if (xtf_is_measured(values[pair]))
            order->pairs[order->n++] = (uint32_t)pair;
    }
    count_digits(order, values, counts);
    for (unsigned digit = 0; digit < N_DIGITS && order->n > 0; digit++)
        sort_by_digit(order, values, digit, counts[digit]);
}

/* ---- Ranges. */

XtfRangeLimit xtf_range_limit(const XtfThreshold *threshold, const XtfOrder *order, const double *values)
{
    size_t least = 0;

    if (threshold->kind == XTF_THRESHOLD_RELATIVE)
        return (XtfRangeLimit){.factor = 1 + threshold->value};
    if (threshold->kind == XTF_THRESHOLD_ABSOLUTE)
        return (XtfRangeLimit){.factor = 1, .summand = threshold->value};
    while (least < order->n && !(values[order->pairs[least]] > 0))
        least++;
    double span = least < order->n ? values[order->pairs[order->n - 1]] - values[order->pairs[least]] : 0;
    return (XtfRangeLimit){.factor = 1, .summand = threshold->value * span};
}

void xtf_ranges_label(const XtfOrder *order, const double *values, const XtfRangeLimit *limit, size_t n_first,
                      uint32_t *labels)
{
    uint32_t label = 0;
    const uint32_t *pairs = order->pairs;
    size_t n = order->n, i = 0, j = MAX(n_first, 1) - 1; /* the range [i, j] */

#define FITS(from, to) xtf_range_fits(limit, values[pairs[from]], values[pairs[to]])
    for (size_t pair = 0; n < order->n_pairs && pair < order->n_pairs; pair++)
        labels[pair] = XTF_LABEL_UNMEASURED;
    for (j = MIN(j, n > 0 ? n - 1 : 0); i < n; i = ++j) {
        while (j > i && !FITS(i, j))
            j--;
        while (j + 1 < n && FITS(i, j + 1))
            j++;
        while (j + 2 < n && FITS(i + 1, j + 2)) { /* moves the range by one and extends it */
            labels[pairs[i++]] = label++;
            j += 2;
            while (j + 1 < n && FITS(i, j + 1))
                j++;
        }
        for (size_t k = i; k <= j; k++)
            labels[pairs[k]] = label;
        label++;
    }
#undef FITS
}
