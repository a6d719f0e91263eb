/*
 * Handles one point of the backward pass at which a location, the culprit, was late. Computes its delays and the costs
 * that its waits pass on.
 *
 *   causes.c    begins and ends a pass
 *   pass.c      the order of the pass: a culprit after all points that waited for the culprit
 *   arrivals.c  the waits whose culprit the pass has not reached yet
 *   letters.c   messages between the homes of a wait and of its culprit
 *   waiters.c   makes the message of a wait
 */
#pragma once

#include "src/analysis/causes/delays.h"
#include "src/analysis/causes/intervals/interval.h"
#include "src/analysis/causes/pass-tree.h"
#include "src/analysis/causes/wait.h"
#include "src/analysis/formulas/wait-shares.h"
#include "src/analysis/waits/shares.h"

/* A wait while its culprit is charged. */
typedef struct {
    const XtfWait *wait;
    uint64_t since; /* the culprit's last meeting with this waiter, if later than the start of the interval of all
                     * waiters; else XTF_NO_POINT */
    XtfWaitAnswer answer;
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
    uint32_t *waiter_of; /* by location: its index among the waiters, plus 1; 0: none */
} XtfCulpritWork;

/* Quantities that are rounded by call path and kind of wait: costs of `delays`, and parts of waits. */
enum {
    XTF_SHARE_LONG,
    XTF_SHARE_SHORT = XTF_COSTS,
    XTF_SHARE_PROPAGATING = 2 * XTF_COSTS,
    XTF_SHARE_PASSED = 3 * XTF_COSTS,
};

enum { XTF_CHARGES = XTF_COSTS + 1 };

/* Handles point `i` at which a location was late. Charges its call paths with the waits of all `waiters`, and passes
 * the costs on to its own waits. All waiters have the kind `cost`, and are in the order of their locations. `operation`
 * NULL: the wait was for a message. Sets the waiters' answers. */
bool xtf_charge_culprit(XtfCulpritWork *work, uint32_t location, uint64_t i, XtfCostKind cost,
                        const XtfOperation *operation, XtfWaiter *waiters, uint32_t n_waiters, GError **error);
/* Charges a location for the idle time of the other threads of its process until it forked at point `i`. */
bool xtf_charge_fork(XtfCulpritWork *work, uint32_t location, uint64_t i, GError **error);
