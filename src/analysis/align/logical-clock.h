/*
 * The controlled logical clock: clocks set forward until no effect comes before its cause.
 *
 * R. Rabenseifner: The controlled logical clock, a global time for trace based software monitoring of parallel
 * applications in workstation clusters, PDP 1997; D. Becker, R. Rabenseifner, F. Wolf, J. C. Linford: Scalable
 * timestamp synchronization for event traces of message-passing applications, Parallel Computing 35(12), 2009.
 *
 * Events are gone through in the order of a replay. Where a receive (or the end of a collective operation) would come
 * before its send (or a beginning that it needs), the process's clock jumps forward to it.
 * - Forward amortisation: behind a jump the clock is slower by 1 in XTF_AMORTISE until it is back where it was.
 * - Backward amortisation: before a jump the clock is faster by as much, so that it need not jump as far, or not at
 * all; but no send is moved behind its receive, and it begins behind the jump before. The result is a broken line of
 * whole ticks. Points of it that lie within `tolerance` of a line through fewer points are left out; so receives are
 * first moved behind their sends by twice the tolerance.
 */
#pragma once

#include "src/analysis/align/process-clocks.h"

enum {
    XTF_AMORTISE = 3400, /* with the drifts of corridor.h, slopes stay within 1 in XTF_CLOCK_DRIFT */
};

typedef struct {
    uint64_t tolerance; /* ticks */
    uint64_t latency;   /* ticks that a message takes at least */
    bool amortise;      /* else the clock stays where it jumped to, and only that */
} XtfLogicalClockOptions;

/* Replaces the clocks of a replay of local times. *n_jumps is how often a clock was set forward. */
bool xtf_logical_clock(XtfReplay *replay, XtfProcessClocks *clocks, const XtfLogicalClockOptions *options,
                       uint64_t *n_jumps, GError **error);
