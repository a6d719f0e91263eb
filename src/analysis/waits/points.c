#include "src/analysis/waits/points-private.h"

enum {
    TIMES_AT_ONCE = 512,
    LOCATIONS_PER_RELEASE = 64, /* locations between releases of pages: reading one loads 16 pages */
    RESULTS_PER_RELEASE = 128,  /* results that are put between releases of pages: each may load some pages */
};

void xtf_points_free(XtfPoints *points)
{
    if (!points)
        return;
    xtf_spool_close(&points->points);
    xtf_spool_close(&points->times);
    xtf_paged_free(&points->results);
    g_mutex_clear(&points->lock);
    xtf_operations_close(&points->operations);
    xtf_paged_free(&points->paged);
    g_free(points);
}

uint32_t xtf_points_n_locations(const XtfPoints *points)
{
    return points->n_locations;
}

const XtfPointLocation *xtf_points_location(const XtfPoints *points, uint32_t index)
{
    return &points->locations[index];
}

bool xtf_points_calls(const XtfPoints *points, const XtfPointLocation *location, XtfArray *calls, bool *found,
                      GError **error)
{
    *found = location->calls != UINT64_MAX;
    return !*found || xtf_trace_get_arrays(xtf_replay_context(points->replay)->trace, location->calls, 1, calls, error);
}

void xtf_points_page_out_sometimes(const XtfPoints *points, uint32_t n_done)
{
    if (n_done % LOCATIONS_PER_RELEASE == LOCATIONS_PER_RELEASE - 1)
        xtf_paged_page_out(&points->paged);
}

uint64_t xtf_points_n(const XtfPoints *points)
{
    return points->n;
}

bool xtf_points_put(XtfPoints *points, uint64_t first, XtfPoint *all, uint32_t n, const XtfCallpathTicks *times,
                    uint32_t n_times, GError **error)
{
    uint64_t at = xtf_spool_allot(&points->times, n_times * sizeof *times);

    for (uint32_t i = 0; i < n; i++)
        all[i].times = at + all[i].times * sizeof *times;
    return xtf_spool_put(&points->times, at, times, n_times * sizeof *times, error) &&
           xtf_spool_put(&points->points, first * sizeof *all, all, n * sizeof *all, error);
}

bool xtf_points_read(const XtfPoints *points, uint64_t first, uint64_t n, XtfPoint *to, GError **error)
{
    if (!xtf_spool_get(&points->points, first * sizeof *to, to, n * sizeof *to, error))
        return false;
    for (uint64_t i = 0; i < n; i++)
        to[i].callpath = xtf_callpath_log_final(points->callpaths, to[i].callpath);
    return true;
}

/* Reads `n` times from offset `at` of the file. */
static bool read_times(const XtfPoints *points, uint64_t at, uint64_t n, XtfCallpathTicks *to, GError **error)
{
    if (n > 0 && !xtf_spool_get(&points->times, at, to, n * sizeof *to, error))
        return false;
    for (uint64_t i = 0; i < n; i++)
        to[i].callpath = xtf_callpath_log_final(points->callpaths, to[i].callpath);
    return true;
}

static bool fill_times(XtfPointTimes *times, const XtfPoints *points, const XtfPoint *point, GError **error)
{
    uint64_t left = (points->times.end - point->times) / sizeof *times->times;
    uint32_t n = (uint32_t)MAX(MIN(left, (uint64_t)TIMES_AT_ONCE), (uint64_t)point->n_times);

    if (n > times->room) {
        times->room = n;
        times->times = g_renew(XtfCallpathTicks, times->times, n);
    }
    times->at = point->times;
    times->n = 0;
    if (!read_times(points, times->at, n, times->times, error))
        return false;
    times->n = n;
    return true;
}

const XtfCallpathTicks *xtf_point_times(XtfPointTimes *times, const XtfPoints *points, const XtfPoint *point,
                                        GError **error)
{
    static const XtfCallpathTicks none;
    uint64_t before = (point->times - times->at) / sizeof none; /* wraps to a very large number if they lie before */

    if (point->n_times == 0)
        return &none;
    if (before < times->n && point->n_times <= times->n - before)
        return times->times + before;
    return fill_times(times, points, point, error) ? times->times : NULL;
}

void xtf_point_times_finish(XtfPointTimes *times)
{
    g_free(times->times);
    *times = (XtfPointTimes){0};
}

/* Reads the times of several points; contiguous ones, as most are, at once. */
bool xtf_points_all_times(const XtfPoints *points, const XtfPoint *of, uint32_t n, XtfCallpathTicks *to, GError **error)
{
    for (uint32_t i = 0; i < n;) {
        uint64_t at = of[i].times, ahead = 0;
        for (; i < n && (of[i].n_times == 0 || of[i].times == at + ahead * sizeof *to); i++)
            ahead += of[i].n_times;
        if (!read_times(points, at, ahead, to, error))
            return false;
        to += ahead;
    }
    return true;
}

const XtfOperations *xtf_points_operations(const XtfPoints *points)
{
    return &points->operations;
}

/* ---- Results. Numbers that may be unset are stored plus 1, so that zeros of a new page mean unset. */

/* Allocates the results of all points, unless another thread has. */
static bool allocate_results(XtfPoints *points, GError **error)
{
    g_mutex_lock(&points->lock);
    bool good =
        points->any_results || xtf_paged_grow_in_file(&points->results, points->n * sizeof(XtfPointResult), error);
    __atomic_store_n(&points->any_results, good, __ATOMIC_RELEASE);
    g_mutex_unlock(&points->lock);
    return good;
}

bool xtf_points_put_result(XtfPoints *points, uint64_t number, const XtfPointResult *result, GError **error)
{
    if (!__atomic_load_n(&points->any_results, __ATOMIC_ACQUIRE) && !allocate_results(points, error))
        return false;
    XtfPointResult *stored = (XtfPointResult *)points->results.data + number;
    *stored = *result;
    stored->cause++;
    stored->met.back++;
    stored->culprit_met.back++;
    if (__atomic_add_fetch(&points->n_put, 1, __ATOMIC_RELAXED) >= RESULTS_PER_RELEASE) {
        __atomic_store_n(&points->n_put, 0, __ATOMIC_RELAXED);
        xtf_points_page_out_results(points);
    }
    return true;
}

void xtf_points_results(const XtfPoints *points, uint64_t first, uint64_t n, XtfPointResult *to)
{
    const XtfPointResult *stored =
        __atomic_load_n(&points->any_results, __ATOMIC_ACQUIRE) ? points->results.data : NULL;

    for (uint64_t i = 0; i < n; i++) {
        to[i] = stored ? stored[first + i] : (XtfPointResult){0};
        to[i].cause--;
        to[i].met.back--;
        to[i].culprit_met.back--;
    }
}

void xtf_points_page_out_results(const XtfPoints *points)
{
    xtf_paged_page_out(&points->results);
}

/* ---- Call paths. */

uint32_t xtf_points_n_callpaths(const XtfPoints *points)
{
    return points->callpaths->all->len;
}

uint32_t xtf_points_callpath_parent(const XtfPoints *points, uint32_t callpath)
{
    return g_array_index(points->callpaths->all, XtfLoggedCallpath, callpath).parent;
}

uint32_t xtf_points_callpath_region(const XtfPoints *points, uint32_t callpath)
{
    return g_array_index(points->callpaths->all, XtfLoggedCallpath, callpath).region;
}

uint32_t xtf_points_callpath_of(const XtfPoints *points, uint32_t parent, uint32_t region, uint32_t depth)
{
    return xtf_callpath_log_find(points->callpaths, parent, region, depth);
}

const XtfReplayCallTypes *xtf_points_call_types(const XtfPoints *points)
{
    return xtf_replay_call_types(points->replay);
}
