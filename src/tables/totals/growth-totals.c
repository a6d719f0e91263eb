#include "src/tables/totals/growth-totals.h"

#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/digits.h"

enum {
    INTEGER_WIDTH = 26, /* enough for sums over a million locations, each a sum of 64 bits */
    REAL_WIDTH = 24,
};

bool xtf_growth_add_up(XtfTraceContext *context, const XtfSelection *selection, bool by_region, XtfGrowthAdd add,
                       void *data, GError **error)
{
    g_auto(XtfLocationTotals) totals = {0};
    g_auto(XtfLocationArrays) arrays = {0};
    g_auto(XtfSelectedLocations) selected = {0};
    XtfAggregateRef ref;

    xtf_aggregate_ref_growth(&ref, context);
    unsigned depth = MAX(ref.metric, ref.value_type) + 1;
    if (!xtf_location_totals_init(&totals, context, selection, &ref, by_region ? ref.aggregate->n_keys : depth,
                                  error) ||
        !xtf_selected_locations_init(&selected, context, selection, error))
        return false;
    for (uint32_t i = 0; i < selected.n; i++) {
        xtf_group_totals_clear(totals.groups);
        if (!xtf_location_arrays_load(&arrays, context, xtf_selected_location(&selected, i), error) ||
            !xtf_location_totals_add_window(&totals, &arrays, error))
            return false;
        for (uint32_t j = 0; j < xtf_group_totals_n(totals.groups); j++)
            add(&ref, xtf_group_totals_key(totals.groups, j), xtf_group_totals_cells(totals.groups, j), data);
    }
    return true;
}

double xtf_grown_real(const XtfGrown *grown)
{
    return grown->is_real ? grown->real : (double)grown->whole;
}

void xtf_grown_add(XtfGrown *grown, const XtfGrown *more)
{
    if (grown->n && more->n && grown->is_real != more->is_real) {
        *grown = (XtfGrown){.n = grown->n, .is_real = true, .real = xtf_grown_real(grown) + xtf_grown_real(more)};
    } else if (more->n) {
        grown->is_real = more->is_real;
        grown->whole += more->whole;
        grown->real += more->real;
    }
    grown->n += more->n;
}

void xtf_grown_add_group(XtfGrown *grown, const XtfAggregateRef *ref, const uint64_t *key, const uint64_t *cells)
{
    uint64_t type = key[ref->value_type], sum = cells[1 + XTF_VALUE_SUM];
    bool is_real = type < 64 && ref->aggregate->reals >> type & 1;
    const XtfGrown more = {.n = cells[XTF_GROUP_ROWS],
                           .is_real = is_real,
                           .whole = is_real ? 0 : (int64_t)sum,
                           .real = is_real ? xtf_f64_from_bits(sum) : 0};

    xtf_grown_add(grown, &more);
}

/* ---- Metrics. */

bool xtf_growing_metrics_load(XtfGrowingMetrics *metrics, XtfFormats *formats, GError **error)
{
    const XtfTable *table;

    *metrics = (XtfGrowingMetrics){0};
    if (!xtf_padded_names_of_table(formats, XTF_TABLE_METRICS, &metrics->names, error) ||
        !xtf_trace_table(formats->context->trace, XTF_TABLE_METRICS, &table, error))
        return false;
    metrics->n = metrics->names ? metrics->names->n : 0;
    metrics->grow = g_new(bool, metrics->n + 1);
    const XtfField *mode = table ? xtf_schema_field(table->schema, "mode") : NULL;
    for (uint64_t i = 0; i < metrics->n; i++) {
        const uint8_t *row = mode && i < table->n_rows ? table->rows + i * table->schema->row_size : NULL;
        uint64_t value = row ? xtf_field_get(mode, row) : 0;
        metrics->grow[i] = !row || value >= mode->n_labels || !g_str_has_prefix(mode->labels[value], "ABSOLUTE");
    }
    return true;
}

void xtf_growing_metrics_finish(XtfGrowingMetrics *metrics)
{
    g_clear_pointer(&metrics->grow, g_free);
}

bool xtf_growth_exists(const XtfTraceContext *context, const XtfSelection *selection)
{
    const XtfSchema *counters = xtf_trace_find_schema(context->trace, XTF_RECORD_COUNTERS);
    const XtfSchema *metrics = xtf_trace_find_schema(context->trace, XTF_TABLE_METRICS);
    XtfAggregateRef ref;

    return !selection->base && !selection->by[XTF_BY_COMM] && !selection->by[XTF_BY_TAG] &&
           !selection->by[XTF_BY_PEER] && counters && metrics && xtf_trace_n_rows(context->trace, metrics->id) &&
           xtf_selection_may_have(selection, counters) && xtf_aggregate_ref_growth(&ref, context);
}

/* ---- Cells. */

size_t xtf_grown_width(const XtfAggregateRef *ref, const XtfTraceContext *context)
{
    const XtfAggregate *aggregate = ref->aggregate;
    uint32_t schema = ref->schema->id;
    const XtfLimits *types = xtf_trace_limits(context->trace, schema, aggregate->keys[ref->value_type]);
    const XtfLimits *growth = xtf_trace_limits(context->trace, schema, aggregate->values[0]);
    uint64_t most;

    for (uint64_t type = types->min; type <= MIN(types->max, 63); type++) {
        if (aggregate->reals >> type & 1)
            return REAL_WIDTH;
    }
    if (__builtin_mul_overflow(growth->max, xtf_trace_n_rows(context->trace, schema), &most) || most > INT64_MAX)
        return INTEGER_WIDTH; /* the limits are of unsigned numbers, in which a negative growth is a great number */
    return xtf_count_digits(most);
}

void xtf_lines_grown(XtfLines *lines, bool known, const XtfGrown *grown)
{
    if (!known || !grown->n)
        xtf_lines_none(lines);
    else if (grown->is_real)
        xtf_lines_real(lines, "%.17g", grown->real);
    else
        xtf_lines_signed_wide(lines, grown->whole < 0,
                              (unsigned __int128)(grown->whole < 0 ? -grown->whole : grown->whole));
}

void xtf_lines_rate(XtfLines *lines, bool known, const XtfGrown *grown, double seconds)
{
    if (known && grown->n && seconds > 0)
        xtf_lines_real(lines, "%.10g", xtf_grown_real(grown) / seconds);
    else
        xtf_lines_none(lines);
}
