/*
 * Count, extremes, sum and last value of one metric, over several locations.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/trace/text/value-kind.h"

typedef struct {
    uint64_t n; /* number of values */
    XtfValueKind kind;
    bool has_extremes; /* true if some value is a number, not NaN */
    bool has_sum;      /* false if a sum of integers is unknown */
    uint64_t min, max; /* bits of the kind */
    __int128 sum;
    double real_sum;
    /* The latest value; at equal times, the value of the greatest location. */
    bool has_last;
    uint64_t last, time, location;
} XtfMetricSummary;

/* Totals of values of one kind, as the index keeps them. Sums of integers are modulo 2^64. */
typedef struct {
    XtfValueKind kind;
    uint64_t n, sum, min, max;
} XtfMetricTotals;

/* Adds totals to a summary, which starts as all zeros. If kinds differ, all values become doubles. */
void xtf_metric_summary_add(XtfMetricSummary *summary, const XtfMetricTotals *totals);
/* Adds the latest value of a location. Its totals must have been added before. */
void xtf_metric_summary_add_last(XtfMetricSummary *summary, XtfValueKind kind, uint64_t value, uint64_t time,
                                 uint64_t location);
/* Computes the mean. Returns false if the sum is unknown. */
bool xtf_metric_summary_mean(const XtfMetricSummary *summary, double *mean);
