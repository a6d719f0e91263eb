#include "src/analysis/causes/culprit.h"

#include <math.h>
#include <stdlib.h>

#include "src/model/wait-kinds.h"

/* A point at which a location, the culprit, was late. */
typedef struct {
    XtfCulpritWork *work;
    uint32_t location;
    uint64_t i, seq, time;
    XtfCostKind cost;
    const XtfWaitKind *kind;
    uint8_t depth;        /* nested teams that the location is in */
    XtfInterval interval; /* since the culprit met all waiters */
    uint64_t waited;      /* sum of the culprit's waits in the interval */
    uint64_t waits;       /* sum of all waits that have a cause */
} CulpritPoint;

static double *charge_of(XtfCulpritWork *work, uint32_t callpath, uint32_t slot)
{
    return &work->charges[(size_t)callpath * XTF_CHARGES + slot];
}

/* Computes the culprit's work since it met the waiter in work->culprit_work. *waited: its waits since then, W. */
static bool find_culprit_work(CulpritPoint *culprit, const XtfWaiter *waiter, uint64_t *waited, GError **error)
{
    XtfCulpritWork *work = culprit->work;
    XtfInterval since = culprit->interval;

    if (waiter->since != XTF_NO_POINT) {
        since.from = waiter->since;
        return xtf_interval_work(&work->intervals, &since, &work->culprit_work, waited, error);
    }
    xtf_callpath_sums_clear(&work->culprit_work);
    for (uint32_t i = 0; i < work->all.n_touched; i++)
        xtf_callpath_sums_add(&work->culprit_work, work->all.touched[i], work->all.ticks[work->all.touched[i]]);
    *waited = culprit->waited;
    return true;
}

/* Sets the indirect part of a wait, and the culprit's last wait as its cause. */
static bool find_indirect(CulpritPoint *culprit, XtfWaiter *waiter, uint64_t waited, GError **error)
{
    XtfInterval own = culprit->interval;

    if (waited == 0)
        return true;
    if (waiter->since != XTF_NO_POINT)
        own.from = waiter->since;
    waiter->answer.indirect = MIN(waiter->scale * (double)waited, (double)waiter->wait->wait);
    return xtf_interval_last_wait(&culprit->work->intervals, &own, &waiter->answer.cause, error);
}

/* Finds the last meeting of the culprit and the waiter, on both sides. Readers then find the wait's causes without a
 * sweep. */
static bool find_both_meetings(CulpritPoint *culprit, XtfWaiter *waiter, GError **error)
{
    XtfInterval interval = culprit->interval;

    if (waiter->since != XTF_NO_POINT)
        interval.from = waiter->since;
    waiter->answer.met = waiter->wait->met;
    return xtf_interval_meeting(&culprit->work->intervals, &interval, &waiter->answer.culprit_met, error);
}

static void load_waiter_work(XtfCulpritWork *work, const XtfWait *wait)
{
    xtf_callpath_sums_clear(&work->waiter_work);
    for (uint32_t i = 0; i < wait->n_work; i++)
        xtf_callpath_sums_add(&work->waiter_work, wait->work[i].callpath, (int64_t)wait->work[i].ticks);
}

/* Charges the culprit's call paths for one waiter. */
static bool charge_culprit(CulpritPoint *culprit, XtfWaiter *waiter, GError **error)
{
    XtfCulpritWork *work = culprit->work;
    const XtfWait *wait = waiter->wait;
    uint64_t waited;

    if (!find_culprit_work(culprit, waiter, &waited, error) || !find_both_meetings(culprit, waiter, error))
        return false;
    load_waiter_work(work, wait);
    const XtfWaitTeams teams = {work->teams, culprit->depth, wait->depth};
    uint64_t delays = xtf_wait_delays(culprit->kind, &work->culprit_work, &work->waiter_work, &teams);
    double whole = (double)(delays + waited);
    if (whole <= 0)
        return true;
    waiter->scale = xtf_wait_scale(culprit->kind, wait->wait, delays, waited);
    for (uint32_t slot = 0; slot < XTF_CHARGES; slot++) {
        double one = slot == XTF_COSTS ? waiter->scale : wait->costs.of[slot] / whole;
        for (uint32_t i = 0; i < work->all.n_touched && one > 0; i++) {
            uint32_t callpath = work->all.touched[i];
            *charge_of(work, callpath, slot) += one * (double)work->culprit_work.ticks[callpath];
        }
        if (slot < XTF_COSTS)
            waiter->scales.of[slot] = one;
    }
    waiter->scales.of[culprit->cost] += waiter->scale;
    culprit->waits += wait->wait;
    return find_indirect(culprit, waiter, waited, error);
}

/* ---- Rows of delays. */

static int compare_callpaths(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (one > second) - (one < second);
}

/* Rounds the charges of all call paths in one slot to ticks. False: there are none. */
static bool round_slot(CulpritPoint *culprit, uint32_t slot, XtfShare *shares)
{
    XtfCulpritWork *work = culprit->work;
    /* The short-term costs of each kind of wait have their own remainders. */
    uint32_t share = slot == XTF_COSTS ? XTF_SHARE_SHORT + (uint32_t)culprit->cost : XTF_SHARE_LONG + slot;
    double sum = 0;

    for (uint32_t i = 0; i < work->all.n_touched; i++)
        sum += *charge_of(work, work->all.touched[i], slot);
    for (uint32_t i = 0; sum != 0 && i < work->all.n_touched; i++) {
        uint32_t callpath = work->all.touched[i];
        shares[i] = (XtfShare){.key = xtf_share_key(callpath, share), .exact = *charge_of(work, callpath, slot)};
        *charge_of(work, callpath, slot) = 0;
    }
    if (sum > 0)
        xtf_shares_round(&work->remainders[culprit->location], shares, work->all.n_touched,
                         slot == XTF_COSTS ? culprit->waits : UINT64_MAX);
    return sum > 0;
}

static bool write_delays(CulpritPoint *culprit, GError **error)
{
    XtfCulpritWork *work = culprit->work;
    uint32_t n = work->all.n_touched, n_kinds = 0;
    uint32_t kinds[XTF_COSTS]; /* of the culprit's costs */
    g_autofree XtfShare *shares = g_new0(XtfShare, (size_t)n * XTF_CHARGES);

    if (n > 1)
        qsort(work->all.touched, n, sizeof *work->all.touched, compare_callpaths);
    bool any_short = round_slot(culprit, XTF_COSTS, shares + (size_t)XTF_COSTS * n);
    for (uint32_t slot = 0; slot < XTF_COSTS; slot++)
        if (round_slot(culprit, slot, shares + (size_t)slot * n) || (slot == culprit->cost && any_short))
            kinds[n_kinds++] = slot;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n_kinds; k++) {
            uint32_t kind = kinds[k], callpath = work->all.touched[i];
            XtfDelay delay = {
                .seq = culprit->seq,
                .time = culprit->time,
                .short_term = kind == culprit->cost ? shares[(size_t)XTF_COSTS * n + i].ticks : 0,
                .long_term = shares[(size_t)kind * n + i].ticks,
                .callpath = callpath == work->intervals.outside ? UINT32_MAX : callpath,
                .cost = (uint8_t)kind,
            };
            if ((delay.short_term || delay.long_term) &&
                !xtf_delays_add(work->delays, culprit->location, &delay, error))
                return false;
        }
    }
    return true;
}

/* ---- Costs that waits pass on. */

static int compare_since(const void *a, const void *b)
{
    const XtfWaiter *one = a, *second = b;

    if (one->since != second->since)
        return one->since < second->since ? -1 : 1;
    return (one->answer.waiter > second->answer.waiter) - (one->answer.waiter < second->answer.waiter);
}

static void add_costs(XtfCosts *to, const XtfCosts *costs)
{
    for (uint32_t kind = 0; kind < XTF_COSTS; kind++)
        to->of[kind] += costs->of[kind];
}

/* Passes the waiters' costs on to the culprit's waits. Waits before the last meeting with a single member do not get
 * that member's costs. As in Scalasca, the costs begin only at the *next* meeting with a single member after it,
 * even with a member that did not wait. */
static void pass_costs_on(CulpritPoint *culprit, XtfWaiter *waiters, uint32_t n_waiters, double propagating)
{
    XtfPassTree *pass_tree = &culprit->work->pass_trees[culprit->location];
    const GArray *later = culprit->work->later;
    XtfPassRange range = {
        .low = culprit->interval.from == XTF_NO_POINT ? 0 : culprit->interval.from + 1,
        .high = culprit->i,
        .propagating = propagating,
    };
    uint32_t next = 0;

    if (n_waiters > 1)
        qsort(waiters, n_waiters, sizeof *waiters, compare_since); /* waiters without a later meeting are last */
    for (uint32_t w = n_waiters; w > 0 && waiters[w - 1].since == XTF_NO_POINT; w--)
        add_costs(&range.scale, &waiters[w - 1].scales);
    for (guint m = 0; m < later->len; m++) {
        uint64_t at = g_array_index(later, XtfMeeting, m).at;
        if (m > 0 && at == g_array_index(later, XtfMeeting, m - 1).at)
            continue;
        xtf_pass_tree_add(&culprit->work->pool, pass_tree, &range);
        range = (XtfPassRange){.low = at, .high = culprit->i};
        for (; next < n_waiters && waiters[next].since < at; next++)
            add_costs(&range.scale, &waiters[next].scales);
    }
    xtf_pass_tree_add(&culprit->work->pool, pass_tree, &range);
}

static gint compare_meetings(gconstpointer a, gconstpointer b)
{
    const XtfMeeting *one = a, *second = b;

    return (one->at > second->at) - (one->at < second->at);
}

/* Finds the interval of an operation. Sets `since` of each waiter whose last meeting with the culprit is within the
 * interval. work->later: all such meetings, in order. */
static bool find_interval_of_all(CulpritPoint *culprit, const XtfOperation *operation, XtfWaiter *waiters,
                                 uint32_t n_waiters, GError **error)
{
    XtfCulpritWork *work = culprit->work;

    if (operation->n_members > work->room) {
        work->room = operation->n_members;
        work->members = g_renew(XtfOperationMember, work->members, work->room);
    }
    if (!xtf_interval_since_all(&work->intervals, culprit->location, culprit->i, &culprit->interval, work->later,
                                error) ||
        !xtf_operations_members(xtf_points_operations(work->intervals.points), operation, work->members, error))
        return false;
    for (uint32_t w = 0; w < n_waiters; w++)
        work->waiter_of[waiters[w].answer.waiter] = w + 1;
    for (guint m = 0; m < work->later->len; m++) {
        const XtfMeeting *meeting = &g_array_index(work->later, XtfMeeting, m);
        uint32_t w = work->waiter_of[work->members[meeting->member].location];
        if (w > 0)
            waiters[w - 1].since = meeting->at;
    }
    for (uint32_t w = 0; w < n_waiters; w++)
        work->waiter_of[waiters[w].answer.waiter] = 0;
    g_array_sort(work->later, compare_meetings);
    return true;
}

bool xtf_charge_culprit(XtfCulpritWork *work, uint32_t location, uint64_t i, XtfCostKind cost,
                        const XtfOperation *operation, XtfWaiter *waiters, uint32_t n_waiters, GError **error)
{
    const XtfPoint *point = xtf_point_cache_get(work->intervals.cache, location, i, error);

    if (!point)
        return false;
    CulpritPoint culprit = {
        .work = work,
        .location = location,
        .i = i,
        .seq = point->seq,
        .time = point->time,
        .cost = cost,
        .kind = &xtf_wait_kinds[xtf_cost_label(cost)],
        .depth = point->depth,
    };
    g_array_set_size(work->later, 0);
    for (uint32_t w = 0; w < n_waiters; w++)
        waiters[w] = (XtfWaiter){
            .wait = waiters[w].wait,
            .since = XTF_NO_POINT,
            .answer = {.waiter = waiters[w].wait->key.waiter, .number = waiters[w].wait->number, .cause = UINT64_MAX}};
    if (!(operation ? find_interval_of_all(&culprit, operation, waiters, n_waiters, error)
                    : xtf_interval_since(&work->intervals, location, i, &culprit.interval, error)) ||
        !xtf_interval_work(&work->intervals, &culprit.interval, &work->all, &culprit.waited, error))
        return false;
    for (uint32_t w = 0; w < n_waiters; w++)
        if (!charge_culprit(&culprit, &waiters[w], error))
            return false;
    pass_costs_on(&culprit, waiters, n_waiters, operation ? 0 : MIN(waiters[0].scale, 1));
    return write_delays(&culprit, error);
}

/* Charges the location's work since the last join before its point i, a fork, times the mean number of threads that
 * were idle meanwhile. Waits of the location in that time pass their costs on. */
bool xtf_charge_fork(XtfCulpritWork *work, uint32_t location, uint64_t i, GError **error)
{
    const XtfPoint *point = xtf_point_cache_get(work->intervals.cache, location, i, error);

    if (!point)
        return false;
    CulpritPoint culprit = {.work = work,
                            .location = location,
                            .i = i,
                            .seq = point->partner_seq,
                            .time = point->time,
                            .cost = xtf_cost_kind(point->kind)};
    const uint64_t idle = (uint64_t)point->completion;
    uint64_t begin = xtf_points_location(work->intervals.points, location)->begin;
    if (idle == 0)
        return true;
    if (!xtf_interval_since(&work->intervals, location, i, &culprit.interval, error))
        return false;
    if (culprit.interval.from != XTF_NO_POINT) {
        const XtfPoint *joins = xtf_point_cache_get(work->intervals.cache, location, culprit.interval.from, error);
        if (!joins)
            return false;
        begin = joins->time;
    }
    if (begin >= culprit.time)
        return true;
    if (!xtf_interval_work(&work->intervals, &culprit.interval, &work->all, &culprit.waited, error))
        return false;
    double mean_idle = (double)idle / (double)(culprit.time - begin);
    for (uint32_t k = 0; k < work->all.n_touched; k++) {
        uint32_t callpath = work->all.touched[k];
        *charge_of(work, callpath, XTF_COSTS) = mean_idle * (double)work->all.ticks[callpath];
    }
    culprit.waits = idle;
    XtfPassRange range = {
        .low = culprit.interval.from == XTF_NO_POINT ? 0 : culprit.interval.from + 1,
        .high = i,
    };
    range.scale.of[culprit.cost] = mean_idle;
    xtf_pass_tree_add(&work->pool, &work->pass_trees[location], &range);
    return write_delays(&culprit, error);
}
