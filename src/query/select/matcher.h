/*
 * Matchers: region/, comm/, peer/ and tag/ of a selection, as filters for the groups that an index keeps sums of.
 *
 * A matcher is made for the rows of one schema and one of its sums. Which process a peer is depends on who recorded the
 * row, so what filters is a matcher together with a process.
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
#include "src/query/select/trace-context.h"

typedef struct XtfSelection XtfSelection;

/* Which rows of a schema are left by region/, comm/, peer/ and tag/, whoever recorded them, and whenever. */
XtfMatch xtf_selection_matches(const XtfSelection *selection, const XtfSchema *schema);

typedef struct XtfMatcher XtfMatcher;

/* Borrows the context; references what it needs of the selection. XTF_ERROR_UNSUPPORTED if the keys of these sums do
 * not tell the selection's rows from others. */
XtfMatcher *xtf_matcher_new(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                            unsigned index, GError **error);
/* The same for the first sums that do. */
XtfMatcher *xtf_matcher_find(XtfTraceContext *context, const XtfSelection *selection, const XtfSchema *schema,
                             GError **error);
void xtf_matcher_free(XtfMatcher *matcher); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfMatcher, xtf_matcher_free)

unsigned xtf_matcher_aggregate(const XtfMatcher *matcher); /* index in schema->aggregates */

/* For rows that process `proc` recorded. */
typedef struct {
    const XtfMatcher *matcher; /* borrowed */
    uint64_t proc;
} XtfFilter;

/* Borrows the filter. */
XtfGroupFilter xtf_filter_groups(const XtfFilter *filter);
/* The same with a filter that the matcher owns: for a thread that has the matcher to itself. */
XtfGroupFilter xtf_matcher_filter(XtfMatcher *matcher, uint64_t proc);
