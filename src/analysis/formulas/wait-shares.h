/*
 * What a wait of w ticks is charged to: the formula of causes, for the analysis of a whole trace and for one wait.
 *
 * Since both sides met last, the culprit used T_q(x) on call path x, and the one that waited T_p(x), their own waits
 * not counted. The delay of x is d(x) = max(0, T_q(x) - T_p(x)), D the sum of all d(x), and W the sum of the culprit's
 * own waits meanwhile. Then x is charged with w * d(x) / (D + W), and the culprit's waits bear w / (D + W) for each
 * tick of theirs; of kinds whose row says `limited`, w / (D + W) is at most 1.
 *
 * Of threads of a team, call paths count from their parallel region on. A thread that is idle until another one forks
 * waits for all that this one does: T_p(x) is 0. src/analysis/causes/causes.h has the sources.
 */
#pragma once

#include "src/analysis/formulas/team-paths.h"

typedef struct XtfWaitKind XtfWaitKind; /* src/model/wait-kinds.h */

/* For kinds of rule TEAM: how many teams each side is in. */
typedef struct {
    XtfTeamPaths *paths; /* NULL: none */
    unsigned culprit, waiter;
} XtfWaitTeams;

/* Makes d(x) of the culprit's sums T_q(x), and returns D, or INT64_MAX where that is more. `waiter`: T_p(x); not used
 * by rule IDLE. */
uint64_t xtf_wait_delays(const XtfWaitKind *kind, XtfCallpathSums *culprit, const XtfCallpathSums *waiter,
                         const XtfWaitTeams *teams);

/* What a tick of a delay, or of the culprit's waits, costs: 0 where D + W is 0. */
double xtf_wait_scale(const XtfWaitKind *kind, uint64_t wait, uint64_t delays, uint64_t waited);
