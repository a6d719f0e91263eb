/*
 * metrics: count, extremes, mean and last value of each metric. values: the same in 100 equal slices of the window,
 * metric by metric.
 */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/totals/location-totals.h"
#include "src/tables/totals/metric-summary.h"
#include "src/tables/totals/time-bins.h"
#include "src/tables/views/view.h"
#include "src/trace/text/digits.h"

static const XtfColumn metrics_columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the metric in definitions/metrics"),
    XTF_COLUMN("count", XTF_COLUMN_NUMBER, NULL, "number of values"),
    XTF_COLUMN("min", XTF_COLUMN_REAL, NULL, "least value"),
    XTF_COLUMN("mean", XTF_COLUMN_REAL, NULL, "mean of the values"),
    XTF_COLUMN("max", XTF_COLUMN_REAL, NULL, "greatest value"),
    XTF_COLUMN("last", XTF_COLUMN_REAL, NULL, "last value"),
    XTF_COLUMN("metric", XTF_COLUMN_TEXT, NULL, "name of the metric"),
};

static const XtfColumn values_columns[] = {
    XTF_COLUMN("from", XTF_COLUMN_TIME, NULL, "beginning of the slice"),
    XTF_COLUMN("to", XTF_COLUMN_TIME, NULL, "end of the slice"),
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the metric in definitions/metrics"),
    XTF_COLUMN("count", XTF_COLUMN_NUMBER, NULL, "number of values"),
    XTF_COLUMN("min", XTF_COLUMN_REAL, NULL, "least value"),
    XTF_COLUMN("mean", XTF_COLUMN_REAL, NULL, "mean of the values"),
    XTF_COLUMN("max", XTF_COLUMN_REAL, NULL, "greatest value"),
    XTF_COLUMN("last", XTF_COLUMN_REAL, NULL, "last value"),
    XTF_COLUMN("metric", XTF_COLUMN_TEXT, NULL, "name of the metric"),
};

enum {
    INTEGER_WIDTH = 20,
    REAL_WIDTH = 24, /* -1.7976931348623157e+308 */
    MEAN_WIDTH = 17, /* a mean is printed with ten digits */
    WALK_ROWS = 64,  /* rows that are searched one by one for last values before the index is searched */
    PART_METRICS = 64,
    SLICES = 100,
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

/* Returns a set in which bit k is set if value type k may occur. */
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
        (types & aggregate->signeds && types & ~aggregate->signeds)) /* mixed kinds: see metric-summary.h */
        return REAL_WIDTH;
    return types & aggregate->signeds || limits->min > limits->max ? INTEGER_WIDTH : xtf_count_digits(limits->max);
}

/* Adds the columns behind `from` and `to`. */
static bool add_value_columns(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    const XtfTraceContext *context = views->context;
    const XtfPaddedNames *names;
    XtfAggregateRef values;

    find_values(&values, context);
    if (!xtf_padded_names_of_table(views->formats, XTF_TABLE_METRICS, &names, error))
        return false;
    uint64_t n = names ? names->n : 0;
    size_t value = value_width(context, &values);
    shape->n_lines = n;
    xtf_grid_add(&shape->grid, "row", xtf_count_digits(n ? n - 1 : 0));
    xtf_grid_add(&shape->grid, "count", xtf_aggregate_ref_rows_width(&values, context));
    xtf_grid_add(&shape->grid, "min", value);
    xtf_grid_add(&shape->grid, "mean", MEAN_WIDTH);
    xtf_grid_add(&shape->grid, "max", value);
    xtf_grid_add(&shape->grid, "last", value);
    xtf_grid_add(&shape->grid, "metric", names ? names->width : 0);
    return true;
}

static bool shape_metrics(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    shape->at_once = UINT64_MAX;
    return add_value_columns(views, selection, shape, error);
}

static bool shape_values(XtfViews *views, const XtfSelection *selection, XtfViewShape *shape, GError **error)
{
    xtf_grid_add(&shape->grid, "from", views->context->scale.width);
    xtf_grid_add(&shape->grid, "to", views->context->scale.width);
    if (!add_value_columns(views, selection, shape, error))
        return false;
    shape->n_lines *= SLICES;
    shape->at_once = PART_METRICS * SLICES;
    return true;
}

/* ---- Collecting a summary of each metric in each bin. */

typedef struct {
    const XtfAggregateRef *ref;
    const XtfTimeBins *bins;
    XtfLocationTotals totals;
    XtfLocationArrays arrays;
    const XtfArray *array;       /* the location's rows of metrics */
    uint64_t first, n;           /* index of the first metric, and number of metrics */
    XtfMetricSummary *summaries; /* bins.n summaries for each metric */
    uint64_t *last_found;        /* by metric: value of n_bins when its last value was found */
    uint64_t n_bins;             /* number of bins visited so far, in all locations */
} Collection;

/* True if the collection has a metric; sets `*index` to its index there. */
static bool find_metric(const Collection *collection, uint64_t metric, uint64_t *index)
{
    *index = metric - collection->first;
    return metric >= collection->first && *index < collection->n;
}

static void collection_clear(Collection *collection)
{
    xtf_location_totals_finish(&collection->totals);
    xtf_location_arrays_finish(&collection->arrays);
    g_free(collection->summaries);
    g_free(collection->last_found);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Collection, collection_clear)

static XtfValueKind value_kind_of(const XtfAggregateRef *ref, uint64_t value_type)
{
    if (value_type >= 64)
        return XTF_KIND_UNSIGNED;
    if (ref->aggregate->reals >> value_type & 1)
        return XTF_KIND_REAL;
    return ref->aggregate->signeds >> value_type & 1 ? XTF_KIND_SIGNED : XTF_KIND_UNSIGNED;
}

/* Stores a row's value as the last of its metric, unless a later row of this bin and location was found. */
static bool note_last(Collection *collection, uint64_t bin, const uint8_t *row)
{
    const XtfAggregateRef *ref = collection->ref;
    uint64_t metric = xtf_field_get(xtf_aggregate_ref_key(ref, ref->metric), row), index;
    const XtfField *type = xtf_aggregate_ref_key(ref, ref->value_type);
    const XtfField *value = &ref->schema->fields[ref->aggregate->values[0]];

    if (!find_metric(collection, metric, &index) || collection->last_found[index] == collection->n_bins)
        return false;
    collection->last_found[index] = collection->n_bins;
    xtf_metric_summary_add_last(&collection->summaries[index * collection->bins->n + bin],
                                value_kind_of(ref, xtf_field_get(type, row)), xtf_field_get(value, row),
                                xtf_field_get(&ref->schema->fields[0], row), collection->arrays.location->id);
    return true;
}

/* Searches the last rows of a bin for last values: mostly the values of all metrics are in consecutive rows. */
static bool walk_back(Collection *collection, const XtfArray *array, uint64_t bin, uint64_t lo, uint64_t hi,
                      unsigned n_metrics, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found;

    xtf_cursor_init(&cursor, array);
    if (!xtf_cursor_seek_n(&cursor, hi - 1, &found, error))
        return false;
    for (unsigned steps = n_metrics + WALK_ROWS; found && cursor.n >= lo && n_metrics && steps; steps--) {
        n_metrics -= note_last(collection, bin, xtf_cursor_row(&cursor));
        if (cursor.n == lo)
            break;
        if (!xtf_cursor_next(&cursor, -1, &found, error))
            return false;
    }
    return true;
}

static XtfMatch match_metric(const uint64_t *key, unsigned depth, const void *data)
{
    const uint64_t *wanted = data; /* a metric, and the index of the key `metric` */
    if (depth <= wanted[1])
        return XTF_MATCH_SOME;
    return key[wanted[1]] == wanted[0] ? XTF_MATCH_ALL : XTF_MATCH_NONE;
}

/* Stores the last value before row `hi` of a metric that has values in the bin. Searches the index. */
static bool look_up_last(Collection *collection, const XtfArray *array, uint64_t bin, uint64_t metric, uint64_t hi,
                         GError **error)
{
    const XtfAggregateRef *ref = collection->ref;
    uint64_t wanted[2] = {metric, ref->metric}, rank, n;
    XtfGroupFilter filter = {.match = match_metric, .data = wanted};
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_array_group_rank(array, ref->number, &filter, hi, &rank, error))
        return false;
    if (!rank)
        return true;
    if (!xtf_array_group_select(array, ref->number, &filter, rank - 1, &n, error))
        return false;
    if (n >= array->n_rows)
        return true;
    if (!xtf_array_row(array, n, row, error))
        return false;
    note_last(collection, bin, row);
    return true;
}

/* Adds the rows of a bin to the summaries of their metrics. */
static bool add_bin(const XtfSlice *slice, void *data, GError **error)
{
    Collection *collection = data;
    const XtfAggregateRef *ref = collection->ref;
    const XtfGroupTotals *groups = slice->totals;
    uint64_t bin = slice->number, index;
    unsigned n_found = 0;

    if (slice->n1 == slice->n2)
        return true;
    collection->n_bins++;
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        const uint64_t *key = xtf_group_totals_key(groups, i), *cells = xtf_group_totals_cells(groups, i);
        const uint64_t *value = cells + 1; /* the first of the value fields */
        XtfMetricTotals totals = {value_kind_of(ref, key[ref->value_type]), cells[XTF_GROUP_ROWS], value[XTF_VALUE_SUM],
                                  value[XTF_VALUE_MIN], value[XTF_VALUE_MAX]};
        if (!find_metric(collection, key[ref->metric], &index))
            continue;
        xtf_metric_summary_add(&collection->summaries[index * collection->bins->n + bin], &totals);
        n_found++;
    }
    if (n_found && !walk_back(collection, collection->array, bin, slice->n1, slice->n2, n_found, error))
        return false;
    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        uint64_t metric = xtf_group_totals_key(groups, i)[ref->metric];
        if (find_metric(collection, metric, &index) && collection->last_found[index] != collection->n_bins &&
            !look_up_last(collection, collection->array, bin, metric, slice->n2, error))
            return false;
    }
    return true;
}

static bool add_location_values(Collection *collection, const XtfTraceContext *context, const XtfLocation *location,
                                GError **error)
{
    const XtfSelection *selection = collection->totals.selection;
    g_autofree uint64_t *edges = g_new(uint64_t, collection->bins->n + 1);
    XtfSpan span;

    if (!xtf_location_arrays_load(&collection->arrays, context, location, error))
        return false;
    const XtfArray *array = xtf_location_arrays_find(&collection->arrays, collection->ref->schema);
    if (!array)
        return true;
    xtf_span_init(&span, array);
    if (!xtf_span_cut(&span, selection->time_from, selection->time_to, error) ||
        !xtf_time_bins_cut(collection->bins, array, span.lo, span.hi, edges + 1, error))
        return false;
    edges[0] = span.lo;
    collection->array = array;
    return xtf_location_totals_visit(&collection->totals, array, location->proc, edges, collection->bins->n + 1,
                                     add_bin, collection, error);
}

/* Collects the summaries of metrics [first, first + n). The caller has set collection->bins. */
static bool collect_summaries(Collection *collection, XtfTraceContext *context, const XtfAggregateRef *ref,
                              uint64_t first, uint64_t n, GError **error)
{
    const XtfSelection *selection = collection->bins->selection;
    g_auto(XtfSelectedLocations) selected = {0};

    collection->ref = ref;
    collection->first = first;
    collection->n = n;
    collection->summaries = g_new0(XtfMetricSummary, n * collection->bins->n);
    collection->last_found = g_new0(uint64_t, n);
    if (!xtf_location_totals_init(&collection->totals, context, selection, ref, ref->aggregate->n_keys, error) ||
        !xtf_selected_locations_init(&selected, context, selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n; i++) {
        if (!add_location_values(collection, context, xtf_selected_location(&selected, i), error))
            return false;
    }
    return true;
}

/* ---- Lines. */

static void add_value_cell(XtfLines *lines, bool known, XtfValueKind kind, uint64_t bits)
{
    if (!known)
        xtf_lines_none(lines);
    else if (kind == XTF_KIND_REAL)
        xtf_lines_real(lines, "%.17g", xtf_f64_from_bits(bits));
    else if (kind == XTF_KIND_SIGNED)
        xtf_lines_signed(lines, (int64_t)bits);
    else
        xtf_lines_number(lines, bits);
}

static void add_summary(XtfLines *lines, const XtfMetricSummary *summary)
{
    double mean;

    xtf_lines_number(lines, summary->n);
    add_value_cell(lines, summary->has_extremes, summary->kind, summary->min);
    if (summary->has_extremes && xtf_metric_summary_mean(summary, &mean))
        xtf_lines_real(lines, "%.10g", mean);
    else
        xtf_lines_none(lines);
    add_value_cell(lines, summary->has_extremes, summary->kind, summary->max);
    add_value_cell(lines, summary->has_last, summary->kind, summary->last);
}

static void add_metric_line(const Collection *collection, const XtfPaddedNames *names, uint64_t i, uint64_t bin,
                            XtfLines *lines)
{
    uint64_t metric = collection->first + i;

    xtf_lines_number(lines, metric);
    add_summary(lines, &collection->summaries[i * collection->bins->n + bin]);
    xtf_lines_padded_name(lines, names, metric);
}

/* Adds a line for each metric in the first bin, then for each in the second, and so on. */
static bool fill_metrics(XtfViews *views, const XtfTimeBins *bins, XtfLines *lines, GError **error)
{
    g_auto(Collection) collection = {.bins = bins};
    const XtfPaddedNames *names;
    XtfAggregateRef ref;

    find_values(&ref, views->context);
    if (!xtf_padded_names_of_table(views->formats, XTF_TABLE_METRICS, &names, error) ||
        !collect_summaries(&collection, views->context, &ref, 0, names ? names->n : 0, error))
        return false;
    for (uint64_t bin = 0; bin < bins->n; bin++) {
        for (uint64_t i = 0; i < collection.n; i++)
            add_metric_line(&collection, names, i, bin, lines);
    }
    return true;
}

/* Adds the lines of the table `values`, metric by metric and slice by slice. */
static bool fill_values(XtfViews *views, XtfSelection *selection, uint64_t first, uint64_t n, XtfLines *lines,
                        GError **error)
{
    g_autoptr(XtfGrouping) slices = xtf_grouping_new_slices(views->context, selection, SLICES);
    g_auto(XtfTimeBins) bins = {0};
    g_auto(Collection) collection = {.bins = &bins};
    const XtfPaddedNames *names;
    XtfAggregateRef ref;

    find_values(&ref, views->context);
    xtf_time_bins_init(&bins, selection, &slices->values, 0, SLICES);
    if (!xtf_padded_names_of_table(views->formats, XTF_TABLE_METRICS, &names, error) ||
        !collect_summaries(&collection, views->context, &ref, first / SLICES, n / SLICES, error))
        return false;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t *bounds = &bins.bounds[i % SLICES];
        xtf_lines_ticks(lines, bounds[0] - lines->scale->origin);
        xtf_lines_ticks(lines, bounds[1] - lines->scale->origin);
        add_metric_line(&collection, names, i / SLICES, i % SLICES, lines);
    }
    return true;
}

const XtfView xtf_view_metrics = {.table = XTF_TABLE("metrics", "values of each metric in the window", metrics_columns),
                                  .final_in_window = true,
                                  .subject = &xtf_about_values,
                                  .exists = values_exist,
                                  .shape = shape_metrics,
                                  .fill_bins = fill_metrics};
const XtfView xtf_view_values = {
    .table = XTF_TABLE("values", "values of each metric in each of 100 slices of the window", values_columns),
    .final_in_window = true,
    .subject = &xtf_about_values,
    .exists = values_exist,
    .shape = shape_values,
    .fill = fill_values,
    .refused_keys = 1 << XTF_GROUP_BY_TIME};
