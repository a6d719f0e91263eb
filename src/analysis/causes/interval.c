#include "src/analysis/causes/interval.h"

enum {
    SUMS_MAX = 1 << 16, /* that checkpoints which were read may have together */
};

bool xtf_interval_since(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval, GError **error)
{
    XtfMark mark;

    if (!xtf_point_cache_mark(intervals->cache, location, to, &mark, error))
        return false;
    *interval = (XtfInterval){.location = location, .from = mark.since, .to = to};
    return true;
}

bool xtf_interval_since_all(XtfIntervals *intervals, uint32_t location, uint64_t to, XtfInterval *interval,
                            GArray *later, GError **error)
{
    XtfMark mark;

    *interval = (XtfInterval){.location = location, .to = to};
    return xtf_point_cache_mark(intervals->cache, location, to, &mark, error) &&
           xtf_marks_meetings(intervals->marks, mark.since, &interval->from, later, error);
}

/* ---- Checkpoints. */

static void forget_checkpoints(XtfCheckpoints *checkpoints)
{
    for (unsigned i = 0; i < XTF_CHECKPOINTS; i++)
        g_clear_pointer(&checkpoints->all[i].all, g_array_unref);
    *checkpoints = (XtfCheckpoints){0};
}

void xtf_intervals_finish(XtfIntervals *intervals)
{
    forget_checkpoints(&intervals->checkpoints);
}

/* The checkpoint at a place; good until the next one is asked for. */
static const XtfCheckpoint *checkpoint_at(XtfIntervals *intervals, uint64_t at, GError **error)
{
    XtfCheckpoints *checkpoints = &intervals->checkpoints;
    unsigned slot = (at * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (XTF_CHECKPOINTS - 1);
    XtfCheckpoint *checkpoint = &checkpoints->all[slot];

    if (checkpoints->places[slot] == at + 1)
        return checkpoint;
    if (checkpoints->n > SUMS_MAX)
        forget_checkpoints(checkpoints);
    if (!checkpoint->all)
        checkpoint->all = g_array_new(FALSE, FALSE, sizeof(XtfCallpathSum));
    checkpoints->n -= checkpoints->places[slot] ? checkpoint->all->len : 0;
    checkpoints->places[slot] = 0;
    if (!xtf_marks_checkpoint(intervals->marks, at, checkpoint, error))
        return NULL;
    checkpoints->places[slot] = at + 1;
    checkpoints->n += checkpoint->all->len;
    return checkpoint;
}

/* ---- Sums. */

/* Only of what was put in before, something is taken off. */
static void add_one(const XtfIntervals *intervals, uint32_t location, uint32_t callpath, uint64_t ticks, bool take_off,
                    XtfCallpathSums *sum)
{
    uint32_t to = callpath == UINT32_MAX ? intervals->outside : callpath;

    if (callpath == UINT32_MAX && !intervals->counts_outside[location])
        return;
    if (!take_off)
        xtf_callpath_sums_add(sum, to, (int64_t)ticks);
    else if (xtf_callpath_sums_has(sum, to))
        xtf_callpath_sums_add(sum, to, (int64_t)(0 - ticks));
}

/* The times of points [first, end], and their waits but that of the last one if `but_last`. */
static bool add_points(XtfIntervals *intervals, uint32_t location, uint64_t first, uint64_t end, bool but_last,
                       bool take_off, XtfCallpathSums *sum, GError **error)
{
    for (uint64_t i = first; i <= end; i++) {
        const XtfCallpathTicks *times;
        const XtfPoint *point = xtf_point_cache_times(intervals->cache, location, i, &times, error);
        if (!point)
            return false;
        for (uint32_t t = 0; t < point->n_times; t++)
            add_one(intervals, location, times[t].callpath, times[t].ticks, take_off, sum);
        if (xtf_is_synchronising_wait(point) && !(but_last && i == end)) {
            if (!take_off)
                xtf_callpath_sums_add(sum, point->callpath, (int64_t)(0 - point->wait));
            else if (xtf_callpath_sums_has(sum, point->callpath))
                xtf_callpath_sums_add(sum, point->callpath, (int64_t)point->wait);
        }
    }
    return true;
}

/* All of a checkpoint that was added behind point `from`. */
static void add_checkpoint(const XtfIntervals *intervals, const XtfInterval *interval, const XtfCheckpoint *checkpoint,
                           XtfCallpathSums *sum)
{
    for (guint k = 0; k < checkpoint->all->len; k++) {
        const XtfCallpathSum *one = &g_array_index(checkpoint->all, XtfCallpathSum, k);
        if (interval->from == XTF_NO_POINT || one->last > interval->from)
            add_one(intervals, interval->location, one->callpath, one->ticks, false, sum);
    }
}

/* Takes off what was before the interval, and its first point. */
static bool take_off_before(XtfIntervals *intervals, const XtfInterval *interval, const XtfMark *first,
                            XtfCallpathSums *sum, GError **error)
{
    uint64_t begin = 0;

    if (first->sums != XTF_NO_POINT) {
        const XtfCheckpoint *checkpoint = checkpoint_at(intervals, first->sums, error);
        if (!checkpoint)
            return false;
        for (guint k = 0; k < checkpoint->all->len; k++) {
            const XtfCallpathSum *one = &g_array_index(checkpoint->all, XtfCallpathSum, k);
            add_one(intervals, interval->location, one->callpath, one->ticks, true, sum);
        }
        begin = checkpoint->point + 1;
    }
    return add_points(intervals, interval->location, begin, interval->from, false, true, sum, error);
}

/* Times and waits in the interval. If a checkpoint lies in it, only what is before the first and behind the last is
 * gone through. */
static bool add_times(XtfIntervals *intervals, const XtfInterval *interval, const XtfMark *first, const XtfMark *last,
                      XtfCallpathSums *sum, GError **error)
{
    uint32_t location = interval->location;
    bool begins = interval->from == XTF_NO_POINT;
    uint64_t from = begins ? 0 : interval->from + 1;

    if (last->sums == XTF_NO_POINT || (!begins && last->sums == first->sums))
        return add_points(intervals, location, from, interval->to, true, false, sum, error);
    const XtfCheckpoint *checkpoint = checkpoint_at(intervals, last->sums, error);
    if (!checkpoint)
        return false;
    if (!begins && checkpoint->point <= interval->from)
        return add_points(intervals, location, from, interval->to, true, false, sum, error);
    from = checkpoint->point + 1;
    add_checkpoint(intervals, interval, checkpoint, sum);
    return (begins || take_off_before(intervals, interval, first, sum, error)) &&
           add_points(intervals, location, from, interval->to, true, false, sum, error);
}

int64_t xtf_interval_idle(const XtfPoint *first)
{
    uint64_t call = first->leave > first->enter ? first->leave - first->enter : 0;

    return (int64_t)(call - (uint64_t)first->completion); /* an enemy's may wrap */
}

bool xtf_interval_work(XtfIntervals *intervals, const XtfInterval *interval, XtfCallpathSums *sum, uint64_t *waited,
                       GError **error)
{
    uint32_t location = interval->location;
    XtfMark first = {0}, last;

    xtf_callpath_sums_clear(sum);
    if (!xtf_point_cache_mark(intervals->cache, location, interval->to, &last, error))
        return false;
    *waited = last.waited;
    if (interval->from == XTF_NO_POINT) {
        if (!add_times(intervals, interval, &first, &last, sum, error))
            return false;
        xtf_callpath_sums_none_negative(sum);
        return true;
    }
    const XtfPoint *found = xtf_point_cache_mark(intervals->cache, location, interval->from, &first, error);
    if (!found)
        return false;
    const XtfPoint point = *found;
    *waited -= first.waited + (xtf_is_synchronising_wait(&point) ? point.wait : 0);
    if (!add_times(intervals, interval, &first, &last, sum, error))
        return false;
    xtf_callpath_sums_none_negative(sum);
    xtf_callpath_sums_add(sum, point.callpath, -xtf_interval_idle(&point));
    xtf_callpath_sums_not_negative(sum, point.callpath);
    return true;
}

bool xtf_interval_last_wait(XtfIntervals *intervals, const XtfInterval *interval, uint64_t *i, GError **error)
{
    XtfMark mark;

    if (!xtf_point_cache_mark(intervals->cache, interval->location, interval->to, &mark, error))
        return false;
    *i = mark.last_wait != XTF_NO_POINT && (interval->from == XTF_NO_POINT || mark.last_wait > interval->from)
             ? mark.last_wait
             : XTF_NO_POINT;
    return true;
}
