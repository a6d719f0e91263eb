/*
 * Group totals of a selection's rows of one type, added up location by location.
 */
#pragma once

#include "src/tables/totals/selected-locations.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/matcher.h"

typedef struct {
    const XtfAggregateRef *ref;    /* borrowed */
    const XtfSelection *selection; /* borrowed */
    bool nothing;                  /* no row of the type is in the selection */
    XtfMatcher *matcher;           /* NULL: all rows of the type are in the selection */
    bool borrows;                  /* the matcher is another's */
    unsigned depth;                /* of the groups: their first keys */
    XtfGroupTotals *groups;        /* of the rows added so far; the owner may clear them. NULL: no aggregate */
} XtfLocationTotals;

/* Groups by the first `depth` keys. */
bool xtf_location_totals_init(XtfLocationTotals *totals, XtfTraceContext *context, const XtfSelection *selection,
                              const XtfAggregateRef *ref, unsigned depth, GError **error);
/* The same question for another thread, with groups of its own; `from` outlives it. */
void xtf_location_totals_init_more(XtfLocationTotals *totals, const XtfLocationTotals *from);
void xtf_location_totals_finish(XtfLocationTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationTotals, xtf_location_totals_finish)

/* Adds the selected ones of rows [lo, hi) of an array, which process `proc` recorded. */
bool xtf_location_totals_add_rows(XtfLocationTotals *totals, const XtfArray *array, uint64_t proc, uint64_t lo,
                                  uint64_t hi, GError **error);
/* Adds the selected rows of a location, in the selection's window. */
bool xtf_location_totals_add_window(XtfLocationTotals *totals, const XtfLocationArrays *arrays, GError **error);
