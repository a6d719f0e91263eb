#include "src/analysis/causes/interval.h"

#include <string.h>

static uint64_t proc_of(const XtfIntervals *intervals, uint32_t location)
{
    return xtf_points_location(intervals->points, location)->proc;
}

static bool is_of(const XtfIntervals *intervals, uint32_t location, uint64_t proc)
{
    return location < xtf_points_n_locations(intervals->points) && proc_of(intervals, location) == proc;
}

bool xtf_intervals_operation(XtfIntervals *intervals, uint64_t instance, GError **error)
{
    const XtfOperations *operations = xtf_points_operations(intervals->points);

    if (intervals->instance == instance)
        return true;
    intervals->instance = UINT64_MAX;
    if (!xtf_operations_get(operations, instance, &intervals->operation, error))
        return false;
    intervals->members = g_renew(XtfOperationMember, intervals->members, MAX(intervals->operation.n_members, 1));
    if (!xtf_operations_members(operations, &intervals->operation, intervals->members, error))
        return false;
    intervals->instance = instance;
    return true;
}

/* Whether a process synchronises in the operation at hand. Members are in the order of locations, which is that of
 * processes. */
static bool synchronises(const XtfIntervals *intervals, uint64_t proc)
{
    uint32_t low = 0, high = intervals->operation.n_members;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (proc_of(intervals, intervals->members[middle].location) < proc)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < intervals->operation.n_members && proc_of(intervals, intervals->members[low].location) == proc;
         low++) {
        if (intervals->members[low].synchronises)
            return true;
    }
    return false;
}

/* Whether the point synchronises its location with a process. */
static bool meets(XtfIntervals *intervals, const XtfPoint *point, uint64_t proc, bool *answer, GError **error)
{
    *answer = false;
    switch ((XtfPointSide)point->side) {
    case XTF_POINT_WORLD:
        *answer = true;
        return true;
    case XTF_POINT_WAITS:
    case XTF_POINT_AWAITED:
    case XTF_POINT_LEAF:
        *answer = is_of(intervals, point->partner, proc);
        return true;
    case XTF_POINT_ALL:
    case XTF_POINT_ROOT:
    case XTF_POINT_PAIR:
        if (!xtf_intervals_operation(intervals, point->instance, error))
            return false;
        *answer = synchronises(intervals, proc);
        return true;
    case XTF_POINT_ALONE:
    case XTF_POINT_END:
    case XTF_POINT_PART:
        break;
    }
    return true;
}

bool xtf_interval_since(XtfIntervals *intervals, uint32_t location, uint64_t to, uint32_t other, XtfInterval *interval,
                        GError **error)
{
    uint64_t proc = proc_of(intervals, other), i = to;
    bool met = false;

    while (i > 0 && !met) {
        const XtfPoint *point = xtf_point_cache_get(intervals->cache, location, --i, error);
        if (!point || !meets(intervals, point, proc, &met, error))
            return false;
    }
    *interval = (XtfInterval){.location = location, .from = met ? i : XTF_NO_POINT, .to = to};
    return true;
}

/* Those that are still to be met: numbers among `others`. */
typedef struct {
    uint32_t *numbers;
    uint32_t n;
} Remaining;

/* Brings those that the point meets to the front, *n_met of them. */
static bool meet(XtfIntervals *intervals, const XtfPoint *point, const uint32_t *others, Remaining *remaining,
                 uint32_t *n_met, GError **error)
{
    *n_met = 0;
    for (uint32_t i = 0; i < remaining->n; i++) {
        uint32_t number = remaining->numbers[i];
        bool met;
        if (!meets(intervals, point, proc_of(intervals, others[number]), &met, error))
            return false;
        if (!met)
            continue;
        remaining->numbers[i] = remaining->numbers[*n_met];
        remaining->numbers[(*n_met)++] = number;
    }
    return true;
}

bool xtf_interval_since_all(XtfIntervals *intervals, uint32_t location, uint64_t to, const uint32_t *others, uint32_t n,
                            XtfInterval *interval, uint64_t *later, GError **error)
{
    g_autofree uint32_t *numbers = g_new(uint32_t, MAX(n, 1));
    Remaining remaining = {.numbers = numbers};

    memset(later, 0xff, n * sizeof *later);
    *interval = (XtfInterval){.location = location, .from = XTF_NO_POINT, .to = to};
    for (uint32_t i = 0; i < n; i++) {
        if (proc_of(intervals, others[i]) != proc_of(intervals, location))
            numbers[remaining.n++] = i;
    }
    for (uint64_t i = to; i-- > 0;) {
        const XtfPoint *found = xtf_point_cache_get(intervals->cache, location, i, error);
        uint32_t met;
        if (!found)
            return false;
        XtfPoint point = *found;
        if (!meet(intervals, &point, others, &remaining, &met, error))
            return false;
        if (met == remaining.n) {
            interval->from = i;
            return true;
        }
        for (uint32_t m = 0; m < met; m++)
            later[remaining.numbers[m]] = i;
        remaining.numbers += met;
        remaining.n -= met;
    }
    return true;
}

static bool add_times(XtfIntervals *intervals, const XtfInterval *interval, XtfContextTimes *sum, uint64_t *waited,
                      GError **error)
{
    const XtfContextTicks *times;

    for (uint64_t i = interval->from == XTF_NO_POINT ? 0 : interval->from + 1; i <= interval->to; i++) {
        const XtfPoint *point = xtf_point_cache_times(intervals->cache, interval->location, i, &times, error);
        if (!point)
            return false;
        for (uint32_t t = 0; t < point->n_times; t++) {
            bool outside = times[t].context == UINT32_MAX;
            if (!outside || intervals->counts_outside[interval->location])
                xtf_context_times_add(sum, outside ? intervals->outside : times[t].context, (int64_t)times[t].ticks);
        }
        if (i < interval->to && xtf_is_synchronising_wait(point)) {
            xtf_context_times_add(sum, point->context, (int64_t)(0 - point->wait));
            *waited += point->wait;
        }
    }
    return true;
}

bool xtf_interval_work(XtfIntervals *intervals, const XtfInterval *interval, XtfContextTimes *sum, uint64_t *waited,
                       GError **error)
{
    *waited = 0;
    xtf_context_times_clear(sum);
    if (!add_times(intervals, interval, sum, waited, error))
        return false;
    for (uint32_t i = 0; i < sum->n_touched; i++)
        xtf_context_times_not_negative(sum, sum->touched[i]);
    if (interval->from == XTF_NO_POINT)
        return true;
    const XtfPoint *point = xtf_point_cache_get(intervals->cache, interval->location, interval->from, error);
    if (!point)
        return false;
    uint64_t call = point->leave > point->enter ? point->leave - point->enter : 0;
    xtf_context_times_add(sum, point->context, (int64_t)(point->completion - call));
    xtf_context_times_not_negative(sum, point->context);
    return true;
}

bool xtf_interval_last_wait(XtfIntervals *intervals, const XtfInterval *interval, uint64_t *i, GError **error)
{
    uint64_t begin = interval->from == XTF_NO_POINT ? 0 : interval->from + 1;

    for (uint64_t at = interval->to; at > begin; at--) {
        const XtfPoint *point = xtf_point_cache_get(intervals->cache, interval->location, at - 1, error);
        if (!point)
            return false;
        if (xtf_is_synchronising_wait(point)) {
            *i = at - 1;
            return true;
        }
    }
    *i = XTF_NO_POINT;
    return true;
}
