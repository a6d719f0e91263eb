/*
 * Tallies: what a selection's rows of one type add up to, location by location.
 */
#pragma once

#include "src/query/select/aggregate-ref.h"
#include "src/query/select/matcher.h"
#include "src/query/views/selected-locations.h"

typedef struct {
    const XtfAggregateRef *measure; /* borrowed */
    const XtfSelection *selection;  /* borrowed */
    bool nothing;                   /* the selection leaves no row of the type */
    XtfMatcher *matcher;            /* NULL: all of them */
    XtfGroupTotals *totals;         /* of what was added since they were cleared */
} XtfLocationTotals;

/* With totals by the first `depth` keys. */
bool xtf_location_totals_init(XtfLocationTotals *tally, XtfTraceContext *context, const XtfSelection *selection,
                              const XtfAggregateRef *measure, unsigned depth, GError **error);
void xtf_location_totals_finish(XtfLocationTotals *tally); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationTotals, xtf_location_totals_finish)

/* Adds those of rows [lo, hi) of an array that process `proc` recorded. */
bool xtf_location_totals_add_rows(XtfLocationTotals *tally, const XtfArray *array, uint64_t proc, uint64_t lo,
                                  uint64_t hi, GError **error);
/* Adds those of a location in the selection's window. */
bool xtf_location_totals_add_window(XtfLocationTotals *tally, const XtfLocationArrays *holding, GError **error);
