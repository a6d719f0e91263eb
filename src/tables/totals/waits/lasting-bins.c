#include "src/tables/totals/waits/lasting-bins.h"

#include "libxtf/group-filter.h"

enum {
    WALK_ROWS = 1024,   /* at most as many rows are gone through... */
    WALK_ROWS_BIN = 64, /* ...or as many for each bin: at each bound the index has to look into a leaf or two */
};

static uint64_t begin_of(const XtfTimeBins *bins, uint64_t i)
{
    return i == 0 ? bins->selection->time_from : bins->bounds[i];
}

static uint64_t end_of(const XtfTimeBins *bins, uint64_t i)
{
    return i + 1 == bins->n ? bins->selection->time_to : bins->bounds[i + 1];
}

/* ---- Few rows: each is added to the bins that it lies in. */

/* A row, and the time up to which the row before it lasted. */
typedef struct {
    uint64_t before, end, length;
} Lasting;

/* The part of a value that belongs to the time before t: as XtfLastingTotals has it. */
static uint64_t part_before(const Lasting *row, uint64_t value, uint64_t t)
{
    if (t <= row->before)
        return 0;
    if (t >= row->end)
        return value;
    return row->end - t >= row->length ? 0 : xtf_lasting_share(value, row->length - (row->end - t), row->length);
}

/* The last bin that begins at t or before, of those from `i` on. */
static uint64_t bin_of(const XtfTimeBins *bins, uint64_t i, uint64_t t)
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

static void add_row(const XtfLastingBins *question, const XtfLastingTotals *lasting, const Lasting *row,
                    const uint8_t *bytes, bool ends_inside, XtfLastingBin *sums)
{
    const XtfTimeBins *bins = question->bins;
    uint64_t since = MAX(row->end - MIN(row->end, row->length), row->before);
    uint64_t last = bin_of(bins, 0, row->end);

    if (ends_inside)
        sums[last].rows++;
    for (unsigned v = 0; v < question->n_values; v++) {
        const XtfField *field = xtf_aggregate_ref_value(lasting->totals.ref, question->cells[v]);
        uint64_t value = xtf_field_is_none(field, bytes) ? 0 : xtf_field_get(field, bytes);
        for (uint64_t i = bin_of(bins, 0, since); value && i <= last; i++)
            sums[i].values[v] += part_before(row, value, end_of(bins, i)) - part_before(row, value, begin_of(bins, i));
    }
}

/* Rows [lo, hi), and the part of the next one that is in the window. */
static bool walk(const XtfLastingBins *question, const XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc,
                 const XtfSpan *span, XtfLastingBin *sums, GError **error)
{
    const XtfFilter filter = {lasting->totals.matcher, proc};
    const XtfGroupFilter groups = xtf_filter_groups(&filter);
    const uint64_t end = MIN(span->hi + (question->bins->selection->time_to != XTF_TIME_OPEN), array->n_rows);
    Lasting row = {0};
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
            add_row(question, lasting, &row, bytes, cursor.n < span->hi, sums);
        row.before = row.end;
        if (!xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

/* ---- Many rows. */

static bool cut(const XtfLastingBins *question, XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc,
                const XtfSpan *span, XtfLastingBin *sums, GError **error)
{
    const XtfTimeBins *bins = question->bins;
    g_autofree uint64_t *ends = g_new(uint64_t, bins->n);
    XtfGroupTotals *groups = lasting->totals.groups;

    if (!xtf_time_bins_cut(bins, array, span->lo, span->hi, ends, error))
        return false;
    for (uint64_t i = 0; i < bins->n; i++) {
        xtf_group_totals_clear(groups);
        if (!xtf_lasting_totals_add_rows(lasting, array, proc, i ? ends[i - 1] : span->lo, ends[i], begin_of(bins, i),
                                         end_of(bins, i), error))
            return false;
        for (uint32_t group = 0; group < xtf_group_totals_n(groups); group++) {
            const uint64_t *cells = xtf_group_totals_cells(groups, group);
            sums[i].rows += cells[XTF_GROUP_ROWS];
            for (unsigned v = 0; v < question->n_values; v++)
                sums[i].values[v] += cells[question->cells[v]];
        }
    }
    return true;
}

bool xtf_lasting_bins_add(const XtfLastingBins *question, XtfLastingTotals *lasting, const XtfArray *array,
                          uint64_t proc, XtfLastingBin *sums, GError **error)
{
    const XtfSelection *window = question->bins->selection;
    XtfSpan span;

    if (lasting->totals.nothing || window->time_from >= window->time_to || window->time_from > array->last)
        return true;
    xtf_span_init(&span, array);
    if (!xtf_span_cut(&span, window->time_from, window->time_to, error))
        return false;
    if (span.hi - span.lo <= MAX(WALK_ROWS, question->bins->n * WALK_ROWS_BIN))
        return walk(question, lasting, array, proc, &span, sums, error);
    return cut(question, lasting, array, proc, &span, sums, error);
}
