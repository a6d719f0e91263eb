#include "src/analysis/align/violations.h"

typedef struct {
    const XtfProcessClocks *clocks;
    XtfViolations *violations;
} Count;

static uint64_t global_time(void *data, const XtfReplayEvent *at)
{
    const Count *count = data;
    return xtf_process_clocks_global(count->clocks, at->process, at->time);
}

static bool is_early(Count *count, uint64_t effect, uint64_t cause)
{
    if (effect >= cause)
        return false;
    count->violations->total += (double)(cause - effect);
    count->violations->largest = MAX(count->violations->largest, cause - effect);
    return true;
}

static void count_receive(void *data, const XtfReplayEvent *at, const XtfReplayMessage *message)
{
    Count *count = data;
    count->violations->messages += is_early(count, global_time(data, at), message->value);
}

static void count_end(void *data, const XtfReplayEvent *at, XtfReplayCollective *collective, uint32_t rank)
{
    Count *count = data;
    uint64_t latest;

    if (xtf_replay_latest(collective, rank, &latest))
        count->violations->ends += is_early(count, global_time(data, at), latest);
}

bool xtf_violations_count(XtfReplay *replay, const XtfProcessClocks *clocks, XtfViolations *violations,
                          XtfReplayCounts *counts, GError **error)
{
    Count count = {.clocks = clocks, .violations = violations};
    const XtfReplayConsumer consumer = {
        .data = &count, .send = global_time, .begin = global_time, .receive = count_receive, .end = count_end};

    *violations = (XtfViolations){0};
    return xtf_replay_run(replay, &consumer, counts, error);
}
