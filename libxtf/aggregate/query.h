/*
 * Queries of totals, and how the child totals of one page or one digest answer them.
 */
#pragma once

#include "libxtf/group-filter.h"
#include "libxtf/totals/child-totals.h"
#include "libxtf/tree/descent.h"

/* The stack before row n, caught where a query of frames goes over the rows around it anyway. */
typedef struct {
    uint64_t n;
    XtfFrameStack *stack; /* initialised */
    bool caught;
} XtfStackCatch;

/* Without totals, rows are only counted. */
typedef struct {
    const XtfArray *array;
    const XtfAggregate *aggregate;
    unsigned index;
    const XtfGroupFilter *filter; /* may be NULL */
    XtfGroupTotals *totals;       /* may be NULL */
    uint64_t count;
    bool filtered; /* the filter takes one group, and the aggregate has filters... */
    uint64_t hash; /* ...in which this is the group's: xtf_filter_hash() */
    XtfStackCatch *catches;
    unsigned n_catches;
} XtfTotalsQuery;

XtfTotalsQuery xtf_totals_query(const XtfArray *array, unsigned index, const XtfGroupFilter *filter,
                                XtfGroupTotals *totals);

/* Adds rows [n1, n2), n2 being cut off at the array's end. */
bool xtf_totals_query_run(XtfTotalsQuery *query, uint64_t n1, uint64_t n2, GError **error);

/* Whether the rows of a leaf, a child of a page, are looked at one by one: where nearly every row is a group of its
 * own, a digest is as large as the rows. */
bool xtf_totals_query_scans(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, bool *scans,
                            GError **error);

/* Whether a child of a page may have rows of the query's group: all may but leaves whose filters deny it. *filters is
 * NULL at first, then the page's, pinned: the caller puts them back. */
bool xtf_totals_query_may_be_below(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot,
                                   XtfBlock **filters, bool *may, GError **error);

/* Whether the filter takes a group of all keys. */
bool xtf_totals_query_matches(const XtfTotalsQuery *query, const uint64_t *key);

/*
 * Adds child totals of one page by the numbers of their groups. The filter and the query's totals look up the key of
 * each group once, however many children have the group.
 */
typedef struct {
    XtfTotalsQuery *query;
    const XtfChildTotals *children;
    /* Private. */
    bool use_all;      /* all groups of all but coarse totals are taken, and have enough keys */
    bool use_coarse;   /* coarse totals may suffice */
    uint32_t *numbers; /* of each group: 1 + its number in the query's totals; 0: not looked up yet */
    uint8_t *uses;     /* a GroupUse for each group */
} XtfPageTotals;

void xtf_page_totals_init(XtfPageTotals *page, XtfTotalsQuery *query, const XtfChildTotals *children);
void xtf_page_totals_finish(XtfPageTotals *page);

/* Whether an item answers the query; otherwise some group has too few keys. */
bool xtf_page_totals_suffice(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item);
/* Adds an item that suffices. */
void xtf_page_totals_add(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item);

/* Chooses the cheapest totals that cover child i: of the block of 16 or quarter of one that begins there, coarse, or
 * exact. Sets *tier and *item; returns the first child not covered. Exact totals may not suffice. */
uint32_t xtf_page_totals_next(XtfPageTotals *page, uint32_t i, uint32_t end, const XtfTotalsTier **tier,
                              uint32_t *item);
