#include "src/analysis/causes/waiters.h"

#include <stdlib.h>
#include <string.h>

/* True if a point is in one-sided communication: both sides have an instance in common. */
static bool has_instance(const XtfPoint *point)
{
    return (point->side == XTF_POINT_MEETS || point->side == XTF_POINT_MET) && point->instance != UINT64_MAX;
}

XtfWaitKey xtf_wait_key(uint32_t location, const XtfPoint *point)
{
    bool awaited = xtf_is_awaited(point);
    XtfWaitKey key = {.waiter = awaited ? point->partner : location, .culprit = awaited ? location : point->partner};

    key.waiter_seq = awaited ? point->partner_seq : point->seq;
    key.culprit_seq = has_instance(point) ? point->instance : awaited ? point->seq : point->partner_seq;
    return key;
}

/* Ends the waiter's interval before the call in which it waited, so that other waits of the same call do not count.
 * A call may have very many waits, so the begin of its waits is kept for the next of them. */
static bool end_before_call(XtfCulpritWork *work, const XtfPoint *point, XtfInterval *interval, GError **error)
{
    uint64_t first = interval->from == XTF_NO_POINT ? 0 : interval->from + 1, enter = point->enter;
    XtfCallSpan *call = &work->calls[interval->location];

    if (call->enter != enter || interval->to < call->first || interval->to > call->end)
        *call = (XtfCallSpan){.enter = enter, .first = interval->to, .end = interval->to};
    for (; call->first > first; call->first--) {
        const XtfPoint *before = xtf_point_cache_get(work->intervals.cache, interval->location, call->first - 1, error);
        if (!before)
            return false;
        work->n_looked++;
        if (before->side != XTF_POINT_MEETS || before->end - before->wait < enter)
            break;
    }
    interval->to = MIN(interval->to, MAX(call->first, first));
    return true;
}

/* Copies the sums of work->waiter_work that are not 0. */
static XtfWait *copy_work(const XtfCallpathSums *sums)
{
    XtfWait *wait = g_malloc0(sizeof *wait + sums->n_touched * sizeof *wait->work);

    for (uint32_t i = 0; i < sums->n_touched; i++) {
        uint32_t callpath = sums->touched[i];
        if (sums->ticks[callpath] != 0)
            wait->work[wait->n_work++] =
                (XtfCallpathTicks){.ticks = (uint64_t)sums->ticks[callpath], .callpath = callpath};
    }
    return wait;
}

XtfWait *xtf_wait_new(XtfCulpritWork *work, uint32_t location, uint64_t i, const XtfPoint *point, const XtfCosts *costs,
                      GError **error)
{
    XtfIntervals *intervals = &work->intervals;
    XtfInterval interval;
    XtfPointMeeting met = {0};
    uint64_t unused;

    xtf_callpath_sums_clear(&work->waiter_work);
    if (point->wait > 0 &&
        (!xtf_interval_since(intervals, location, i, &interval, error) ||
         !xtf_interval_meeting(intervals, &interval, &met, error) || !end_before_call(work, point, &interval, error) ||
         !xtf_interval_work(intervals, &interval, &work->waiter_work, &unused, error)))
        return NULL;
    XtfWait *wait = copy_work(&work->waiter_work);
    wait->key = xtf_wait_key(location, point);
    wait->instance = UINT64_MAX;
    wait->number = xtf_point_cache_number(intervals->cache, location, i);
    wait->wait = point->wait;
    wait->met = met;
    wait->costs = *costs;
    wait->kind = point->kind;
    wait->depth = point->depth;
    return wait;
}

bool xtf_wait_find(XtfCulpritWork *work, const XtfWaitKey *key, uint64_t *i, bool *found, GError **error)
{
    XtfPointCache *cache = work->intervals.cache;

    *found = false;
    if (!xtf_point_cache_find(cache, key->waiter, key->waiter_seq, i, error))
        return false;
    for (; *i < xtf_point_cache_n(cache, key->waiter); ++*i) {
        const XtfPoint *point = xtf_point_cache_get(cache, key->waiter, *i, error);
        if (!point)
            return false;
        work->n_looked++;
        const XtfWaitKey known = xtf_wait_key(key->waiter, point);
        *found = (point->side == XTF_POINT_WAITS || point->side == XTF_POINT_MEETS) && point->wait > 0 &&
                 memcmp(&known, key, sizeof known) == 0;
        if (*found || point->seq != key->waiter_seq)
            break;
    }
    return true;
}

static int compare_waiters(const void *a, const void *b)
{
    uint32_t one = ((const XtfWaiter *)a)->wait->key.waiter, second = ((const XtfWaiter *)b)->wait->key.waiter;

    return (one > second) - (one < second);
}

void xtf_waiters_sort(XtfWaiter *waiters, uint32_t n)
{
    if (n > 1)
        qsort(waiters, n, sizeof *waiters, compare_waiters);
}
