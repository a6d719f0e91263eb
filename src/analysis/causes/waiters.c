/*
 * Finds the point that waited for another one.
 *
 * The record that waited is known, and mostly has one point. In one-sided communication it may have very many points:
 * a call that waits for many locations has a point for each. The points of such a record are read once, and kept by
 * their instance, which only a pair of points has.
 */
#include "src/analysis/causes/causes-private.h"

enum { MEETS_MAX = 1 << 18 }; /* most points kept; then all are dropped */

/* True if a point of another location waited for the point `awaited` of location `culprit`. */
static bool waited_for(const XtfPoint *point, const XtfPoint *awaited, uint32_t culprit)
{
    bool one_sided = awaited->side == XTF_POINT_MET;

    return point->side == (one_sided ? XTF_POINT_MEETS : XTF_POINT_WAITS) && point->wait > 0 &&
           point->partner == culprit && (!one_sided || point->instance == awaited->instance);
}

static bool has_instance(const XtfPoint *point)
{
    return (point->side == XTF_POINT_MEETS || point->side == XTF_POINT_MET) && point->instance != UINT64_MAX;
}

/* Keeps the points of record `seq` from point `i` on. */
static bool keep_meets(XtfCulpritWork *work, uint32_t location, uint64_t i, uint64_t seq, GError **error)
{
    XtfPointCache *cache = work->intervals.cache;

    for (uint64_t n = xtf_point_cache_n(cache, location); i < n; i++) {
        const XtfPoint *point = xtf_point_cache_get(cache, location, i, error);
        if (!point)
            return false;
        work->n_looked++;
        if (point->seq != seq)
            return true;
        if (!has_instance(point) || xtf_flights_find(&work->meets, point->instance))
            continue;
        if (work->meets.n >= MEETS_MAX)
            xtf_flights_finish(&work->meets);
        xtf_flights_add(&work->meets, point->instance)->words[0] = i;
    }
    return true;
}

/* Finds the first point that may have waited for `awaited`. */
static bool find_first(XtfCulpritWork *work, uint32_t location, const XtfPoint *awaited, uint64_t *i, GError **error)
{
    bool one_sided = has_instance(awaited);
    const XtfFlight *kept = one_sided ? xtf_flights_find(&work->meets, awaited->instance) : NULL;

    if (!kept) {
        if (!xtf_point_cache_find(work->intervals.cache, location, awaited->partner_seq, i, error) ||
            (one_sided && !keep_meets(work, location, *i, awaited->partner_seq, error)))
            return false;
        kept = one_sided ? xtf_flights_find(&work->meets, awaited->instance) : NULL;
    }
    if (kept)
        *i = kept->words[0];
    return true;
}

bool xtf_find_waiter(XtfCulpritWork *work, uint32_t culprit, const XtfPoint *awaited, XtfWaiter *waiter, bool *found,
                     GError **error)
{
    XtfPointCache *cache = work->intervals.cache;
    uint32_t location = awaited->partner;

    *found = false;
    if (location >= xtf_points_n_locations(work->intervals.points))
        return true;
    *waiter = (XtfWaiter){.location = location, .result = XTF_POINT_RESULT_NONE};
    if (!find_first(work, location, awaited, &waiter->i, error))
        return false;
    for (; waiter->i < xtf_point_cache_n(cache, location); waiter->i++) {
        const XtfPoint *point = xtf_point_cache_get(cache, location, waiter->i, error);
        if (!point)
            return false;
        work->n_looked++;
        waiter->point = *point;
        *found = point->seq == awaited->partner_seq && waited_for(point, awaited, culprit);
        if (*found || point->seq != awaited->partner_seq)
            break;
    }
    return true;
}
