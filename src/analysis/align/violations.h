/*
 * The violations of given clocks: effects that precede their causes.
 */
#pragma once

#include "src/analysis/align/process-clocks.h"

typedef struct {
    uint64_t messages; /* messages that are received before they are sent */
    uint64_t ends;     /* ends of collective operations at a member before another member's begin that it needs */
    uint64_t largest;  /* greatest time in ticks by which an effect precedes its cause */
    double total;      /* sum over all violations, in ticks */
} XtfViolations;

/* Counts the violations in a replay of local times. */
bool xtf_violations_count(XtfReplay *replay, const XtfProcessClocks *clocks, XtfViolations *violations,
                          XtfReplayCounts *counts, GError **error);

static inline uint64_t xtf_violations_all(const XtfViolations *violations)
{
    return violations->messages + violations->ends;
}
