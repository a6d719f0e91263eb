/*
 * Counts of effects that precede their causes: the clocks of processes contradict each other. For example, a message is
 * received before its send. Or a member leaves a collective operation before another member enters that it needs. With
 * more than a few such effects, the analysis cannot decide who is late, who is last and who waits for whom.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_CLOCKS_ONE_IN = 1000, /* one in this many effects may precede its cause */
};

typedef struct {
    uint64_t judged;     /* effects whose causes are known */
    uint64_t impossible; /* effects that precede their causes */
} XtfClockCount;

static inline bool xtf_clock_count_contradicts(const XtfClockCount *count)
{
    return count->impossible > count->judged / XTF_CLOCKS_ONE_IN;
}
