/*
 * Types and functions of the backward pass.
 *
 *   causes.c    the order of the pass: a culprit after all points that waited for the culprit
 *   waiters.c   finds the point that waited for another one
 *   culprit.c   handles one point at which a location was late: delays, costs, and what its waits pass on
 */
#pragma once

#include "src/analysis/causes/causes.h"
#include "src/analysis/causes/interval.h"
#include "src/analysis/causes/pass-tree.h"
#include "src/analysis/causes/shares.h"
#include "src/analysis/formulas/wait-shares.h"

/* A point that waited. */
typedef struct {
    uint32_t location;
    uint64_t i;
    XtfPoint point;
    XtfPointResult result;
    XtfCosts costs; /* long-term costs that its wait passes on */
    uint64_t since; /* the culprit's last meeting with this waiter, if later than the start of the interval of all
                     * waiters; else XTF_NO_POINT */
    /* Output, per tick of the culprit's waits: all that this wait passes on to them, and the part due to the wait
     * itself. */
    XtfCosts scales;
    double scale;
} XtfWaiter;

/* Points [first, end) of a location. All are waits that began at `enter` or later. */
typedef struct {
    uint64_t enter, first, end;
} XtfCallSpan;

typedef struct {
    XtfIntervals intervals;
    XtfDelays *delays;
    XtfPassPool pool;
    XtfPassTree *pass_trees;                        /* by location */
    XtfRemainders *remainders;                      /* by location */
    XtfCallpathSums all, culprit_work, waiter_work; /* work of the culprit since it met all waiters, of the culprit
                                          since it met this waiter, of the waiter */
    double *charges; /* by call path: long-term costs by kind, then the short-term cost */
    XtfTeamPaths *teams;
    GArray *later;               /* XtfMeeting: later meetings of the culprit with single members */
    XtfOperationMember *members; /* of the current operation */
    uint32_t room;
    XtfCallSpan *calls;  /* by location: the current call */
    uint64_t n_looked;   /* points that were read to find other points */
    XtfFlights meets;    /* waiting points of one-sided communication, by instance; see waiters.c */
    uint32_t *waiter_of; /* by location: its index among the waiters, plus 1; 0: none */
} XtfCulpritWork;

/* Quantities that are rounded by call path and kind of wait: costs of `delays`, and parts of waits. */
enum {
    XTF_SHARE_LONG,
    XTF_SHARE_SHORT = XTF_COSTS,
    XTF_SHARE_INDIRECT = 2 * XTF_COSTS,
    XTF_SHARE_PROPAGATING = 3 * XTF_COSTS,
    XTF_SHARE_PASSED = 4 * XTF_COSTS,
};

enum { XTF_CHARGES = XTF_COSTS + 1 };

/* Finds the point that waited for the point `awaited` of location `culprit`. *found: false if there is none. */
bool xtf_find_waiter(XtfCulpritWork *work, uint32_t culprit, const XtfPoint *awaited, XtfWaiter *waiter, bool *found,
                     GError **error);

/* Handles point `i` at which a location was late. Charges its call paths with the waits of all `waiters`, and passes
 * the costs on to its own waits. All waiters have the kind `cost`. `operation` NULL: the wait was for a message.
 * Stores the waiters' results. */
bool xtf_charge_culprit(XtfCulpritWork *work, uint32_t location, uint64_t i, XtfCostKind cost,
                        const XtfOperation *operation, XtfWaiter *waiters, uint32_t n_waiters, GError **error);
/* Charges a location for the idle time of the other threads of its process until it forked at point `i`. */
bool xtf_charge_fork(XtfCulpritWork *work, uint32_t location, uint64_t i, GError **error);
