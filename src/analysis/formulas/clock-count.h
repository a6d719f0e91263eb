/*
 * Whether the clocks of processes contradict each other: an effect comes before its cause. A message is received before
 * it is sent; a member leaves a collective operation before another one that it needs enters. Where more than a few
 * effects do, it is not to be trusted who is late, who is last and who waits for whom.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    XTF_CLOCKS_ONE_IN = 1000, /* effects may come before their causes */
};

typedef struct {
    uint64_t judged;     /* effects whose causes are known */
    uint64_t impossible; /* of these, the ones before their causes */
} XtfClockCount;

static inline bool xtf_clock_count_contradicts(const XtfClockCount *count)
{
    return count->impossible > count->judged / XTF_CLOCKS_ONE_IN;
}
