#include "src/tables/totals/time-bins.h"

enum {
    WALK_ROWS = 1024, /* most rows to visit one by one; more are searched */
};

void xtf_time_bins_init(XtfTimeBins *bins, const XtfSelection *selection, const XtfKeyValues *values, uint64_t first,
                        uint64_t n)
{
    *bins = (XtfTimeBins){
        .selection = xtf_key_slices(values, selection, first, n), .n = n, .bounds = g_new(uint64_t, n + 1)};
    for (uint64_t i = 0; i <= n; i++)
        bins->bounds[i] = xtf_key_bound(values, first + i);
}

void xtf_time_bins_init_one(XtfTimeBins *bins, XtfSelection *selection, const XtfTimeScale *scale)
{
    *bins = (XtfTimeBins){.selection = xtf_selection_ref(selection), .n = 1, .bounds = g_new(uint64_t, 2)};
    xtf_selection_window(selection, scale, &bins->bounds[0], &bins->bounds[1]);
}

void xtf_time_bins_finish(XtfTimeBins *bins)
{
    g_clear_pointer(&bins->selection, xtf_selection_unref);
    g_clear_pointer(&bins->bounds, g_free);
}

static bool walk_rows(const XtfTimeBins *bins, const XtfArray *array, uint64_t lo, uint64_t hi, uint64_t *ends,
                      GError **error)
{
    g_auto(XtfCursor) cursor;
    uint64_t bin = 0;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, lo, &found, error))
        return false;
    while (found && cursor.n < hi) {
        for (; bin < bins->n - 1 && xtf_cursor_time(&cursor) >= bins->bounds[bin + 1]; bin++)
            ends[bin] = cursor.n;
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    for (; bin < bins->n; bin++)
        ends[bin] = hi;
    return true;
}

bool xtf_time_bins_cut(const XtfTimeBins *bins, const XtfArray *array, uint64_t lo, uint64_t hi, uint64_t *ends,
                       GError **error)
{
    uint64_t from = lo;

    if (lo < hi && hi - lo <= WALK_ROWS)
        return walk_rows(bins, array, lo, hi, ends, error);
    for (uint64_t i = 0; i < bins->n; i++) {
        uint64_t bound = bins->bounds[i + 1], to = hi;
        if (bound <= array->first)
            to = from;
        else if (from < hi && i < bins->n - 1 && bound <= array->last &&
                 !xtf_array_rank_within(array, bound, from, hi, &to, error))
            return false;
        from = ends[i] = MAX(from, to);
    }
    ends[bins->n - 1] = MAX(lo, hi);
    return true;
}
