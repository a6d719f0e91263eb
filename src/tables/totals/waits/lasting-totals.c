#include "src/tables/totals/waits/lasting-totals.h"

#include "libxtf/error.h"
#include "libxtf/group-filter.h"
#include "libxtf/trace.h"

static bool check_length(const XtfTraceContext *context, const XtfSchema *schema, const XtfField *length,
                         GError **error)
{
    const XtfLimits *limits = xtf_trace_limits(context->trace, schema->id, (uint32_t)(length - schema->fields));
    uint64_t longest = context->scale.last - context->scale.origin;

    return limits->min > limits->max || limits->max <= longest ||
           xtf_damaged(error, "a row of \"%s\" has a length of %" PRIu64 " ticks, but the trace only %" PRIu64,
                       schema->name, limits->max, longest);
}

bool xtf_lasting_totals_init(XtfLastingTotals *lasting, XtfTraceContext *context, const XtfSelection *selection,
                             const XtfAggregateRef *ref, unsigned depth, const char *length, GError **error)
{
    *lasting = (XtfLastingTotals){.length = length && ref->schema ? xtf_schema_field(ref->schema, length) : NULL};
    return (!lasting->length || check_length(context, ref->schema, lasting->length, error)) &&
           xtf_location_totals_init(&lasting->totals, context, selection, ref, depth, error);
}

void xtf_lasting_totals_init_more(XtfLastingTotals *lasting, const XtfLastingTotals *from)
{
    lasting->length = from->length;
    xtf_location_totals_init_more(&lasting->totals, &from->totals);
}

void xtf_lasting_totals_finish(XtfLastingTotals *lasting)
{
    xtf_location_totals_finish(&lasting->totals);
}

/* ---- Rows at the bounds of a window. */

/* Adds the part of a row before t, or subtracts it: cells are added modulo 2^64. */
static void add_part(XtfLastingTotals *lasting, const uint8_t *row, uint64_t t, bool subtract)
{
    const XtfAggregateRef *ref = lasting->totals.ref;
    const XtfField *fields = ref->schema->fields;
    uint64_t length = xtf_field_get(lasting->length, row), after = xtf_field_get(&fields[0], row) - t;
    uint64_t key[XTF_AGGREGATE_KEYS_MAX], cells[XTF_AGGREGATE_CELLS_MAX] = {0};

    if (xtf_field_is_none(lasting->length, row) || after >= length)
        return;
    for (unsigned i = 0; i < lasting->totals.depth; i++)
        key[i] = xtf_field_get(&fields[ref->aggregate->keys[i]], row);
    for (unsigned i = 0; i < ref->aggregate->n_values; i++) {
        const XtfField *field = &fields[ref->aggregate->values[i]];
        if (xtf_field_is_none(field, row))
            continue;
        uint64_t part = xtf_lasting_share(xtf_field_get(field, row), length - after, length);
        cells[1 + i] = subtract ? -part : part;
    }
    xtf_group_totals_add(lasting->totals.groups, key, cells);
}

/* Adds or subtracts the part before t of row n, the first row that ends at t or later, if it exists and is selected. */
static bool add_edge(XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc, uint64_t n, uint64_t t,
                     bool subtract, GError **error)
{
    const XtfLocationTotals *totals = &lasting->totals;
    XtfFilter filter = {totals->matcher, proc};
    XtfGroupFilter groups = xtf_filter_groups(&filter);
    uint8_t row[XTF_ROW_MAX];

    if (n >= array->n_rows)
        return true;
    if (!xtf_array_row(array, n, row, error))
        return false;
    if (!totals->matcher || xtf_row_matches(array->schema, totals->ref->number, &groups, row))
        add_part(lasting, row, t, subtract);
    return true;
}

bool xtf_lasting_totals_add_edges(XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc, uint64_t lo,
                                  uint64_t hi, uint64_t from, uint64_t to, GError **error)
{
    if (!lasting->length)
        return true;
    return (from == 0 || add_edge(lasting, array, proc, lo, from, true, error)) &&
           (to == XTF_TIME_OPEN || add_edge(lasting, array, proc, hi, to, false, error));
}

bool xtf_lasting_totals_add(XtfLastingTotals *lasting, const XtfArray *array, uint64_t proc, uint64_t from, uint64_t to,
                            GError **error)
{
    XtfSpan span;

    if (lasting->totals.is_empty || from >= to || from > array->last)
        return true;
    xtf_span_init(&span, array);
    return xtf_span_cut(&span, from, to, error) &&
           xtf_location_totals_add_rows(&lasting->totals, array, proc, span.lo, span.hi, error) &&
           xtf_lasting_totals_add_edges(lasting, array, proc, span.lo, span.hi, from, to, error);
}
