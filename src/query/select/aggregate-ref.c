#include "src/query/select/aggregate-ref.h"

#include <string.h>

#include "libxtf/vocabulary.h"
#include "src/query/text/digits.h"

static bool find_sums(XtfAggregateRef *measure, const XtfSchema *schema, XtfAggregateKind kind)
{
    for (unsigned i = 0; schema && i < schema->n_aggregates; i++) {
        if (schema->aggregates[i].kind != kind)
            continue;
        measure->schema = schema;
        measure->aggregate = &schema->aggregates[i];
        measure->number = i;
        return true;
    }
    return false;
}

static unsigned find_key(const XtfAggregateRef *measure, const char *role)
{
    for (unsigned i = 0; i < measure->aggregate->n_keys; i++) {
        if (g_str_equal(xtf_aggregate_ref_key(measure, i)->role, role))
            return i;
    }
    return XTF_KEY_NONE;
}

static unsigned find_cell(const XtfAggregateRef *measure, const XtfField *field)
{
    unsigned apart = measure->aggregate->extremes ? XTF_VALUE_CELLS : 1;

    for (unsigned i = 0; field && i < measure->aggregate->n_values; i++) {
        if (&measure->schema->fields[measure->aggregate->values[i]] == field)
            return 1 + i * apart;
    }
    return 0;
}

const XtfField *xtf_aggregate_ref_key(const XtfAggregateRef *measure, unsigned key)
{
    return &measure->schema->fields[measure->aggregate->keys[key]];
}

const XtfField *xtf_aggregate_ref_value(const XtfAggregateRef *measure, unsigned cell)
{
    unsigned apart = measure->aggregate->extremes ? XTF_VALUE_CELLS : 1;
    return &measure->schema->fields[measure->aggregate->values[(cell - 1) / apart]];
}

bool xtf_aggregate_ref_frames(XtfAggregateRef *measure, const XtfTraceContext *context)
{
    memset(measure, 0, sizeof *measure);
    return context->calls >= 0 &&
           find_sums(measure, xtf_trace_schema(context->trace, (uint32_t)context->calls), XTF_AGGREGATE_FRAMES) &&
           g_str_equal(xtf_aggregate_ref_key(measure, 0)->role, XTF_ROLE_REGION);
}

bool xtf_aggregate_ref_groups(XtfAggregateRef *measure, const XtfTraceContext *context, const char *type)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, type);

    memset(measure, 0, sizeof *measure);
    if (!find_sums(measure, schema, XTF_AGGREGATE_GROUPS))
        return false;
    measure->event = find_key(measure, XTF_ROLE_EVENT);
    measure->region = find_key(measure, XTF_ROLE_REGION);
    measure->comm = find_key(measure, XTF_ROLE_COMM);
    measure->peer = find_key(measure, XTF_ROLE_PEER);
    measure->metric = find_key(measure, XTF_ROLE_METRIC);
    measure->value_type = find_key(measure, XTF_ROLE_VALUE_TYPE);
    measure->bytes = find_cell(measure, xtf_schema_field_by_role(schema, XTF_ROLE_BYTES));
    measure->received = find_cell(measure, xtf_schema_field(schema, "received"));
    return true;
}

size_t xtf_aggregate_ref_rows_width(const XtfAggregateRef *measure, const XtfTraceContext *context)
{
    return measure->schema ? xtf_count_digits(xtf_trace_n_rows(context->trace, measure->schema->id)) : 1;
}

size_t xtf_aggregate_ref_sum_width(const XtfAggregateRef *measure, const XtfTraceContext *context, unsigned cell)
{
    uint64_t sum;

    if (!measure->schema || !cell)
        return 1;
    uint32_t field = (uint32_t)(xtf_aggregate_ref_value(measure, cell) - measure->schema->fields);
    const XtfLimits *limits = xtf_trace_limits(context->trace, measure->schema->id, field);
    uint64_t most = limits->min <= limits->max ? limits->max : 0;
    if (__builtin_mul_overflow(most, xtf_trace_n_rows(context->trace, measure->schema->id), &sum))
        sum = UINT64_MAX;
    return xtf_count_digits(sum);
}

bool xtf_selection_may_have(const XtfSelection *selection, const XtfSchema *schema)
{
    return selection->type == XTF_ANY_TYPE || selection->type == schema->id || schema->kind == XTF_SCHEMA_SIDE;
}
