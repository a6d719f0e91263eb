/*
 * Matchers: region/, comm/, peer/, tag/, culprit/ and kinds of a selection, as filters of groups (group-filter.h).
 *
 * A matcher is made for the rows of one schema and one of its aggregates. Which process a peer is depends on the
 * process that recorded the row, so a filter is a matcher together with that process.
 *
 *     switch (xtf_selection_matches(selection, schema)) {
 *     case XTF_MATCH_NONE: no row of the schema is in the selection
 *     case XTF_MATCH_ALL:  no filter is needed
 *     case XTF_MATCH_SOME:
 *         matcher = xtf_matcher_new(context, selection, schema, index, error);
 *         XtfFilter filter = {matcher, proc};
 *         XtfGroupFilter groups = xtf_filter_groups(&filter);
 *         xtf_array_totals(array, aggregate, &groups, n1, n2, totals, error);
 *     }
 *
 * Matchers are immutable: any thread may use them.
 */
#pragma once

#include "libxtf/group-filter.h"
#include "src/trace/context/trace-context.h"

typedef struct XtfSelection XtfSelection;

/* Returns if no, some or all rows of a schema pass the facets of a selection, regardless of location and time. */
XtfMatch xtf_selection_matches(const XtfSelection *selection, const XtfSchema *schema);

/* True if the keys of an aggregate suffice to decide whether a row is in the selection. */
bool xtf_selection_fits(const XtfSelection *selection, const XtfSchema *schema, unsigned index);

typedef struct XtfMatcher XtfMatcher;

/* Makes a matcher. It borrows the context and references the selection's sets. Fails with XTF_ERROR_UNSUPPORTED if the
 * keys of the aggregate do not suffice to decide whether a row is in the selection. */
XtfMatcher *xtf_matcher_new(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                            unsigned index, GError **error);
/* Makes a matcher for the first aggregate whose keys suffice; for calls, for the aggregate of frames. */
XtfMatcher *xtf_matcher_find(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                             GError **error);
void xtf_matcher_free(XtfMatcher *matcher); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfMatcher, xtf_matcher_free)

unsigned xtf_matcher_aggregate(const XtfMatcher *matcher); /* index in schema->aggregates */

/* A filter of the rows that process `proc` recorded. */
typedef struct {
    const XtfMatcher *matcher; /* borrowed */
    uint64_t proc;
} XtfFilter;

/* Returns group tests that borrow the filter. */
XtfGroupFilter xtf_filter_groups(const XtfFilter *filter);
/* Returns group tests for rows of `proc`, with a filter that the matcher owns. For calls the filter passes only their
 * ENTERs. No other thread may use the matcher during the call. */
XtfGroupFilter xtf_matcher_filter(XtfMatcher *matcher, uint64_t proc);
