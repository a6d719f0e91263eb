/*
 * Count, extremes, sum and last value of one metric, over several locations.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/trace/text/value-kind.h"

typedef struct {
    uint64_t n; /* values */
    XtfValueKind kind;
    bool has_extremes; /* some value is a number, not NaN */
    bool has_sum;      /* false: a sum of integers is not known */
    uint64_t min, max; /* bits of the kind */
    __int128 sum;
    double real_sum;
    /* The latest value; at equal times that of the greatest location. */
    bool has_last;
    uint64_t last, time, location;
} XtfMetricSummary;

/* Totals of some values of one kind, as the index keeps them. The sum of integers is modulo 2^64. */
typedef struct {
    XtfValueKind kind;
    uint64_t n, sum, min, max;
} XtfMetricTotals;

/* A summary begins as all zeros. If kinds differ, all values become doubles. */
void xtf_metric_summary_add(XtfMetricSummary *summary, const XtfMetricTotals *totals);
/* The latest value of a location, after its totals were added. */
void xtf_metric_summary_add_last(XtfMetricSummary *summary, XtfValueKind kind, uint64_t value, uint64_t time,
                                 uint64_t location);
/* False if the sum is not known. */
bool xtf_metric_summary_mean(const XtfMetricSummary *summary, double *mean);
