/*
 * Causes of waits: the excess work of the culprit, and the waits that made the culprit late.
 *
 * The backward pass goes through the points of synchronisation (src/analysis/waits/points.h). For each wait of w ticks
 * of process p for process q it compares the work of both since they last synchronised. T_p(x) and T_q(x) are their
 * times by call path x, without their waits (src/analysis/causes/intervals/interval.h). The delay of x is d(x) = max(0,
 * T_q(x) - T_p(x)). D is the sum of all d(x), W the sum of q's own waits. Then
 * - x is charged with the short-term cost w * d(x) / (D + W). For a message, w / (D + W) is limited to 1.
 * - The wait is indirect as far as q's waits caused it: w * W / (D + W). The remainder is direct.
 * - Each tick of q's waits passes on w / (D + W) ticks. Locations that made q wait are charged with them as long-term
 *   cost, in the same way: C * d(x) / (D + W), where C is the cost that the wait passes on. Their own waits pass on C,
 *   too.
 * - q's waits are propagating as far as the other side of a message waited for them: the greatest scale counts.
 * In a collective operation the culprit is charged for each member that waited, with that member's own interval.
 *
 * All rules follow Scalasca 2.6 (src/scout/generator/{Delay.MPI,Waitstates.MPI}.pattern, MpiDelayOps.cpp; Böhme et
 * al.: Identifying the root causes of wait states in large-scale parallel applications, ACM TOPC 3(2), 2016), with two
 * of its oddities. The completion of a late receiver's call is subtracted, not added. An operation passes a member's
 * costs on to waits after the culprit's last meeting with that member alone, but begins one such meeting too late.
 * Unlike Scalasca, waits in collective operations are direct and indirect, too.
 *
 * One-sided communication, which Scalasca does not read, follows the same rules. A wait for one process is treated
 * like a wait for a message, but w / (D + W) has no limit. A fence is treated like a collective operation.
 *
 * An OpenMP barrier is treated like a collective operation of the threads of the team. Each thread's interval begins
 * where the team met last: at the previous barrier, or at the fork. Their work is compared by call paths from the
 * parallel region on (formulas/team-paths.h). Threads outside of all teams wait for the thread that will fork them.
 * Each tick of their idle time is charged to the call paths of that thread, or passed on by its waits (Scalasca:
 * Delay.OMP.pattern, OmpDelayOps.cpp, which knows no nested teams).
 *
 * Costs are real numbers, and stored as ticks (src/analysis/waits/shares.h).
 *
 * If clocks are wrong, a wait may end before its cause begins, and the causes may form a circle. Then the pass
 * continues at one such point without the costs that it does not know yet, and counts the point.
 */
#pragma once

#include "src/analysis/causes/delays.h"
#include "src/trace/context/trace-context.h"
#include "src/world/world.h"

typedef struct {
    uint64_t explained; /* waits whose culprit is known */
    uint64_t circles;   /* points at which the pass had to continue without knowing all costs */
    uint64_t lost;      /* points without a point of the other side */
    uint64_t looked;    /* points that were read to find other points, as a measure of the effort */
} XtfCausesCounts;

/* Finds the delays, and stores the results of all points that are waits. Time outside of all calls counts as a call
 * path on locations whose records say where a program began. On other locations its purpose is unknown, and it delays
 * no other location, as in Scalasca. `context`: the context of the points' trace; NULL: unknown. Takes two steps of
 * `steps`.
 *
 * In a job (`world`) all ranks call the function. Each has the points of the locations from borders[rank] up to
 * borders[rank + 1], without it, and gets their delays. The counts are sums of all ranks. */
bool xtf_causes_find(XtfTraceContext *context, XtfPoints *points, XtfWorld *world, const uint32_t *borders,
                     XtfSteps *steps, XtfDelays **delays, XtfCausesCounts *counts, GError **error);
