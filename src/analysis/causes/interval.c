#include "src/analysis/causes/interval.h"

#include <string.h>

bool xtf_interval_since(XtfSyncPoints *points, uint32_t location, uint64_t to, uint32_t process, XtfInterval *interval,
                        GError **error)
{
    XtfSyncPoint point;
    bool meets = false;
    uint64_t i = to;

    while (i > 0 && !meets) {
        if (!xtf_sync_points_get(points, location, --i, &point, error) ||
            !xtf_sync_points_meets(points, &point, process, &meets, error))
            return false;
    }
    *interval = (XtfInterval){.location = location, .from = meets ? i : XTF_NO_POINT, .to = to};
    return true;
}

/* The members that are still to be met, as a list of their numbers. */
typedef struct {
    uint32_t *numbers, *processes;
    uint32_t n;
} Remaining;

/* Splits off those that the point meets: they come first, *n_met of them. */
static bool meet(XtfSyncPoints *points, const XtfSyncPoint *point, Remaining *remaining, uint32_t *n_met,
                 GError **error)
{
    *n_met = 0;
    for (uint32_t i = 0; i < remaining->n; i++) {
        uint32_t number = remaining->numbers[i], process = remaining->processes[i];
        bool meets;
        if (!xtf_sync_points_meets(points, point, process, &meets, error))
            return false;
        if (!meets)
            continue;
        remaining->numbers[i] = remaining->numbers[*n_met];
        remaining->processes[i] = remaining->processes[*n_met];
        remaining->numbers[*n_met] = number;
        remaining->processes[(*n_met)++] = process;
    }
    return true;
}

static bool list_members(XtfSyncPoints *points, uint32_t location, const XtfSyncOperation *operation,
                         Remaining *remaining, GError **error)
{
    XtfSyncMember member;

    for (uint32_t i = 0; i < operation->n_members; i++) {
        if (!xtf_sync_points_member(points, operation, i, &member, error))
            return false;
        if (member.process == xtf_sync_points_process(points, location))
            continue;
        remaining->numbers[remaining->n] = i;
        remaining->processes[remaining->n++] = member.process;
    }
    return true;
}

bool xtf_interval_since_all(XtfSyncPoints *points, uint32_t location, uint64_t to, const XtfSyncOperation *operation,
                            XtfInterval *interval, uint64_t *later, GError **error)
{
    g_autofree uint32_t *numbers = g_new(uint32_t, operation->n_members);
    g_autofree uint32_t *processes = g_new(uint32_t, operation->n_members);
    Remaining remaining = {.numbers = numbers, .processes = processes};
    XtfSyncPoint point;

    memset(later, 0xff, operation->n_members * sizeof *later);
    *interval = (XtfInterval){.location = location, .from = XTF_NO_POINT, .to = to};
    if (!list_members(points, location, operation, &remaining, error))
        return false;
    for (uint64_t i = to; i-- > 0;) {
        uint32_t met;
        if (!xtf_sync_points_get(points, location, i, &point, error) || !meet(points, &point, &remaining, &met, error))
            return false;
        if (met == remaining.n) {
            interval->from = i;
            return true;
        }
        for (uint32_t m = 0; m < met; m++)
            later[remaining.numbers[m]] = i;
        remaining.numbers += met;
        remaining.processes += met;
        remaining.n -= met;
    }
    return true;
}

bool xtf_interval_work(XtfSyncPoints *points, XtfCallTimes *times, const XtfInterval *interval, XtfContextTimes *sum,
                       uint64_t *waited, GError **error)
{
    XtfSyncPoint point;

    *waited = 0;
    xtf_context_times_clear(sum);
    if (!xtf_call_times_sum(times, interval->location, interval->from, interval->to, sum, error))
        return false;
    for (uint64_t i = interval->from == XTF_NO_POINT ? 0 : interval->from + 1; i < interval->to; i++) {
        if (!xtf_sync_points_get(points, interval->location, i, &point, error))
            return false;
        if (point.wait == 0 || point.kind == XTF_SYNC_NONE)
            continue;
        xtf_context_times_add(sum, point.context, -(int64_t)point.wait);
        *waited += point.wait;
    }
    for (uint32_t i = 0; i < sum->n_touched; i++)
        sum->ticks[sum->touched[i]] = MAX(sum->ticks[sum->touched[i]], 0);
    if (interval->from == XTF_NO_POINT)
        return true;
    if (!xtf_sync_points_get(points, interval->location, interval->from, &point, error))
        return false;
    if (point.context < sum->n_contexts) {
        xtf_context_times_add(sum, point.context, point.completion - (int64_t)point.total);
        sum->ticks[point.context] = MAX(sum->ticks[point.context], 0);
    }
    return true;
}

bool xtf_interval_last_wait(XtfSyncPoints *points, const XtfInterval *interval, uint64_t *i, GError **error)
{
    uint64_t begin = interval->from == XTF_NO_POINT ? 0 : interval->from + 1;
    XtfSyncPoint point;

    for (uint64_t at = interval->to; at > begin; at--) {
        if (!xtf_sync_points_get(points, interval->location, at - 1, &point, error))
            return false;
        if (point.wait > 0 && point.kind != XTF_SYNC_NONE) {
            *i = at - 1;
            return true;
        }
    }
    *i = XTF_NO_POINT;
    return true;
}
