#include "src/analysis/causes/context-times.h"

void xtf_context_times_init(XtfContextTimes *times, uint32_t n_contexts)
{
    *times = (XtfContextTimes){
        .n_contexts = n_contexts,
        .ticks = g_new0(int64_t, n_contexts),
        .touched = g_new(uint32_t, n_contexts),
        .is_touched = g_new0(bool, n_contexts),
    };
}

void xtf_context_times_finish(XtfContextTimes *times)
{
    g_free(times->ticks);
    g_free(times->touched);
    g_free(times->is_touched);
    *times = (XtfContextTimes){0};
}

void xtf_context_times_clear(XtfContextTimes *times)
{
    for (uint32_t i = 0; i < times->n_touched; i++) {
        times->ticks[times->touched[i]] = 0;
        times->is_touched[times->touched[i]] = false;
    }
    times->n_touched = 0;
}

void xtf_context_times_add(XtfContextTimes *times, uint32_t context, int64_t ticks)
{
    if (context >= times->n_contexts)
        return;
    if (!times->is_touched[context]) {
        times->is_touched[context] = true;
        times->touched[times->n_touched++] = context;
    }
    times->ticks[context] = (int64_t)((uint64_t)times->ticks[context] + (uint64_t)ticks); /* an enemy's may wrap */
}

bool xtf_context_times_has(const XtfContextTimes *times, uint32_t context)
{
    return context < times->n_contexts && times->is_touched[context];
}

void xtf_context_times_not_negative(XtfContextTimes *times, uint32_t context)
{
    if (context < times->n_contexts)
        times->ticks[context] = MAX(times->ticks[context], 0);
}

void xtf_context_times_none_negative(XtfContextTimes *times)
{
    for (uint32_t i = 0; i < times->n_touched; i++)
        xtf_context_times_not_negative(times, times->touched[i]);
}
