#include "src/tables/totals/waits/lasting-bins.h"

#include "libxtf/group-filter.h"

enum {
    WALK_ROWS = 1024,   /* most rows of a span that are visited one by one */
    WALK_ROWS_BIN = 64, /* or most rows for each bin: at each bound, the index would read a leaf or two */
};

/* ---- Few rows: each row is added to the bins that it overlaps. */

typedef struct {
    uint64_t before; /* end of the row before */
    uint64_t end, length;
} LastingRow;

/* Returns the part of a value that lies before t, as defined for XtfLastingTotals. */
static uint64_t part_before(const LastingRow *row, uint64_t value, uint64_t t)
{
    if (t <= row->before)
        return 0;
    if (t >= row->end)
        return value;
    return row->end - t >= row->length ? 0 : xtf_lasting_share(value, row->length - (row->end - t), row->length);
}

/* Returns the last bin, from bin `i` on, that begins at or before t. */
static uint64_t find_bin(const XtfTimeBins *bins, uint64_t i, uint64_t t)
{
    uint64_t high = bins->n;

    while (high - i > 1) {
        uint64_t middle = i + (high - i) / 2;
        if (bins->bounds[middle] <= t)
            i = middle;
        else
            high = middle;
    }
    return i;
}

static void add_lasting_row(const XtfLastingBins *request, const XtfLastingTotals *lasting, const LastingRow *row,
                            const uint8_t *bytes, bool ends_inside, XtfLastingBin *sums)
{
    const XtfTimeBins *bins = request->bins;
    uint64_t since = MAX(row->end - MIN(row->end, row->length), row->before);
    uint64_t last = find_bin(bins, 0, row->end);

    if (ends_inside)
        sums[last].rows++;
    for (unsigned v = 0; v < request->n_values; v++) {
        const XtfField *field = xtf_aggregate_ref_value(lasting->totals.ref, request->cells[v]);
        uint64_t value = xtf_field_is_none(field, bytes) ? 0 : xtf_field_get(field, bytes);
        for (uint64_t i = find_bin(bins, 0, since); value && i <= last; i++)
            sums[i].values[v] += part_before(row, value, xtf_time_bin_end(bins, i)) -
                                 part_before(row, value, xtf_time_bin_begin(bins, i));
    }
}

/* Adds the rows of a span, and the part of the next row that is in the window. */
static bool walk_span(const XtfLastingBins *request, const XtfLastingTotals *lasting, const XtfArray *array,
                      uint64_t proc, const XtfSpan *span, XtfLastingBin *sums, GError **error)
{
    const XtfFilter filter = {lasting->totals.matcher, proc};
    const XtfGroupFilter groups = xtf_filter_groups(&filter);
    const uint64_t end = MIN(span->hi + (request->bins->selection->time_to != XTF_TIME_OPEN), array->n_rows);
    LastingRow row = {0};
    g_auto(XtfCursor) cursor;
    bool found = span->lo < end;

    xtf_cursor_init(&cursor, array);
    if (found && !xtf_cursor_seek_n(&cursor, span->lo, &found, error))
        return false;
    while (found && cursor.n < end) {
        const uint8_t *bytes = xtf_cursor_row(&cursor);
        row.end = xtf_cursor_time(&cursor);
        row.length = xtf_field_is_none(lasting->length, bytes) ? 0 : xtf_field_get(lasting->length, bytes);
        if (!lasting->totals.matcher || xtf_row_matches(array->schema, lasting->totals.ref->number, &groups, bytes))
            add_lasting_row(request, lasting, &row, bytes, cursor.n < span->hi, sums);
        row.before = row.end;
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

/* ---- Many rows: the index cuts them by bins. */

typedef struct {
    const XtfLastingBins *request;
    XtfLastingTotals *lasting;
    const XtfArray *array;
    uint64_t proc;
    XtfLastingBin *sums;
} CutSpan;

static bool take_bin(const XtfSlice *slice, void *data, GError **error)
{
    const CutSpan *cut = data;
    const XtfTimeBins *bins = cut->request->bins;
    XtfLastingBin *sum = &cut->sums[slice->number];

    if (!xtf_lasting_totals_add_edges(cut->lasting, cut->array, cut->proc, slice->n1, slice->n2,
                                      xtf_time_bin_begin(bins, slice->number), xtf_time_bin_end(bins, slice->number),
                                      error))
        return false;
    for (uint32_t group = 0; group < xtf_group_totals_n(slice->totals); group++) {
        const uint64_t *cells = xtf_group_totals_cells(slice->totals, group);
        sum->rows += cells[XTF_GROUP_ROWS];
        for (unsigned v = 0; v < cut->request->n_values; v++)
            sum->values[v] += cells[cut->request->cells[v]];
    }
    return true;
}

static bool cut_span(const XtfLastingBins *request, XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc,
                     const XtfSpan *span, XtfLastingBin *sums, GError **error)
{
    uint64_t n = request->bins->n;
    g_autofree uint64_t *edges = g_new(uint64_t, n + 1);
    CutSpan cut = {.request = request, .lasting = lasting, .array = array, .proc = proc, .sums = sums};

    edges[0] = span->lo;
    return xtf_time_bins_cut(request->bins, array, span->lo, span->hi, edges + 1, error) &&
           xtf_location_totals_visit(&lasting->totals, array, proc, edges, n + 1, take_bin, &cut, error);
}

bool xtf_lasting_bins_add(const XtfLastingBins *request, XtfLastingTotals *lasting, const XtfArray *array,
                          uint64_t proc, XtfLastingBin *sums, GError **error)
{
    const XtfSelection *window = request->bins->selection;
    XtfSpan span;

    if (lasting->totals.is_empty || window->time_from >= window->time_to || window->time_from > array->last)
        return true;
    xtf_span_init(&span, array);
    if (!xtf_span_cut(&span, window->time_from, window->time_to, error))
        return false;
    if (span.hi - span.lo <= MAX(WALK_ROWS, request->bins->n * WALK_ROWS_BIN))
        return walk_span(request, lasting, array, proc, &span, sums, error);
    return cut_span(request, lasting, array, proc, &span, sums, error);
}
