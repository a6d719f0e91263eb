/*
 * Queries of totals, and their answers from the child totals of one page or one digest.
 */
#pragma once

#include "libxtf/aggregate/frame-leaf.h"
#include "libxtf/group-filter.h"
#include "libxtf/totals/child-totals.h"
#include "libxtf/tree/descent.h"

/* The stack before row n. A query of frames captures the stack if the query passes over the rows around row n. */
typedef struct {
    uint64_t n;
    XtfFrameStack *stack; /* initialised */
    bool captured;
    XtfFrameRow row; /* what row n does, if it was read */
} XtfStackCapture;

/* A query of totals. Without `totals`, the query only counts rows. */
typedef struct {
    const XtfArray *array;
    const XtfAggregate *aggregate;
    unsigned index;
    const XtfGroupFilter *filter; /* may be NULL */
    XtfGroupTotals *totals;       /* may be NULL */
    uint64_t count;
    bool filtered; /* the query's filter accepts one group, and leaves have filters that may exclude this group */
    uint64_t hash; /* xtf_filter_hash() of the group; valid if filtered */
    XtfStackCapture *captures;
    unsigned n_captures;
    bool passes; /* the query reads each page once */
} XtfTotalsQuery;

XtfTotalsQuery xtf_totals_query(const XtfArray *array, unsigned index, const XtfGroupFilter *filter,
                                XtfGroupTotals *totals);

/* Adds rows [n1, n2) to the query. Cuts n2 off at the array's end. */
bool xtf_totals_query_run(XtfTotalsQuery *query, uint64_t n1, uint64_t n2, GError **error);

/* Stored totals of one page that a query holds while it reads the page (totals/tables/stored.h), pinned. */
typedef struct {
    XtfBlock *children; /* of some children; NULL: none yet */
    XtfBlock *batches;  /* of the page's batches; NULL: none yet */
} XtfHeldTotals;

/* Releases the pins. An all-zero struct is allowed. */
void xtf_held_totals_finish(XtfHeldTotals *held);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfHeldTotals, xtf_held_totals_finish)
/* Releases the pins for a reader that reads the page once (xtf_block_pass()). */
void xtf_held_totals_pass(XtfHeldTotals *held);
/* Gets the totals of a child in held->children, unless they are there already. A query that passes (query->passes) also
 * passes the block before. */
bool xtf_totals_query_hold(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t child, XtfHeldTotals *held,
                           GError **error);

/* Adds the whole children [first, last) of a page: by the page's stored totals if they suffice, else by entering the
 * child. */
bool xtf_totals_query_add_children(XtfTotalsQuery *query, const XtfDescentPage *page, XtfHeldTotals *held,
                                   uint32_t first, uint32_t last, GError **error);

/* True if the query counts the frames of any key that rows begin. Their number below whole children is known without
 * other totals: xtf_totals_query_count_begun() adds that below the children [first, last) of a page. */
static inline bool xtf_totals_query_counts_begun(const XtfTotalsQuery *query)
{
    const XtfGroupFilter *filter = query->filter;

    return !query->totals && filter && filter->begins_only && !filter->exact && !filter->match;
}

bool xtf_totals_query_count_begun(XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t first, uint32_t last,
                                  GError **error);

/* Adds rows [n1, n2) of a leaf to the query. */
bool xtf_totals_query_add_leaf(XtfTotalsQuery *query, const XtfDescentLeaf *leaf, uint64_t n1, uint64_t n2,
                               GError **error);
/* Counts rows [n1, n2) of a leaf one by one. For a query without totals. */
bool xtf_totals_query_scan_leaf(XtfTotalsQuery *query, const XtfDescentLeaf *leaf, uint64_t n1, uint64_t n2,
                                GError **error);
/* True if rows can be added directly to the query's totals: it has no filter, and keeps all keys or adds integers
 * alone. */
bool xtf_totals_query_adds_rows(const XtfTotalsQuery *query);
/* Adds the groups, by all keys, that the query's filter accepts. */
void xtf_totals_query_add_groups(XtfTotalsQuery *query, const XtfGroupTotals *totals);
/* Returns the part of a leaf that answers the query, whose aggregate is not one of frames. Sums suffice if it adds
 * integers of all rows to one group, and times if it counts all rows. */
XtfLeafPart xtf_totals_query_part(const XtfTotalsQuery *query);
/* Adds rows [from, to) of a leaf, of which that part was read, to totals by all keys, or to the query's own. */
bool xtf_totals_query_add_group_rows(const XtfTotalsQuery *query, const XtfPageView *rows, uint32_t from, uint32_t to,
                                     XtfGroupTotals *totals, GError **error);
/* Counts the accepted rows among rows [from, to) of a leaf. For a query without totals. */
void xtf_totals_query_count_rows(XtfTotalsQuery *query, const XtfPageView *rows, uint32_t from, uint32_t to);
/* Gets one bit per row of a leaf, set if the row begins a frame. Sets zeros->block to NULL if the leaf does not show
 * these bits, or the query does not count all rows that begin frames. The caller finishes *zeros. */
bool xtf_totals_query_begun_rows(const XtfTotalsQuery *query, const XtfDescentLeaf *leaf, XtfLeafZeros *zeros,
                                 GError **error);

/* Describes a child of a page of level 1: a leaf. Sets *scans if the query must read the leaf's rows one by one. If
 * nearly every row is a separate group, a digest would be as large as the rows. */
bool xtf_totals_query_leaf(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot, XtfDescentLeaf *leaf,
                           bool *scans, GError **error);

/* Sets *may_have to false if a child is a leaf whose filter excludes the query's group, else to true. *filters is NULL
 * at first, then the page's filters, pinned. The caller releases them. */
bool xtf_totals_query_may_be_below(const XtfTotalsQuery *query, const XtfDescentPage *page, uint32_t slot,
                                   XtfBlock **filters, bool *may_have, GError **error);

/* True if the query's filter accepts the group of a key with all values. */
bool xtf_totals_query_matches(const XtfTotalsQuery *query, const uint64_t *key);

/*
 * Adds child totals of one page by their group numbers. The filter and the query's totals look up the key of each group
 * once, however many children have the group.
 */
typedef struct {
    XtfTotalsQuery *query;
    const XtfChildTotals *children;
    /* Private. */
    bool use_all;      /* all groups of all totals except coarse ones are used, and have enough keys */
    bool use_coarse;   /* coarse totals may suffice */
    uint32_t *numbers; /* of each group: 1 + its number in the query's totals; 0: not looked up yet */
    uint8_t *uses;     /* a GroupUse for each group */
} XtfPageTotals;

void xtf_page_totals_init(XtfPageTotals *page, XtfTotalsQuery *query, const XtfChildTotals *children);
void xtf_page_totals_finish(XtfPageTotals *page);

/* True if the totals number `item` of a tier answer the query; otherwise some group has too few keys. Each is of a
 * child, or of several consecutive children. */
bool xtf_page_totals_suffice(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item);
/* Adds the totals number `item` of a tier, which must suffice. */
void xtf_page_totals_add(XtfPageTotals *page, const XtfTotalsTier *tier, uint32_t item);

/* Chooses the cheapest totals that cover child i. The choices are: the block of 16, or the half of a block, that
 * begins there; coarse totals; exact totals. Sets *tier and *item, and returns the first child that is not covered.
 * Exact totals may have too few keys: if xtf_page_totals_suffice() says so, the caller enters the child. */
uint32_t xtf_page_totals_next(XtfPageTotals *page, uint32_t i, uint32_t end, const XtfTotalsTier **tier,
                              uint32_t *item);
