#include "src/query/views/time-bins.h"

enum {
    WALK_ROWS = 1024, /* at most as many rows are visited one by one; more rows are searched */
};

void xtf_time_bins_init(XtfTimeBins *bins, const XtfSelection *selection, const XtfTimeScale *scale)
{
    uint64_t from, to;

    xtf_selection_window(selection, scale, &from, &to);
    for (unsigned i = 0; i <= XTF_TIME_BINS; i++)
        bins->bounds[i] = xtf_time_bin_bound(from, to, i, XTF_TIME_BINS);
}

static bool walk(const XtfTimeBins *bins, const XtfArray *array, uint64_t lo, uint64_t hi, uint64_t *ends,
                 GError **error)
{
    g_auto(XtfCursor) cursor;
    unsigned bin = 0;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, lo, &found, error))
        return false;
    while (found && cursor.n < hi) {
        for (; bin < XTF_TIME_BINS - 1 && xtf_cursor_time(&cursor) >= bins->bounds[bin + 1]; bin++)
            ends[bin] = cursor.n;
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    for (; bin < XTF_TIME_BINS; bin++)
        ends[bin] = hi;
    return true;
}

bool xtf_time_bins_cut(const XtfTimeBins *bins, const XtfArray *array, uint64_t lo, uint64_t hi,
                       uint64_t ends[static XTF_TIME_BINS], GError **error)
{
    uint64_t from = lo;

    if (lo < hi && hi - lo <= WALK_ROWS)
        return walk(bins, array, lo, hi, ends, error);
    for (unsigned i = 0; i < XTF_TIME_BINS; i++) {
        uint64_t bound = bins->bounds[i + 1], to = hi;
        if (bound <= array->first)
            to = from;
        else if (from < hi && i < XTF_TIME_BINS - 1 && bound <= array->last &&
                 !xtf_array_rank_within(array, bound, from, hi, &to, error))
            return false;
        from = ends[i] = MAX(from, to);
    }
    ends[XTF_TIME_BINS - 1] = MAX(lo, hi);
    return true;
}
