#include "src/record/collect/rows/clock.h"

#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "src/record/nanoseconds.h"

bool xtf_collect_clock_check(const XtfCollectClock *clock, GError **error)
{
    if (clock->source != XTF_WIRE_CLOCK_TSC && clock->source != XTF_WIRE_CLOCK_MONOTONIC)
        return xtf_damaged(error, "clock source %" PRIu32 " is not known", clock->source);
#ifndef __x86_64__
    if (clock->source == XTF_WIRE_CLOCK_TSC)
        return xtf_damaged(error, "this machine has no time stamp counter");
#endif
    if (clock->shift > 63 || clock->multiplier == 0)
        return xtf_damaged(error, "the clock is not calibrated: multiplier %" PRIu64 ", shift %" PRIu32,
                           clock->multiplier, clock->shift);
    if (clock->base > XTF_COLLECT_TIME_MAX)
        return xtf_damaged(error, "the clock begins at %" PRIu64 " ns", clock->base);
    return true;
}

uint64_t xtf_collect_clock_now(const XtfCollectClock *clock)
{
#ifdef __x86_64__
    if (clock->source == XTF_WIRE_CLOCK_TSC)
        return __rdtsc();
#endif
    return xtf_monotonic_ns();
}
