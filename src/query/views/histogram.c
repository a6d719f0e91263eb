/*
 * histogram: the records in equal slices of the window, and what those of the commonest types add up to.
 */
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/query/views/info.h"
#include "src/query/views/location-totals.h"
#include "src/query/views/time-bins.h"
#include "src/query/views/view.h"

enum {
    WALK_ROWS = 1024, /* so few rows are added up one by one */
};

enum { CALLS, SENDS, RECVS, N_TYPES };

/* Whether the trace has rows of a type, but no sums that tell what they add up to. */
typedef struct {
    XtfAggregateRef measures[N_TYPES];
    bool untold[N_TYPES];
} Measures;

static void find_measures(const XtfTraceContext *context, Measures *found)
{
    static const char *const types[N_TYPES] = {XTF_RECORD_CALLS, XTF_RECORD_SENDS, XTF_RECORD_RECVS};

    for (unsigned i = 0; i < N_TYPES; i++) {
        const XtfSchema *schema = xtf_trace_find_schema(context->trace, types[i]);
        XtfAggregateRef *measure = &found->measures[i];
        bool good = i == CALLS ? xtf_aggregate_ref_frames(measure, context)
                               : xtf_aggregate_ref_groups(measure, context, types[i]) && measure->bytes;
        if (!good)
            *measure = (XtfAggregateRef){0};
        found->untold[i] = !good && schema && xtf_trace_n_rows(context->trace, schema->id);
    }
}

static bool shape_histogram(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    Measures found;
    const XtfAggregateRef *m = found.measures;

    find_measures(context, &found);
    shape->n_lines = shape->at_once = XTF_TIME_BINS;
    xtf_grid_add(&shape->grid, "from", context->scale.width);
    xtf_grid_add(&shape->grid, "to", context->scale.width);
    xtf_grid_add(&shape->grid, "count", xtf_count_width(context, selection));
    xtf_grid_add(&shape->grid, "calls", xtf_aggregate_ref_rows_width(&m[CALLS], context));
    xtf_grid_add(&shape->grid, "sent_messages", xtf_aggregate_ref_rows_width(&m[SENDS], context));
    xtf_grid_add(&shape->grid, "sent_bytes", xtf_aggregate_ref_sum_width(&m[SENDS], context, m[SENDS].bytes));
    xtf_grid_add(&shape->grid, "received_messages", xtf_aggregate_ref_rows_width(&m[RECVS], context));
    xtf_grid_add(&shape->grid, "received_bytes", xtf_aggregate_ref_sum_width(&m[RECVS], context, m[RECVS].bytes));
    return true;
}

typedef struct {
    uint64_t count;
    uint64_t calls, messages[N_TYPES], bytes[N_TYPES];
} Slice;

typedef struct {
    Measures found;
    const XtfLocations *locations;
    XtfLocationTotals tallies[N_TYPES];
    XtfTimeBins slicing;
    Slice slices[XTF_TIME_BINS];
} Histogram;

static void histogram_clear(Histogram *histogram)
{
    for (unsigned i = 0; i < N_TYPES; i++)
        xtf_location_totals_finish(&histogram->tallies[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Histogram, histogram_clear)

/* Which of the types a schema is, if it is one that there are sums of. */
static unsigned type_of(const Histogram *histogram, const XtfSchema *schema)
{
    unsigned type = 0;

    while (type < N_TYPES && histogram->found.measures[type].schema != schema)
        type++;
    return type;
}

static void add_row(Slice *slice, unsigned type, const XtfAggregateRef *measure, const uint8_t *row)
{
    if (type == CALLS) {
        slice->calls += xtf_field_get(&measure->schema->fields[measure->aggregate->values[0]], row) == 0;
        return;
    }
    const XtfField *bytes = xtf_aggregate_ref_value(measure, measure->bytes);
    slice->messages[type]++;
    if (!xtf_field_is_none(bytes, row))
        slice->bytes[type] += xtf_field_get(bytes, row);
}

/* Few rows: each into the slice that its time falls in. */
static bool walk(Histogram *histogram, const XtfSpan *span, unsigned type, GError **error)
{
    const uint64_t *bounds = histogram->slicing.bounds;
    uint32_t row_size = span->array.schema->row_size;
    g_auto(XtfSpanReader) walk;
    unsigned i = 0;

    xtf_span_reader_init(&walk, span);
    if (!xtf_span_reader_seek(&walk, span->lo, error))
        return false;
    while (walk.n_rows) {
        const uint8_t *row = xtf_cursor_row(&walk.cursor);
        for (uint64_t n = 0; n < walk.n_rows; n++, row += row_size) {
            uint64_t t = xtf_field_get(&span->array.schema->fields[0], row);
            while (i < XTF_TIME_BINS - 1 && t >= bounds[i + 1])
                i++;
            histogram->slices[i].count++;
            if (type < N_TYPES)
                add_row(&histogram->slices[i], type, &histogram->found.measures[type], row);
        }
        if (!xtf_span_reader_next(&walk, error))
            return false;
    }
    return true;
}

static bool add_sums(Histogram *histogram, const XtfSpan *span, unsigned type, uint64_t lo, uint64_t hi, Slice *slice,
                     GError **error)
{
    XtfLocationTotals *tally = &histogram->tallies[type];
    uint64_t proc = histogram->locations->all[span->tag].proc;
    const uint64_t *cells;

    xtf_group_totals_clear(tally->totals);
    if (!xtf_location_totals_add_rows(tally, &span->array, proc, lo, hi, error))
        return false;
    if (!xtf_group_totals_n(tally->totals))
        return true;
    cells = xtf_group_totals_cells(tally->totals, 0);
    if (type == CALLS) {
        slice->calls += cells[XTF_FRAMES_BEGUN];
    } else {
        slice->messages[type] += cells[XTF_GROUP_ROWS];
        slice->bytes[type] += cells[tally->measure->bytes];
    }
    return true;
}

/* Many rows: cut at the slices' bounds, for what lies between the index adds up. */
static bool cut(Histogram *histogram, const XtfSpan *span, unsigned type, GError **error)
{
    uint64_t lo, hi, from, to = span->lo, ends[XTF_TIME_BINS];

    if (!xtf_span_rows(span, &lo, &hi, error) ||
        !xtf_time_bins_cut(&histogram->slicing, &span->array, lo, hi, ends, error))
        return false;
    for (unsigned i = 0; i < XTF_TIME_BINS; lo = ends[i++]) {
        if (lo == ends[i])
            continue;
        from = to;
        if (!xtf_span_position(span, ends[i], &to, error))
            return false;
        histogram->slices[i].count += to - MIN(from, to);
        if (type < N_TYPES && !add_sums(histogram, span, type, lo, ends[i], &histogram->slices[i], error))
            return false;
    }
    return true;
}

static bool add_span(Histogram *histogram, const XtfSpan *span, GError **error)
{
    unsigned type = type_of(histogram, span->array.schema);

    return span->hi - span->lo <= WALK_ROWS ? walk(histogram, span, type, error) : cut(histogram, span, type, error);
}

static void add_cell(XtfLines *lines, bool untold, uint64_t number)
{
    if (untold)
        xtf_lines_none(lines);
    else
        xtf_lines_number(lines, number);
}

static void add_lines(const Histogram *histogram, XtfLines *lines)
{
    const bool *untold = histogram->found.untold;

    for (unsigned i = 0; i < XTF_TIME_BINS; i++) {
        const Slice *slice = &histogram->slices[i];
        xtf_lines_ticks(lines, histogram->slicing.bounds[i] - lines->scale->origin);
        xtf_lines_ticks(lines, histogram->slicing.bounds[i + 1] - lines->scale->origin);
        xtf_lines_number(lines, slice->count);
        add_cell(lines, untold[CALLS], slice->calls);
        for (unsigned type = SENDS; type <= RECVS; type++) {
            add_cell(lines, untold[type], slice->messages[type]);
            add_cell(lines, untold[type], slice->bytes[type]);
        }
    }
}

static bool fill_histogram(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t count, XtfLines *lines,
                           GError **error)
{
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(views->resolver, selection, error);
    g_auto(Histogram) histogram = {0};

    if (!spans || !(histogram.locations = xtf_trace_context_locations(views->context, error)))
        return false;
    find_measures(views->context, &histogram.found);
    xtf_time_bins_init(&histogram.slicing, selection, &views->context->scale);
    for (unsigned i = 0; i < N_TYPES; i++) {
        if (!xtf_location_totals_init(&histogram.tallies[i], views->context, selection, &histogram.found.measures[i], 0,
                                      error))
            return false;
    }
    for (uint32_t i = 0; i < spans->n; i++) {
        if (!add_span(&histogram, &spans->spans[i], error))
            return false;
    }
    add_lines(&histogram, lines);
    return true;
}

const XtfView xtf_view_histogram = {.name = "histogram", .shape = shape_histogram, .fill = fill_histogram};
