/*
 * Group totals of a selection's rows of one type, summed location by location.
 */
#pragma once

#include "libxtf/slices.h"
#include "src/tables/totals/selected-locations.h"
#include "src/trace/select/aggregate-ref.h"
#include "src/trace/select/matcher.h"

typedef struct {
    const XtfAggregateRef *ref;    /* borrowed */
    const XtfSelection *selection; /* borrowed */
    bool is_empty;                 /* true if the selection has no row of the type */
    XtfMatcher *matcher;           /* NULL: all rows of the type are in the selection */
    bool borrows;                  /* true if the matcher is owned by another XtfLocationTotals */
    unsigned depth;                /* number of leading keys that make a group */
    XtfGroupTotals *groups;        /* totals of the rows added so far; the owner may clear them. NULL: no aggregate */
} XtfLocationTotals;

/* Initializes totals by the first `depth` keys. */
bool xtf_location_totals_init(XtfLocationTotals *totals, XtfTraceContext *context, const XtfSelection *selection,
                              const XtfAggregateRef *ref, unsigned depth, GError **error);
/* Initializes totals of the same selection for another thread, with its own groups. `from` outlives the new totals. */
void xtf_location_totals_init_more(XtfLocationTotals *totals, const XtfLocationTotals *from);
void xtf_location_totals_finish(XtfLocationTotals *totals); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfLocationTotals, xtf_location_totals_finish)

/* Adds the selected rows among rows [lo, hi) of an array that process `proc` recorded. */
bool xtf_location_totals_add_rows(XtfLocationTotals *totals, const XtfArray *array, uint64_t proc, uint64_t lo,
                                  uint64_t hi, GError **error);
/* Visits the totals of the selected rows between each two of `n` numbers of rows, ascending (libxtf/slices.h). Visits
 * none if is_empty. */
bool xtf_location_totals_visit(XtfLocationTotals *totals, const XtfArray *array, uint64_t proc, const uint64_t *rows,
                               size_t n, XtfSliceVisitor visit, void *data, GError **error);
/* Adds a location's selected rows in the selection's window. */
bool xtf_location_totals_add_window(XtfLocationTotals *totals, const XtfLocationArrays *arrays, GError **error);
