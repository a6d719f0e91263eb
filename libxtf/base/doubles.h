/*
 * Order and median of numbers. No number may be a NaN.
 */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* Compares two numbers for qsort(), ascending. */
static inline int xtf_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns the median of n numbers, n at least 1, which it sorts. */
static inline double xtf_median(double *numbers, size_t n)
{
    qsort(numbers, n, sizeof *numbers, xtf_compare_doubles);
    return n % 2 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2;
}
