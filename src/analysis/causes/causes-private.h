/*
 * What the files of the backward pass share.
 *
 *   causes.c    whose turn it is: a culprit waits until all that waited for it were passed
 *   waiters.c   which point waited for another one
 *   late.c      one point at which a location was late: delays, costs, and what goes on
 */
#pragma once

#include "src/analysis/causes/causes.h"
#include "src/analysis/causes/interval.h"
#include "src/analysis/causes/passing.h"
#include "src/analysis/causes/shares.h"
#include "src/analysis/formulas/wait-shares.h"

/* A point that waited. */
typedef struct {
    uint32_t location;
    uint64_t i;
    XtfPoint point;
    XtfPointResult result;
    XtfCosts costs; /* that it passes on */
    uint64_t since; /* the late one's last meeting with it, if that is after the interval of all; else XTF_NO_POINT */
    /* Set, for each tick of the late one's waits: what it passes on, and what of that is the wait itself. */
    XtfCosts scales;
    double scale;
} XtfWaiter;

/* Points [first, end) of a location, all of which are waits that began at `enter` or later. */
typedef struct {
    uint64_t enter, first, end;
} XtfCallSpan;

typedef struct {
    XtfIntervals intervals;
    XtfDelays *delays;
    XtfPassPool pool;
    XtfPassing *passing;               /* by location */
    XtfRests *rests;                   /* likewise */
    XtfCallpathSums all, mine, theirs; /* of the interval of all, of the one since the waiter, and of the waiter */
    double *charges;                   /* by call path, of the kinds' long-term costs and, last, the short-term cost */
    XtfTeamPaths *teams;
    GArray *later;               /* XtfMeeting: of the one that was late, with single members */
    XtfOperationMember *members; /* of the operation at hand */
    uint32_t room;
    XtfCallSpan *calls;  /* by location: of the call at hand */
    uint64_t n_looked;   /* points that were gone over to find others */
    XtfFlights meets;    /* points that wait in one-sided communication, by instance; see waiters.c */
    uint32_t *waiter_of; /* by location: its number among the waiters, plus 1; 0: it is none */
} XtfLateWork;

/* What is rounded by call path, each by the kind of wait: costs of `delays`, and parts of waits. */
enum {
    XTF_SHARE_LONG,
    XTF_SHARE_SHORT = XTF_COSTS,
    XTF_SHARE_INDIRECT = 2 * XTF_COSTS,
    XTF_SHARE_PROPAGATING = 3 * XTF_COSTS,
    XTF_SHARE_PASSED = 4 * XTF_COSTS,
};

enum { XTF_CHARGES = XTF_COSTS + 1 };

/* The point that waited for this one, of location `late`; false in *found if there is none. */
bool xtf_find_waiter(XtfLateWork *work, uint32_t late, const XtfPoint *awaited, XtfWaiter *waiter, bool *found,
                     GError **error);

/* A location was late at point `i`, and `waiters` waited for it. They are all of the kind `cost`. `operation` NULL: for
 * a message. Results are put. */
bool xtf_late_at(XtfLateWork *work, uint32_t location, uint64_t i, XtfCostKind cost, const XtfOperation *operation,
                 XtfWaiter *waiters, uint32_t n_waiters, GError **error);
/* Other threads of the location's process were idle until it forked at point `i`. */
bool xtf_idle_until(XtfLateWork *work, uint32_t location, uint64_t i, GError **error);
