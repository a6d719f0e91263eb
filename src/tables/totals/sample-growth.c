#include "src/tables/totals/sample-growth.h"

#include "libxtf/group-filter.h"
#include "libxtf/spans.h"
#include "libxtf/trace.h"
#include "src/model/properties.h"
#include "src/trace/select/kept-rows.h"

bool xtf_samples_init(XtfSamples *samples, const XtfTraceContext *context, const char *type,
                      const char *const *counters)
{
    *samples = (XtfSamples){0};
    if (!xtf_aggregate_ref_groups(&samples->ref, context, type) || !xtf_schema_field(samples->ref.schema, "frame") ||
        !xtf_trace_n_rows(context->trace, samples->ref.schema->id)) {
        samples->ref = (XtfAggregateRef){0};
        return false;
    }
    const char *values = xtf_property(context->properties, "values");
    samples->cumulative = g_strcmp0(values, "cumulative") == 0;
    for (; counters[samples->n_counters]; samples->n_counters++) {
        g_assert(samples->n_counters < XTF_SAMPLE_COUNTERS_MAX);
        samples->cells[samples->n_counters] = xtf_aggregate_ref_cell(&samples->ref, counters[samples->n_counters]);
    }
    return true;
}

/* Finds the last row of a group before row n; *found is false if there is none from the kept time on. `key` NULL: of
 * any group. */
static bool find_last_before(const XtfSamples *samples, const XtfArray *array, const uint64_t *key, uint64_t n,
                             uint8_t *row, bool *found, GError **error)
{
    const XtfGroupFilter filter = {.exact = key};
    uint64_t rank = n, last = n - 1, first_kept;

    *found = false;
    if (!xtf_array_first_kept(array, &first_kept, error) ||
        (key && !xtf_array_group_rank(array, samples->ref.number, &filter, n, &rank, error)))
        return false;
    if (!rank)
        return true;
    if (key && !xtf_kept_select(array, samples->ref.number, &filter, rank - 1, &last, error))
        return false;
    *found = last >= first_kept && last < array->n_rows;
    return !*found || xtf_array_row(array, last, row, error);
}

bool xtf_samples_last(const XtfSamples *samples, const XtfLocationArrays *arrays, const uint64_t *key, uint64_t to,
                      uint8_t *row, bool *found, GError **error)
{
    const XtfArray *array = xtf_location_arrays_find(arrays, samples->ref.schema);
    uint64_t n;

    *found = false;
    return !array || (xtf_array_rank(array, to, &n, error) &&
                      find_last_before(samples, array, key, to == UINT64_MAX ? array->n_rows : n, row, found, error));
}

/* ---- Growth. */

/* Gets the value of a counter in a row. Returns false if the row lacks it. */
static bool get_value(const XtfSamples *samples, unsigned counter, const uint8_t *row, uint64_t *value)
{
    const XtfField *field = xtf_aggregate_ref_value(&samples->ref, samples->cells[counter]);

    *value = xtf_field_get(field, row);
    return !xtf_field_is_none(field, row);
}

/* Computes the growth of a group that has rows in [lo, hi), from cumulative samples. */
static bool find_group_growth(const XtfSamples *samples, const XtfArray *array, const uint64_t *key, uint64_t lo,
                              uint64_t hi, uint64_t *growth, GError **error)
{
    uint8_t before[XTF_ROW_MAX], last[XTF_ROW_MAX];
    bool has_before = false, has_last;

    if (!find_last_before(samples, array, key, hi, last, &has_last, error) ||
        (lo && !find_last_before(samples, array, key, lo, before, &has_before, error)))
        return false;
    for (unsigned i = 0; i < samples->n_counters; i++) {
        uint64_t a = 0, b = 0;
        bool known = samples->cells[i] && has_last && get_value(samples, i, last, &b) &&
                     (!has_before || get_value(samples, i, before, &a));
        growth[i] = known ? b - MIN(a, b) : 0;
    }
    return true;
}

static bool find_all_growth(const XtfSamples *samples, const XtfArray *array, const XtfGroupTotals *groups, uint64_t lo,
                            uint64_t hi, XtfSampleGroup group, void *data, GError **error)
{
    uint64_t growth[XTF_SAMPLE_COUNTERS_MAX];

    for (uint32_t i = 0; i < xtf_group_totals_n(groups); i++) {
        const uint64_t *key = xtf_group_totals_key(groups, i), *cells = xtf_group_totals_cells(groups, i);
        for (unsigned j = 0; j < samples->n_counters; j++)
            growth[j] = samples->cells[j] ? cells[samples->cells[j]] : 0;
        if (samples->cumulative && !find_group_growth(samples, array, key, lo, hi, growth, error))
            return false;
        group(key, growth, data);
    }
    return true;
}

bool xtf_samples_growth(const XtfSamples *samples, const XtfLocationArrays *arrays, uint64_t from, uint64_t to,
                        XtfSampleGroup group, void *data, GError **error)
{
    const XtfArray *array = xtf_location_arrays_find(arrays, samples->ref.schema);
    XtfSpan span;

    if (!array)
        return true;
    xtf_span_init(&span, array);
    if (!xtf_span_cut(&span, from, to, error))
        return false;
    if (span.lo >= span.hi)
        return true;
    g_autoptr(XtfGroupTotals) groups = xtf_group_totals_new(samples->ref.aggregate, samples->ref.aggregate->n_keys);
    return xtf_array_totals(array, samples->ref.number, NULL, span.lo, span.hi, groups, error) &&
           find_all_growth(samples, array, groups, span.lo, span.hi, group, data, error);
}

uint64_t xtf_samples_most(const XtfSamples *samples, const XtfTraceContext *context, unsigned counter)
{
    const XtfSchema *schema = samples->ref.schema;
    uint64_t most;

    if (!schema || !samples->cells[counter])
        return 0;
    const XtfField *field = xtf_aggregate_ref_value(&samples->ref, samples->cells[counter]);
    const XtfLimits *limits = xtf_trace_limits(context->trace, schema->id, (uint32_t)(field - schema->fields));
    if (limits->min > limits->max)
        return 0;
    return __builtin_mul_overflow(limits->max, xtf_trace_n_rows(context->trace, schema->id), &most) ? UINT64_MAX : most;
}
