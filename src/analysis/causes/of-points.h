/*
 * The causes of the waits of a trace, from the points that the forward pass leaves (src/analysis/waits/points.h).
 */
#pragma once

#include "src/analysis/causes/causes.h"
#include "src/analysis/waits/points.h"
#include "src/query/select/ranks.h"

/* Sets the results of all points that are waits; `delays` are XtfDelay by index of location, sorted. A delay's context
 * is one of `points`, or their number: outside of all calls. That is a call path where a location's records tell that a
 * program began; else nobody knows what the time was spent for, and as in Scalasca it delays nobody.
 * options->n_contexts is not heeded. */
bool xtf_causes_of_points(XtfTrace *trace, XtfPoints *points, const XtfRanks *ranks, const XtfCausesOptions *options,
                          XtfSortedFile **delays, XtfCausesCounts *counts, GError **error);

/* The label of `delays` and `waits` of a kind of cost. */
uint8_t xtf_cost_label(XtfCostKind kind);
