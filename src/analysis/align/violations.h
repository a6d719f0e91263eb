/*
 * How often an effect comes before its cause, by given clocks.
 */
#pragma once

#include "src/analysis/align/process-clocks.h"

typedef struct {
    uint64_t messages; /* that are received before they are sent */
    uint64_t ends;     /* of collective operations at a member, before another one began that it needed */
    uint64_t largest;  /* ticks that the effect is too early by */
    double total;      /* of all */
} XtfViolations;

/* Of a replay of local times. */
bool xtf_violations_count(XtfReplay *replay, const XtfProcessClocks *clocks, XtfViolations *violations,
                          XtfReplayCounts *counts, GError **error);

static inline uint64_t xtf_violations_all(const XtfViolations *violations)
{
    return violations->messages + violations->ends;
}
