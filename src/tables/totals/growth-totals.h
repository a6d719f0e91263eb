/*
 * Growth of metrics, by region, over several locations.
 */
#pragma once

#include "src/tables/format/format.h"
#include "src/tables/totals/location-totals.h"
#include "src/trace/text/lines.h"

/* Sum of how much the values of a metric grew. The index keeps sums of integers modulo 2^64 for each location. They are
 * read as signed numbers. */
typedef struct {
    uint64_t n; /* number of values */
    bool is_real;
    __int128 whole;
    double real;
} XtfGrown;

void xtf_grown_add(XtfGrown *grown, const XtfGrown *more);
void xtf_grown_add_group(XtfGrown *grown, const XtfAggregateRef *ref, const uint64_t *key, const uint64_t *cells);
double xtf_grown_real(const XtfGrown *grown);

/* Calls `add` for each group of the selection's growth, location by location. Without `by_region`, the keys end before
 * the region. */
typedef void (*XtfGrowthAdd)(const XtfAggregateRef *ref, const uint64_t *key, const uint64_t *cells, void *data);
bool xtf_growth_add_up(XtfTraceContext *context, const XtfSelection *selection, bool by_region, XtfGrowthAdd add,
                       void *data, GError **error);

typedef struct {
    const XtfPaddedNames *names;
    uint64_t n;
    bool *grow; /* by row: true if the metric's mode is one that grows */
} XtfGrowingMetrics;

bool xtf_growing_metrics_load(XtfGrowingMetrics *metrics, XtfFormats *formats, GError **error);
void xtf_growing_metrics_finish(XtfGrowingMetrics *metrics); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfGrowingMetrics, xtf_growing_metrics_finish)

/* True if the trace has aggregates of growth, and the selection may have values. */
bool xtf_growth_exists(const XtfTraceContext *context, const XtfSelection *selection);

/* Returns the width, in characters, of a cell of growth. */
size_t xtf_grown_width(const XtfAggregateRef *ref, const XtfTraceContext *context);
enum { XTF_RATE_WIDTH = 17 }; /* characters of a rate, which is printed with ten digits */
void xtf_lines_grown(XtfLines *lines, bool known, const XtfGrown *grown);
void xtf_lines_rate(XtfLines *lines, bool known, const XtfGrown *grown, double seconds);
