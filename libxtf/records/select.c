/*
 * Selecting by rank among sorted arrays.
 *
 * Two searches follow each other. The first is by time: the k-th record's time T is the least for which more than k
 * records have a time up to T. Each probe narrows the range of rows where T can be, in every array. So later probes
 * need fewer comparisons, and an array with an empty range needs none. The second search is among the rows at T: by
 * location, where counting suffices, and within one location by seq.
 *
 * The first probes are interpolated, which works well for evenly distributed times. Later probes are the middle of the
 * array with most rows left, which works for all times. Every other probe at least halves that array, even if many
 * times are equal.
 */
#include "libxtf/records/records-private.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"

enum {
    INTERPOLATED_PROBES = 4,
};

typedef struct {
    const XtfSpans *spans;
    uint64_t k;                   /* number of records to skip, from `low` on */
    uint64_t total;               /* sum of high - low */
    uint64_t t_low, t_high;       /* T and the times of rows [low, high) are in [t_low, t_high] */
    uint64_t *low, *high, *probe; /* positions in each span */
} Search;

/* Finds in each array where the rows from `low` on with a time up to t end: in search->probe. *count gets their
 * number. */
static bool count_through(Search *search, uint64_t t, uint64_t *count, GError **error)
{
    *count = 0;
    for (uint32_t i = 0; i < search->spans->n; i++) {
        const XtfSpan *span = &search->spans->spans[i];
        uint64_t low = search->low[i], high = search->high[i], n = low;

        if (low < high) {
            if (t >= span->array.last)
                n = high;
            else if (t >= span->array.first && !xtf_span_rank_within(span, t + 1, low, high, &n, error))
                return false;
        }
        search->probe[i] = CLAMP(n, low, high);
        *count += search->probe[i] - low;
    }
    return true;
}

static uint64_t interpolate_time(const Search *search)
{
    uint64_t width = search->t_high - search->t_low;
    return search->t_low + (uint64_t)((unsigned __int128)width * search->k / search->total);
}

/* The middle row of the array with most rows left. */
typedef struct {
    uint32_t span;
    uint64_t n, t;
} Pivot;

static bool find_pivot(const Search *search, Pivot *pivot, GError **error)
{
    uint32_t largest = 0;

    for (uint32_t i = 0; i < search->spans->n; i++) {
        if (search->high[i] - search->low[i] > search->high[largest] - search->low[largest])
            largest = i;
    }
    pivot->span = largest;
    pivot->n = search->low[largest] + (search->high[largest] - search->low[largest]) / 2;
    return xtf_span_time(&search->spans->spans[largest], pivot->n, &pivot->t, error);
}

/* Checks that the probe at t cuts the pivot's array on the correct side of the pivot, whose time is known. It may not
 * if an index and its leaves disagree; then the search would never end. */
static bool check_probe(const Search *search, const Pivot *pivot, uint64_t t, GError **error)
{
    if (pivot->t >= search->t_low && pivot->t <= search->t_high &&
        (search->probe[pivot->span] > pivot->n) == (pivot->t <= t))
        return true;
    return xtf_damaged(error, "array %u: the position of row %" PRIu64 " does not match its time",
                       search->spans->spans[pivot->span].array.id, pivot->n);
}

static void swap_arrays(uint64_t **a, uint64_t **b)
{
    uint64_t *c = *a;
    *a = *b;
    *b = c;
}

/* Narrows the ranges until all rows [low, high) have one time. */
static bool search_time(Search *search, GError **error)
{
    for (unsigned step = 0; search->t_low < search->t_high && search->k; step++) {
        bool interpolating = step < INTERPOLATED_PROBES;
        uint64_t t, count;
        Pivot pivot = {0};

        if (!interpolating && !find_pivot(search, &pivot, error))
            return false;
        t = CLAMP(interpolating ? interpolate_time(search) : pivot.t, search->t_low, search->t_high - 1);
        if (!count_through(search, t, &count, error) || (!interpolating && !check_probe(search, &pivot, t, error)))
            return false;
        if (count > search->k) {
            search->t_high = t;
            search->total = count;
            swap_arrays(&search->high, &search->probe);
        } else {
            search->t_low = t + 1;
            search->total -= count;
            search->k -= count;
            swap_arrays(&search->low, &search->probe);
        }
    }
    return true;
}

bool xtf_spans_select(const XtfSpans *spans, uint64_t k, uint64_t *positions, GError **error)
{
    uint32_t n = spans->n;
    g_autofree uint64_t *buffer = g_new(uint64_t, 3 * (size_t)n + 1);
    Search search = {.spans = spans,
                     .k = k,
                     .total = spans->count,
                     .t_low = UINT64_MAX,
                     .t_high = 0,
                     .low = buffer,
                     .high = buffer + n,
                     .probe = buffer + 2 * (size_t)n};

    for (uint32_t i = 0; i < n; i++) {
        const XtfSpan *span = &spans->spans[i];
        search.low[i] = span->lo;
        search.high[i] = span->hi;
        search.t_low = MIN(search.t_low, span->array.first);
        search.t_high = MAX(search.t_high, span->array.last);
        positions[i] = k < spans->count ? span->lo : span->hi;
    }
    if (k == 0 || k >= spans->count)
        return true;
    if (n == 1) {
        positions[0] += k;
        return true;
    }
    if (!search_time(&search, error) || !xtf_select_ties(spans, search.k, search.low, search.high, error))
        return false;
    memcpy(positions, search.low, n * sizeof *positions);
    return true;
}

/* ---- Ties in one location: the arrays from `begin` to `end`, by seq. */

static bool seq_at(const XtfSpan *span, uint64_t position, uint64_t *seq, GError **error)
{
    const XtfField *field = xtf_schema_field_by_role(span->array.schema, XTF_ROLE_SEQ);
    uint8_t row[XTF_ROW_MAX];
    uint64_t n;

    if (!xtf_span_row_number(span, position, &n, error) || (field && !xtf_array_row(&span->array, n, row, error)))
        return false;
    *seq = xtf_row_seq(field, row, n);
    return true;
}

bool xtf_span_rank_of_seq(const XtfSpan *span, uint64_t seq, uint64_t low, uint64_t high, uint64_t *position,
                          GError **error)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2, s;
        if (!seq_at(span, middle, &s, error))
            return false;
        if (s < seq)
            low = middle + 1;
        else
            high = middle;
    }
    *position = low;
    return true;
}

/* Arrays of one location, and the rows [low, high) of each in which the cut is searched. */
typedef struct {
    const XtfSpan *spans;
    uint32_t n;
    uint64_t *low, *high, *cut;
} Ties;

/* Cuts the ties at row `middle` of array `pivot`: cut[i] is the first row of array i that is not before this row.
 * *before is the number of rows from `low` to the cut. */
static bool cut_ties(Ties *ties, uint32_t pivot, uint64_t middle, uint64_t *before, GError **error)
{
    uint64_t seq;

    if (!seq_at(&ties->spans[pivot], middle, &seq, error))
        return false;
    *before = 0;
    for (uint32_t i = 0; i < ties->n; i++) {
        /* If two rows have equal seq, the row of the earlier array is first. */
        uint64_t bound = seq + (i < pivot && seq < UINT64_MAX);
        ties->cut[i] = middle;
        if (i != pivot &&
            !xtf_span_rank_of_seq(&ties->spans[i], bound, ties->low[i], ties->high[i], &ties->cut[i], error))
            return false;
        *before += ties->cut[i] - ties->low[i];
    }
    return true;
}

static bool select_by_seq(Ties *ties, uint64_t k, GError **error)
{
    while (k) {
        uint32_t largest = 0, n_open = 0;
        uint64_t before;

        for (uint32_t i = 0; i < ties->n; i++) {
            n_open += ties->low[i] < ties->high[i];
            if (ties->high[i] - ties->low[i] > ties->high[largest] - ties->low[largest])
                largest = i;
        }
        uint64_t size = ties->high[largest] - ties->low[largest], middle = ties->low[largest] + size / 2;
        if (n_open <= 1) {
            ties->low[largest] += MIN(k, size);
            return true;
        }
        if (!cut_ties(ties, largest, middle, &before, error))
            return false;
        memcpy(k < before ? ties->high : ties->low, ties->cut, ties->n * sizeof *ties->cut);
        if (k < before)
            continue;
        k -= before;
        if (k) { /* past the row itself too, so that each round skips at least one row */
            ties->low[largest]++;
            k--;
        }
    }
    return true;
}

bool xtf_select_ties(const XtfSpans *spans, uint64_t k, uint64_t *low, const uint64_t *high, GError **error)
{
    for (uint32_t begin = 0, end; begin < spans->n && k; begin = end) {
        uint64_t count = 0;

        for (end = begin; end < spans->n && spans->spans[end].array.location == spans->spans[begin].array.location;
             end++)
            count += high[end] - low[end];
        if (k < count) {
            g_autofree uint64_t *cut = g_new(uint64_t, end - begin);
            g_autofree uint64_t *top = g_memdup2(high + begin, (end - begin) * sizeof *high);
            Ties ties = {spans->spans + begin, end - begin, low + begin, top, cut};
            return select_by_seq(&ties, k, error);
        }
        memcpy(low + begin, high + begin, (end - begin) * sizeof *low);
        k -= count;
    }
    return true;
}
