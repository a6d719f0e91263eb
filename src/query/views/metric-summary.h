/*
 * What values of one metric add up to, recorded by several locations, each in its own order.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/query/text/value-kind.h"

typedef struct {
    uint64_t n; /* values */
    XtfValueKind kind;
    bool has_extremes; /* there is one that is a number */
    bool has_sum;      /* of integers: it is known */
    uint64_t min, max; /* as the kind says */
    __int128 sum;
    double real_sum;
    /* The latest. */
    bool has_last;
    uint64_t last, time, location;
} XtfMetricSummary;

/* Sums over some values of one kind, as the index keeps them: integers modulo 2^64. */
typedef struct {
    XtfValueKind kind;
    uint64_t n, sum, min, max;
} XtfMetricPart;

/* All zeros before the first. If kinds differ, all become doubles. */
void xtf_metric_summary_add(XtfMetricSummary *series, const XtfMetricPart *part);
/* A value that one of the parts has, at `time`: the latest of a location. */
void xtf_metric_summary_add_last(XtfMetricSummary *series, XtfValueKind kind, uint64_t value, uint64_t time,
                                 uint64_t location);
/* False if it is not known: what the index keeps says no more. */
bool xtf_metric_summary_mean(const XtfMetricSummary *series, double *mean);
