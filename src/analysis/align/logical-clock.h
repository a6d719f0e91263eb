/*
 * The controlled logical clock: sets clocks forward until no effect precedes its cause.
 *
 * R. Rabenseifner: The controlled logical clock, a global time for trace based software monitoring of parallel
 * applications in workstation clusters, PDP 1997; D. Becker, R. Rabenseifner, F. Wolf, J. C. Linford: Scalable
 * timestamp synchronization for event traces of message-passing applications, Parallel Computing 35(12), 2009.
 *
 * It goes through the events in the order of a replay. If a receive precedes its send, the process's clock jumps
 * forward to the send. The end of a collective operation and the begins that it needs are treated alike.
 * - Forward amortisation: after a jump the clock is slower by 1 in XTF_AMORTISE until the jump is made up for.
 * - Backward amortisation: before a jump the clock is faster by the same rate, so that the jump becomes smaller or
 *   vanishes. It moves no send behind its receive, and it begins after the previous jump.
 * The result is a broken line of whole ticks. It skips points within `tolerance` of a line through fewer points. To
 * allow for that, receives first move behind their sends by twice the tolerance.
 */
#pragma once

#include "src/analysis/align/process-clocks.h"

enum {
    XTF_AMORTISE = 3400, /* ticks in which a clock gains or loses 1; slopes stay within 1 in XTF_CLOCK_DRIFT */
};

typedef struct {
    uint64_t tolerance; /* ticks by which the simplified clock may be off the computed one */
    uint64_t latency;   /* least latency of a message in ticks */
    bool amortise;      /* false: the clock keeps its jumps, without amortisation */
} XtfLogicalClockOptions;

/* Replaces the clocks of a replay of local times. *n_jumps: number of jumps. */
bool xtf_logical_clock(XtfReplay *replay, XtfProcessClocks *clocks, const XtfLogicalClockOptions *options,
                       uint64_t *n_jumps, GError **error);
