/*
 * What is asked of sums, and how the lists of one page, or of one leaf's digest, answer it.
 */
#pragma once

#include "libxtf/aggregate/child-totals.h"
#include "libxtf/group-filter.h"

/* What is to be added up. Without totals rows are only counted. */
typedef struct {
    const XtfArray *array;
    const XtfAggregate *aggregate;
    unsigned index;
    const XtfGroupFilter *filter; /* may be NULL */
    XtfGroupTotals *totals;       /* may be NULL */
    uint64_t count;
    XtfBlock *edge; /* pinned, while the query runs */
} XtfTotalsQuery;

XtfTotalsQuery xtf_totals_query(const XtfArray *array, unsigned index, const XtfGroupFilter *filter,
                                XtfGroupTotals *totals);

/* Whether a group of all keys is meant. */
bool xtf_totals_query_matches(const XtfTotalsQuery *query, const uint64_t *key);

/*
 * Sums of one page's lists, by the numbers of their groups: keys are looked at, by the filter and by the query's
 * totals, once for each group of the page, however many lists there are.
 */
typedef struct {
    XtfTotalsQuery *query;
    const XtfChildTotals *children;
    /* Private. */
    bool use_all;     /* all groups are meant, and fine enough */
    uint8_t *uses;    /* what to make of a group, by its number */
    uint32_t *places; /* where its cells are, plus 1 */
    uint32_t *groups; /* those added so far, n_added */
    uint64_t *cells;  /* of them */
    uint32_t n_added;
    void *room;
} XtfPageTotals;

void xtf_page_totals_init(XtfPageTotals *page, XtfTotalsQuery *query, const XtfChildTotals *children);
void xtf_page_totals_flush(XtfPageTotals *page);  /* gives what was added up so far to the query's totals */
void xtf_page_totals_finish(XtfPageTotals *page); /* the same, for the last time */

/* Whether a list tells all that is asked; else its groups are too coarse. */
bool xtf_page_totals_suffice(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item);
/* Adds a list that does. */
void xtf_page_totals_add(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item);

/* The end of the run of neighbours from `i` that one list tells of, which is *list of *of: a block's or a short one,
 * which tells all that is asked, or else the neighbour's own. */
uint32_t xtf_page_totals_next(XtfPageTotals *page, uint32_t i, uint32_t end, const XtfTotalsTier **tier,
                              uint32_t *item);
