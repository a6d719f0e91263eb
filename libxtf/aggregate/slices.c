/*
 * Totals, profiles and stacks at many edges. slice-walk.c walks over them.
 */
#include "libxtf/slices.h"

#include "libxtf/aggregate/slice-walk.h"
#include "libxtf/schema/schema-codec.h"

static bool check_edges(const XtfArray *array, const uint64_t *edges, size_t n, GError **error)
{
    for (size_t i = 1; i < n; i++)
        if (edges[i] < edges[i - 1])
            return xtf_fail(error, XTF_ERROR_INVALID, "array %u: edge %zu of the slices is before edge %zu", array->id,
                            i, i - 1);
    return true;
}

static bool check_request(const XtfArray *array, unsigned index, const uint64_t *edges, size_t n, GError **error)
{
    return check_edges(array, edges, n, error) && xtf_aggregate_is_supported(array->schema, index, error);
}

/* Runs a walk whose query is set. xtf_slice_walk_run() has the meaning of `begins` and `ends`. */
static bool run_walk(XtfSliceWalk *walk, size_t begins, size_t ends, GError **error)
{
    xtf_slice_walk_init(walk);
    bool good = xtf_slice_walk_run(walk, begins, ends, error);
    xtf_slice_walk_finish(walk);
    return good;
}

bool xtf_array_slice_totals(const XtfArray *array, unsigned index, const XtfGroupFilter *filter, const uint64_t *rows,
                            size_t n, XtfGroupTotals *totals, XtfSliceVisitor visit, void *data, GError **error)
{
    XtfSliceWalk walk = {
        .query = xtf_totals_query(array, index, filter, totals), .keys = rows, .n = n, .visit = visit, .data = data};
    size_t begins = 0, ends = 0;

    if (!check_request(array, index, rows, n, error))
        return false;
    for (size_t i = 0; i < n; i++) {
        begins += rows[i] == 0;
        ends += rows[i] < array->n_rows;
    }
    return run_walk(&walk, begins, MAX(begins, ends), error);
}

/* Returns the edges as local times. *begins is the number of edges before row 0, and *ends the number of edges that are
 * not behind the last row. */
static uint64_t *convert_edges(const XtfArray *array, const uint64_t *times, size_t n, size_t *begins, size_t *ends)
{
    uint64_t *local = g_new(uint64_t, n);

    *begins = *ends = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t t = MAX(times[i], array->kept); /* as xtf_array_rank() */
        local[i] = xtf_clock_map_to_local(array->clock, t);
        *begins += t <= array->first;
        *ends += t <= array->last;
    }
    return local;
}

bool xtf_array_slice_totals_by_time(const XtfArray *array, unsigned index, const XtfGroupFilter *filter,
                                    const uint64_t *times, size_t n, XtfGroupTotals *totals, XtfSliceVisitor visit,
                                    void *data, GError **error)
{
    const XtfArray local = xtf_array_local(array);
    size_t begins, ends;

    if (!check_request(array, index, times, n, error))
        return false;
    g_autofree uint64_t *keys = convert_edges(array, times, n, &begins, &ends);
    XtfSliceWalk walk = {.query = xtf_totals_query(&local, index, filter, totals),
                         .by_time = true,
                         .keys = keys,
                         .n = n,
                         .visit = visit,
                         .data = data};
    return run_walk(&walk, begins, ends, error);
}

bool xtf_array_slice_counts(const XtfArray *array, const uint64_t *times, size_t n, XtfSliceVisitor visit, void *data,
                            GError **error)
{
    const XtfArray local = xtf_array_local(array);
    size_t begins, ends;

    if (!check_edges(array, times, n, error))
        return false;
    g_autofree uint64_t *keys = convert_edges(array, times, n, &begins, &ends);
    XtfSliceWalk walk = {
        .query = {.array = &local}, .by_time = true, .keys = keys, .n = n, .visit = visit, .data = data};
    return run_walk(&walk, begins, ends, error);
}

bool xtf_array_slice_profiles(const XtfArray *array, unsigned index, const uint64_t *times, size_t n, uint64_t first,
                              uint64_t last, XtfGroupTotals *totals, XtfSliceVisitor visit, void *data, GError **error)
{
    const XtfArray local = xtf_array_local(array);
    const XtfProfile profile = {.array = &local, .index = index, .first = MIN(first, local.first), .totals = totals};
    size_t begins, ends;

    if (!check_request(array, index, times, n, error))
        return false;
    g_autofree uint64_t *keys = convert_edges(array, times, n, &begins, &ends);
    XtfSliceWalk walk = {.query = xtf_totals_query(&local, index, NULL, totals),
                         .by_time = true,
                         .takes_stacks = true,
                         .keys = keys,
                         .n = n,
                         .visit = visit,
                         .data = data,
                         .profile = &profile,
                         .last = MAX(last, local.last),
                         .times = times,
                         .clock = array->clock};
    return run_walk(&walk, begins, ends, error);
}

bool xtf_array_stacks(const XtfArray *array, unsigned index, const uint64_t *times, size_t n, XtfStackVisitor visit,
                      void *data, GError **error)
{
    const XtfArray local = xtf_array_local(array);
    size_t begins, ends;

    if (!check_request(array, index, times, n, error))
        return false;
    g_autofree uint64_t *keys = convert_edges(array, times, n, &begins, &ends);
    XtfSliceWalk walk = {.query = xtf_totals_query(&local, index, NULL, NULL),
                         .by_time = true,
                         .takes_stacks = true,
                         .keys = keys,
                         .n = n,
                         .visit_stack = visit,
                         .data = data};
    return run_walk(&walk, begins, ends, error);
}
