/*
 * What waits are caused by: the excess work of those who came late, and the waits that made them late.
 *
 * A pass backward through the points of synchronisation (src/analysis/waits/points.h). For each wait of w ticks of
 * process p for process q it looks at what both did since they last synchronised: T_q(x), T_p(x), by call path x,
 * without their waits (src/analysis/causes/interval.h). The delay of x is d(x) = max(0, T_q(x) - T_p(x)), D their sum,
 * W the sum of q's own waits. Then
 * - x is charged with the short-term cost w * d(x) / (D + W); of a message, w / (D + W) is at most 1;
 * - the wait is indirect as far as q's waits caused it: w * W / (D + W), and direct else;
 * - q's waits pass on w / (D + W) ticks for each tick of theirs. Whoever made q wait is charged with that as long-term
 *   cost, in the same way: d(x) of C / (D + W), where C is what the wait has to pass on; and its own waits pass on C,
 * too;
 * - q's waits are propagating, as far as a message's other side waited for them: the greatest scale counts.
 * Of an operation of many the last one is charged for each member that waited, with the member's own interval.
 *
 * All that is as Scalasca 2.6 has it (src/scout/generator/{Delay.MPI,Waitstates.MPI}.pattern, MpiDelayOps.cpp; Böhme et
 * al.: Identifying the root causes of wait states in large-scale parallel applications, ACM TOPC 3(2), 2016), with two
 * of its oddities: the completion of a late receiver's call is taken off, not added; and costs that an
 * operation passes on to waits behind a point at which a single member met the late one grow one such point too late.
 * Beyond it, waits in operations of many are direct and indirect, too.
 *
 * One-sided communication, which it does not read, goes by the same rules: a wait for one process as one for a message,
 * but that w / (D + W) has no limit; a fence as an operation of many.
 *
 * A team's barrier is such an operation, of the threads that are in it, each with its interval since the team met last:
 * at a barrier before, or where it was forked. What they did is compared by call paths from the parallel region on
 * (formulas/team-paths.h). Threads that are in no team wait for all that the one does which will fork them: each tick
 * that they are idle is charged to its call paths, or passed on by its waits (Scalasca: Delay.OMP.pattern,
 * OmpDelayOps.cpp, which knows no teams in teams).
 *
 * Costs are real numbers, and stored as ticks (src/analysis/causes/shares.h).
 *
 * Where clocks are wrong, a wait may end before its cause begins, and a pass that follows causes would run in circles.
 * The pass goes on at such a point without the costs that are not known yet, and counts the point.
 */
#pragma once

#include "src/analysis/causes/delays.h"
#include "src/trace/context/trace-context.h"

typedef struct {
    uint64_t explained; /* waits whose culprit is known */
    uint64_t circles;   /* points at which the pass had to go on without knowing all costs */
    uint64_t lost;      /* points that have no point at the other side */
    uint64_t looked;    /* points that were gone over to find others: how much work it was */
} XtfCausesCounts;

/* Puts the results of all points that are waits, and finds the delays. Time outside of all calls is that of a call path
 * where a location's records tell that a program began; else nobody knows what it was spent for, and as in Scalasca it
 * delays nobody. `context`: of the trace whose points they are; NULL: nothing is known of it. Two steps. */
bool xtf_causes_find(XtfTraceContext *context, XtfPoints *points, XtfSteps *steps, XtfDelays **delays,
                     XtfCausesCounts *counts, GError **error);
