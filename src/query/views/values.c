/*
 * values: of each metric, what was recorded in each slice of the window.
 */
#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/query/text/digits.h"
#include "src/query/views/location-totals.h"
#include "src/query/views/metric-summary.h"
#include "src/query/views/region-lines.h"
#include "src/query/views/time-bins.h"
#include "src/query/views/view.h"

enum {
    INTEGER_WIDTH = 20,
    REAL_WIDTH = 24, /* -1.7976931348623157e+308 */
    MEAN_WIDTH = 17, /* the same with ten digits */
    WALK_ROWS = 64,  /* that are looked at for last values, before the index is asked */
    PART_METRICS = 64,
};

static bool find_values(XtfAggregateRef *values, const XtfTraceContext *context)
{
    return xtf_aggregate_ref_groups(values, context, XTF_RECORD_METRIC_VALUES) && values->metric != XTF_KEY_NONE &&
           values->value_type != XTF_KEY_NONE && values->aggregate->extremes && values->aggregate->n_values > 0;
}

static bool values_exist(const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfSchema *counters = xtf_trace_find_schema(context->trace, XTF_RECORD_COUNTERS);
    const XtfSchema *metrics = xtf_trace_find_schema(context->trace, XTF_TABLE_METRICS);
    XtfAggregateRef values;

    return !selection->base && !xtf_selection_has_facets(selection) && counters && metrics &&
           xtf_trace_n_rows(context->trace, metrics->id) && xtf_selection_may_have(selection, counters) &&
           find_values(&values, context);
}

/* Bit k is set where a value type k may occur. */
static uint64_t possible_types(const XtfLimits *limits)
{
    if (limits->min > limits->max || limits->min > 63)
        return 0;
    return (limits->max < 63 ? (UINT64_C(1) << (limits->max + 1)) - 1 : UINT64_MAX) & UINT64_MAX << limits->min;
}

static size_t value_width(const XtfTraceContext *context, const XtfAggregateRef *values)
{
    const XtfAggregate *aggregate = values->aggregate;
    uint32_t schema = values->schema->id;
    uint64_t types = possible_types(xtf_trace_limits(context->trace, schema, aggregate->keys[values->value_type]));
    const XtfLimits *limits = xtf_trace_limits(context->trace, schema, aggregate->values[0]);

    if (types & aggregate->reals ||
        (types & aggregate->signeds && types & ~aggregate->signeds)) /* of both kinds: see series.h */
        return REAL_WIDTH;
    return types & aggregate->signeds || limits->min > limits->max ? INTEGER_WIDTH : xtf_count_digits(limits->max);
}

static bool shape_values(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    const XtfPaddedNames *names;
    XtfAggregateRef values;

    find_values(&values, context);
    if (!xtf_padded_names_of_table(views->formats, XTF_TABLE_METRICS, &names, error))
        return false;
    uint64_t n = names ? names->n : 0;
    size_t value = value_width(context, &values);
    shape->n_lines = n * XTF_TIME_BINS;
    shape->at_once = PART_METRICS * XTF_TIME_BINS;
    xtf_grid_add(&shape->grid, "from", context->scale.width);
    xtf_grid_add(&shape->grid, "to", context->scale.width);
    xtf_grid_add(&shape->grid, "row", xtf_count_digits(n ? n - 1 : 0));
    xtf_grid_add(&shape->grid, "count", xtf_aggregate_ref_rows_width(&values, context));
    xtf_grid_add(&shape->grid, "min", value);
    xtf_grid_add(&shape->grid, "mean", MEAN_WIDTH);
    xtf_grid_add(&shape->grid, "max", value);
    xtf_grid_add(&shape->grid, "last", value);
    xtf_grid_add_text(&shape->grid, "metric", names ? names->width : 0);
    return true;
}

/* ---- Collecting: a series for each slice of some metrics. */

typedef struct {
    const XtfAggregateRef *measure;
    XtfTimeBins slicing;
    XtfLocationTotals tally;
    XtfLocationArrays holding;
    uint64_t first, n;        /* metrics */
    XtfMetricSummary *series; /* XTF_TIME_BINS of each metric */
    uint64_t *looked_for;     /* by metric: the last slice of all locations' whose last value is known */
    uint64_t slices;          /* so far, of all locations */
} Collection;

/* Whether a metric is one of the collection's, and its place in it. */
static bool find_place(const Collection *collection, uint64_t metric, uint64_t *place)
{
    *place = metric - collection->first;
    return metric >= collection->first && *place < collection->n;
}

static void collection_clear(Collection *collection)
{
    xtf_location_totals_finish(&collection->tally);
    xtf_location_arrays_finish(&collection->holding);
    g_free(collection->series);
    g_free(collection->looked_for);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Collection, collection_clear)

static XtfValueKind kind_of(const XtfAggregateRef *measure, uint64_t value_type)
{
    if (value_type >= 64)
        return XTF_VALUE_UNSIGNED;
    if (measure->aggregate->reals >> value_type & 1)
        return XTF_VALUE_REAL;
    return measure->aggregate->signeds >> value_type & 1 ? XTF_VALUE_SIGNED : XTF_VALUE_UNSIGNED;
}

/* What a row says of its metric, if that is not known of this slice of its location yet. */
static bool note_last(Collection *collection, unsigned slice, const uint8_t *row)
{
    const XtfAggregateRef *measure = collection->measure;
    uint64_t metric = xtf_field_get(xtf_aggregate_ref_key(measure, measure->metric), row), place;
    const XtfField *type = xtf_aggregate_ref_key(measure, measure->value_type);
    const XtfField *value = &measure->schema->fields[measure->aggregate->values[0]];

    if (!find_place(collection, metric, &place) || collection->looked_for[place] == collection->slices)
        return false;
    collection->looked_for[place] = collection->slices;
    xtf_metric_summary_add_last(&collection->series[place * XTF_TIME_BINS + slice],
                                kind_of(measure, xtf_field_get(type, row)), xtf_field_get(value, row),
                                xtf_field_get(&measure->schema->fields[0], row), collection->holding.location->id);
    return true;
}

/* Most often the values of all metrics stand side by side at the end of a slice. */
static bool walk_back(Collection *collection, const XtfArray *array, unsigned slice, uint64_t lo, uint64_t hi,
                      unsigned n_metrics, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, hi - 1, &found, error))
        return false;
    for (unsigned steps = n_metrics + WALK_ROWS; found && cursor.n >= lo && n_metrics && steps; steps--) {
        n_metrics -= note_last(collection, slice, xtf_cursor_row(&cursor));
        if (cursor.n == lo)
            break;
        if (!xtf_cursor_next(&cursor, -1, &found, error))
            return false;
    }
    return true;
}

static XtfMatch match_metric(const uint64_t *key, unsigned depth, const void *data)
{
    const uint64_t *wanted = data; /* a metric, and its place among the keys */
    if (depth <= wanted[1])
        return XTF_MATCH_SOME;
    return key[wanted[1]] == wanted[0] ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* The last value before row hi of a metric that has one in the slice. */
static bool look_up_last(Collection *collection, const XtfArray *array, unsigned slice, uint64_t metric, uint64_t hi,
                         GError **error)
{
    const XtfAggregateRef *measure = collection->measure;
    uint64_t wanted[2] = {metric, measure->metric}, rank, n;
    XtfGroupFilter filter = {match_metric, wanted};
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_group_rank(array, measure->number, &filter, hi, &rank, error))
        return false;
    if (!rank)
        return true;
    if (!xtf_array_group_select(array, measure->number, &filter, rank - 1, &n, error))
        return false;
    if (n >= array->n_rows)
        return true;
    if (!xtf_array_row(array, n, row, error))
        return false;
    note_last(collection, slice, row);
    return true;
}

static bool add_slice(Collection *collection, const XtfArray *array, unsigned slice, uint64_t lo, uint64_t hi,
                      GError **error)
{
    const XtfAggregateRef *measure = collection->measure;
    const XtfGroupTotals *totals = collection->tally.totals;
    unsigned n_found = 0;
    uint64_t place;

    collection->slices++;
    xtf_group_totals_clear(collection->tally.totals);
    if (!xtf_location_totals_add_rows(&collection->tally, array, collection->holding.location->proc, lo, hi, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        const uint64_t *key = xtf_group_totals_key(totals, i), *cells = xtf_group_totals_cells(totals, i);
        const uint64_t *value = cells + 1; /* the first of the value fields */
        XtfMetricPart part = {kind_of(measure, key[measure->value_type]), cells[XTF_GROUP_ROWS], value[XTF_VALUE_SUM],
                              value[XTF_VALUE_MIN], value[XTF_VALUE_MAX]};
        if (!find_place(collection, key[measure->metric], &place))
            continue;
        xtf_metric_summary_add(&collection->series[place * XTF_TIME_BINS + slice], &part);
        n_found++;
    }
    if (n_found && !walk_back(collection, array, slice, lo, hi, n_found, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        uint64_t metric = xtf_group_totals_key(totals, i)[measure->metric];
        if (find_place(collection, metric, &place) && collection->looked_for[place] != collection->slices &&
            !look_up_last(collection, array, slice, metric, hi, error))
            return false;
    }
    return true;
}

static bool add_location(Collection *collection, const XtfTraceContext *context, const XtfLocation *location,
                         GError **error)
{
    const XtfSelection *selection = collection->tally.selection;
    uint64_t lo, hi, ends[XTF_TIME_BINS];

    if (!xtf_location_arrays_load(&collection->holding, context, location, error))
        return false;
    const XtfArray *array = xtf_location_arrays_array(&collection->holding, collection->measure->schema);
    if (!array)
        return true;
    if (!xtf_rows_in_window(array, selection->a, selection->b, &lo, &hi, error) ||
        !xtf_time_bins_cut(&collection->slicing, array, lo, hi, ends, error))
        return false;
    for (unsigned i = 0; i < XTF_TIME_BINS; lo = ends[i++]) {
        if (lo < ends[i] && !add_slice(collection, array, i, lo, ends[i], error))
            return false;
    }
    return true;
}

static bool collect(Collection *collection, XtfTraceContext *context, const XtfSelection *selection,
                    const XtfAggregateRef *measure, uint64_t first, uint64_t n, GError **error)
{
    g_auto(XtfSelectedLocations) roster = {0};

    collection->measure = measure;
    collection->first = first;
    collection->n = n;
    collection->series = g_new0(XtfMetricSummary, n * XTF_TIME_BINS);
    collection->looked_for = g_new0(uint64_t, n);
    xtf_time_bins_init(&collection->slicing, selection, &context->scale);
    if (!xtf_location_totals_init(&collection->tally, context, selection, measure, measure->aggregate->n_keys, error) ||
        !xtf_selected_locations_init(&roster, context, selection, error))
        return false;
    for (uint32_t i = 0; i < roster.n_places; i++) {
        if (!add_location(collection, context, &roster.locations->all[roster.places[i]], error))
            return false;
    }
    return true;
}

/* ---- Lines. */

static void add_value(XtfLines *lines, XtfValueKind kind, uint64_t bits)
{
    if (kind == XTF_VALUE_REAL)
        xtf_lines_real(lines, "%.17g", xtf_f64_from_bits(bits));
    else if (kind == XTF_VALUE_SIGNED)
        xtf_lines_signed(lines, (int64_t)bits);
    else
        xtf_lines_number(lines, bits);
}

static void add_series(XtfLines *lines, const XtfMetricSummary *series)
{
    double mean;

    xtf_lines_number(lines, series->n);
    if (series->has_extremes)
        add_value(lines, series->kind, series->min);
    else
        xtf_lines_none(lines);
    if (series->has_extremes && xtf_metric_summary_mean(series, &mean))
        xtf_lines_real(lines, "%.10g", mean);
    else
        xtf_lines_none(lines);
    if (series->has_extremes)
        add_value(lines, series->kind, series->max);
    else
        xtf_lines_none(lines);
    if (series->has_last)
        add_value(lines, series->kind, series->last);
    else
        xtf_lines_none(lines);
}

static bool fill_values(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                        GError **error)
{
    const XtfTimeScale *scale = &views->context->scale;
    g_auto(Collection) collection = {0};
    const XtfPaddedNames *names;
    XtfAggregateRef measure;

    find_values(&measure, views->context);
    if (!xtf_padded_names_of_table(views->formats, XTF_TABLE_METRICS, &names, error) ||
        !collect(&collection, views->context, selection, &measure, first / XTF_TIME_BINS, n / XTF_TIME_BINS, error))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t *bounds = &collection.slicing.bounds[i % XTF_TIME_BINS];
        uint64_t metric = (first + i) / XTF_TIME_BINS;
        xtf_lines_ticks(lines, bounds[0] - scale->origin);
        xtf_lines_ticks(lines, bounds[1] - scale->origin);
        xtf_lines_number(lines, metric);
        add_series(lines, &collection.series[i]);
        xtf_lines_name(lines, names->text + metric * names->width, names->width);
    }
    return true;
}

const XtfView xtf_view_values = {.name = "values", .exists = values_exist, .shape = shape_values, .fill = fill_values};
