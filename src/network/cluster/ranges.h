/*
 * Steps 1 and 2: clusters of the pairs of one matrix, by ranges of values.
 *
 * A value is measured if it is at least 0 and less than netCDF's fill values (about 1e37). Pairs without a measured
 * value are in no range and have the label XTF_LABEL_UNMEASURED.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    XTF_THRESHOLD_RELATIVE,  /* a range holds values up to (1 + value) times its least */
    XTF_THRESHOLD_ABSOLUTE,  /* a range holds values up to its least + value */
    XTF_THRESHOLD_PRECISION, /* up to its least + value x (the matrix' greatest - its least value above 0) */
} XtfThresholdKind;

typedef struct {
    XtfThresholdKind kind;
    double value; /* finite, not negative */
} XtfThreshold;

#define XTF_LABEL_UNMEASURED UINT32_MAX

/* The pairs of a matrix, sorted by value. The memory is reused for the next matrix. */
typedef struct {
    size_t n_pairs;
    size_t n;                  /* measured pairs, the first n of `pairs` */
    uint32_t *pairs, *scratch; /* n_pairs each */
} XtfOrder;

void xtf_order_init(XtfOrder *order, size_t n_pairs);
void xtf_order_finish(XtfOrder *order);
/* Sorts the measured pairs by value. Pairs with equal values are in the order of their numbers. */
void xtf_order_sort(XtfOrder *order, const double *values);

bool xtf_is_measured(double value);

/* Limit of a range: its greatest value may be at most its least value x factor + summand. */
typedef struct {
    double factor, summand;
} XtfRangeLimit;

XtfRangeLimit xtf_range_limit(const XtfThreshold *threshold, const XtfOrder *order, const double *values);

static inline bool xtf_range_fits(const XtfRangeLimit *limit, double least, double greatest)
{
    return greatest <= least * limit->factor + limit->summand;
}

/* Labels each pair with the number of its range: 0, 1, ... by rising values. The first range is tried with `n_first`
 * values: the diagonal. */
void xtf_ranges_label(const XtfOrder *order, const double *values, const XtfRangeLimit *limit, size_t n_first,
                      uint32_t *labels);
