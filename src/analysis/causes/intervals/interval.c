#include "src/analysis/causes/intervals/interval.h"

enum {
    SUMS_MAX = 1 << 16, /* checkpoints in memory are dropped once they have more sums (XtfCallpathSum) together */
};

bool xtf_interval_since(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval, GError **error)
{
    XtfPrefix prefix;

    if (!xtf_point_cache_prefix(intervals->cache, location, to, &prefix, error))
        return false;
    *interval = (XtfInterval){.location = location, .from = prefix.since, .to = to};
    return true;
}

bool xtf_interval_since_all(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval,
                            GArray *later, GError **error)
{
    XtfPrefix prefix;

    *interval = (XtfInterval){.location = location, .to = to};
    return xtf_point_cache_prefix(intervals->cache, location, to, &prefix, error) &&
           xtf_prefixes_meetings(intervals->prefixes, prefix.since, &interval->from, later, error);
}

/* ---- Checkpoints. */

static void clear_checkpoints(XtfCheckpoints *checkpoints)
{
    for (unsigned i = 0; i < XTF_CHECKPOINTS; i++)
        g_clear_pointer(&checkpoints->all[i].all, g_array_unref);
    *checkpoints = (XtfCheckpoints){0};
}

void xtf_intervals_finish(XtfIntervals *intervals)
{
    clear_checkpoints(&intervals->checkpoints);
}

/* Returns the checkpoint at an offset, valid until the next call. */
static const XtfCheckpoint *checkpoint_at(XtfIntervals *intervals, uint64_t at, GError **error)
{
    XtfCheckpoints *checkpoints = &intervals->checkpoints;
    unsigned slot = (at * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (XTF_CHECKPOINTS - 1);
    XtfCheckpoint *checkpoint = &checkpoints->all[slot];

    if (checkpoints->places[slot] == at + 1)
        return checkpoint;
    if (checkpoints->n > SUMS_MAX)
        clear_checkpoints(checkpoints);
    if (!checkpoint->all)
        checkpoint->all = g_array_new(FALSE, FALSE, sizeof(XtfCallpathSum));
    checkpoints->n -= checkpoints->places[slot] ? checkpoint->all->len : 0;
    checkpoints->places[slot] = 0;
    if (!xtf_prefixes_checkpoint(intervals->prefixes, at, checkpoint, error))
        return NULL;
    checkpoints->places[slot] = at + 1;
    checkpoints->n += checkpoint->all->len;
    return checkpoint;
}

/* ---- Sums. */

/* Adds or subtracts ticks of a call path. Subtracts only from call paths that were added before. */
static void add_interval_ticks(const XtfIntervals *intervals, uint32_t location, uint32_t callpath, uint64_t ticks,
                               bool subtract, XtfCallpathSums *sum)
{
    uint32_t to = callpath == UINT32_MAX ? intervals->outside : callpath;

    if (callpath == UINT32_MAX && !intervals->counts_outside[location])
        return;
    if (!subtract)
        xtf_callpath_sums_add(sum, to, (int64_t)ticks);
    else if (xtf_callpath_sums_has(sum, to))
        xtf_callpath_sums_add(sum, to, (int64_t)(0 - ticks));
}

/* Adds the times of points [first, end] less their waits. Skips the wait of the last point if `skip_last_wait`. */
static bool add_points(XtfIntervals *intervals, uint32_t location, uint64_t first, uint64_t end, bool skip_last_wait,
                       bool subtract, XtfCallpathSums *sum, GError **error)
{
    for (uint64_t i = first; i <= end; i++) {
        const XtfCallpathTicks *times;
        const XtfPoint *point = xtf_point_cache_times(intervals->cache, location, i, &times, error);
        if (!point)
            return false;
        for (uint32_t t = 0; t < point->n_times; t++)
            add_interval_ticks(intervals, location, times[t].callpath, times[t].ticks, subtract, sum);
        if (xtf_is_synchronising_wait(point) && !(skip_last_wait && i == end)) {
            if (!subtract)
                xtf_callpath_sums_add(sum, point->callpath, (int64_t)(0 - point->wait));
            else if (xtf_callpath_sums_has(sum, point->callpath))
                xtf_callpath_sums_add(sum, point->callpath, (int64_t)point->wait);
        }
    }
    return true;
}

/* Adds the call paths of a checkpoint that have time after the interval's first point. */
static void add_checkpoint(const XtfIntervals *intervals, const XtfInterval *interval, const XtfCheckpoint *checkpoint,
                           XtfCallpathSums *sum)
{
    for (guint k = 0; k < checkpoint->all->len; k++) {
        const XtfCallpathSum *one = &g_array_index(checkpoint->all, XtfCallpathSum, k);
        if (interval->from == XTF_NO_POINT || one->last > interval->from)
            add_interval_ticks(intervals, interval->location, one->callpath, one->ticks, false, sum);
    }
}

/* Subtracts the time before the interval, and at its first point. */
static bool subtract_before(XtfIntervals *intervals, const XtfInterval *interval, const XtfPrefix *first,
                            XtfCallpathSums *sum, GError **error)
{
    uint64_t begin = 0;

    if (first->sums != XTF_NO_POINT) {
        const XtfCheckpoint *checkpoint = checkpoint_at(intervals, first->sums, error);
        if (!checkpoint)
            return false;
        for (guint k = 0; k < checkpoint->all->len; k++) {
            const XtfCallpathSum *one = &g_array_index(checkpoint->all, XtfCallpathSum, k);
            add_interval_ticks(intervals, interval->location, one->callpath, one->ticks, true, sum);
        }
        begin = checkpoint->point + 1;
    }
    return add_points(intervals, interval->location, begin, interval->from, false, true, sum, error);
}

/* Adds the times and waits in the interval. If the interval has a checkpoint, reads only the points before its first
 * and after its last checkpoint. */
static bool add_interval_times(XtfIntervals *intervals, const XtfInterval *interval, const XtfPrefix *first,
                               const XtfPrefix *last, XtfCallpathSums *sum, GError **error)
{
    uint32_t location = interval->location;
    bool from_start = interval->from == XTF_NO_POINT;
    uint64_t from = from_start ? 0 : interval->from + 1;

    if (last->sums == XTF_NO_POINT || (!from_start && last->sums == first->sums))
        return add_points(intervals, location, from, interval->to, true, false, sum, error);
    const XtfCheckpoint *checkpoint = checkpoint_at(intervals, last->sums, error);
    if (!checkpoint)
        return false;
    if (!from_start && checkpoint->point <= interval->from)
        return add_points(intervals, location, from, interval->to, true, false, sum, error);
    from = checkpoint->point + 1;
    add_checkpoint(intervals, interval, checkpoint, sum);
    return (from_start || subtract_before(intervals, interval, first, sum, error)) &&
           add_points(intervals, location, from, interval->to, true, false, sum, error);
}

int64_t xtf_interval_idle(const XtfPoint *first)
{
    uint64_t call = first->leave > first->enter ? first->leave - first->enter : 0;

    return (int64_t)(call - (uint64_t)first->completion); /* may wrap in a forged file */
}

bool xtf_interval_work(XtfIntervals *intervals, const XtfInterval *interval, XtfCallpathSums *sum, uint64_t *waited,
                       GError **error)
{
    uint32_t location = interval->location;
    XtfPrefix first = {0}, last;

    xtf_callpath_sums_clear(sum);
    if (!xtf_point_cache_prefix(intervals->cache, location, interval->to, &last, error))
        return false;
    *waited = last.waited;
    if (interval->from == XTF_NO_POINT) {
        if (!add_interval_times(intervals, interval, &first, &last, sum, error))
            return false;
        xtf_callpath_sums_none_negative(sum);
        return true;
    }
    const XtfPoint *first_point = xtf_point_cache_prefix(intervals->cache, location, interval->from, &first, error);
    if (!first_point)
        return false;
    const XtfPoint point = *first_point;
    *waited -= first.waited + (xtf_is_synchronising_wait(&point) ? point.wait : 0);
    if (!add_interval_times(intervals, interval, &first, &last, sum, error))
        return false;
    xtf_callpath_sums_none_negative(sum);
    xtf_callpath_sums_add(sum, point.callpath, -xtf_interval_idle(&point));
    xtf_callpath_sums_not_negative(sum, point.callpath);
    return true;
}

bool xtf_interval_meeting(XtfIntervals *intervals, const XtfInterval *interval, XtfPointMeeting *meeting,
                          GError **error)
{
    const XtfPoint *point = xtf_point_cache_get(intervals->cache, interval->location, interval->to, error);

    if (!point)
        return false;
    *meeting = (XtfPointMeeting){0};
    if (interval->from == XTF_NO_POINT)
        return true;
    uint64_t seq = point->seq;
    point = xtf_point_cache_get(intervals->cache, interval->location, interval->from, error);
    if (!point)
        return false;
    meeting->back = point->seq < seq ? seq - point->seq : UINT64_MAX; /* unknown within one record */
    meeting->idle = xtf_interval_idle(point);
    return true;
}

bool xtf_interval_last_wait(XtfIntervals *intervals, const XtfInterval *interval, uint64_t *row, GError **error)
{
    XtfPrefix prefix;

    *row = UINT64_MAX;
    if (!xtf_point_cache_prefix(intervals->cache, interval->location, interval->to, &prefix, error))
        return false;
    if (prefix.last_wait == XTF_NO_POINT || (interval->from != XTF_NO_POINT && prefix.last_wait <= interval->from))
        return true;
    const XtfPoint *point = xtf_point_cache_get(intervals->cache, interval->location, prefix.last_wait, error);
    if (point)
        *row = point->row;
    return point;
}
