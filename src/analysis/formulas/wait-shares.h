/*
 * The formula that charges a wait of w ticks to its causes, for the analysis of a whole trace and for a single wait.
 *
 * Since their last meeting, the culprit spent T_q(x) ticks on call path x, and the waiter T_p(x), both without their
 * own waits. The delay of x is d(x) = max(0, T_q(x) - T_p(x)). D is the sum of all d(x), and W the sum of the culprit's
 * own waits since then. The formula charges w * d(x) / (D + W) to x, and w / (D + W) to each tick of the culprit's
 * waits. If the kind's row has `limited`, w / (D + W) is at most 1.
 *
 * For threads of a team, call paths count from their parallel region on. A thread that is idle until another thread
 * forks waits for all of that thread's work: T_p(x) is 0. src/analysis/causes/causes.h has the sources.
 */
#pragma once

#include "src/analysis/formulas/team-paths.h"

typedef struct XtfWaitKind XtfWaitKind; /* src/model/wait-kinds.h */

/* For kinds of rule TEAM: the number of teams that each side is in. */
typedef struct {
    XtfTeamPaths *paths; /* NULL: none */
    unsigned culprit, waiter;
} XtfWaitTeams;

/* Replaces the culprit's sums T_q(x) by d(x). Returns D, at most INT64_MAX. `waiter`: T_p(x); rule IDLE does not use
 * it. */
uint64_t xtf_wait_delays(const XtfWaitKind *kind, XtfCallpathSums *culprit, const XtfCallpathSums *waiter,
                         const XtfWaitTeams *teams);

/* Returns the cost of a tick of a delay, or of the culprit's waits; 0 if D + W is 0. */
double xtf_wait_scale(const XtfWaitKind *kind, uint64_t wait, uint64_t delays, uint64_t waited);
