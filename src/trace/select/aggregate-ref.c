#include "src/trace/select/aggregate-ref.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/digits.h"

/* Finds the first aggregate of a kind. `role` is the role of its first key; NULL: any. */
static bool find_aggregate(XtfAggregateRef *ref, const XtfSchema *schema, XtfAggregateKind kind, const char *role)
{
    for (unsigned i = 0; schema && i < schema->n_aggregates; i++) {
        const XtfAggregate *aggregate = &schema->aggregates[i];
        if (aggregate->kind != kind || (role && !g_str_equal(schema->fields[aggregate->keys[0]].role, role)))
            continue;
        ref->schema = schema;
        ref->aggregate = &schema->aggregates[i];
        ref->number = i;
        return true;
    }
    return false;
}

static unsigned find_key(const XtfAggregateRef *ref, const char *role)
{
    for (unsigned i = 0; i < ref->aggregate->n_keys; i++) {
        if (g_str_equal(xtf_aggregate_ref_key(ref, i)->role, role))
            return i;
    }
    return XTF_KEY_NONE;
}

static unsigned find_cell(const XtfAggregateRef *ref, const XtfField *field)
{
    unsigned apart = ref->aggregate->extremes ? XTF_VALUE_CELLS : 1;

    for (unsigned i = 0; field && i < ref->aggregate->n_values; i++) {
        if (&ref->schema->fields[ref->aggregate->values[i]] == field)
            return 1 + i * apart;
    }
    return 0;
}

const XtfField *xtf_aggregate_ref_key(const XtfAggregateRef *ref, unsigned key)
{
    return &ref->schema->fields[ref->aggregate->keys[key]];
}

const XtfField *xtf_aggregate_ref_value(const XtfAggregateRef *ref, unsigned cell)
{
    unsigned apart = ref->aggregate->extremes ? XTF_VALUE_CELLS : 1;
    return &ref->schema->fields[ref->aggregate->values[(cell - 1) / apart]];
}

static bool find_frames(XtfAggregateRef *ref, const XtfTraceContext *context, const char *role)
{
    *ref = (XtfAggregateRef){0};
    return context->enters_leaves >= 0 &&
           find_aggregate(ref, xtf_trace_schema(context->trace, (uint32_t)context->enters_leaves), XTF_AGGREGATE_FRAMES,
                          role);
}

bool xtf_aggregate_ref_frames(XtfAggregateRef *ref, const XtfTraceContext *context)
{
    return find_frames(ref, context, XTF_ROLE_REGION);
}

bool xtf_aggregate_ref_frames_by_site(XtfAggregateRef *ref, const XtfTraceContext *context)
{
    return find_frames(ref, context, XTF_ROLE_SITE);
}

bool xtf_aggregate_ref_frames_of(XtfAggregateRef *ref, const XtfTraceContext *context, const XtfSelection *selection)
{
    return find_frames(ref, context, selection->by[XTF_BY_SITE] ? XTF_ROLE_SITE : XTF_ROLE_REGION);
}

static void find_keys(XtfAggregateRef *ref)
{
    ref->event = find_key(ref, XTF_ROLE_EVENT);
    ref->region = find_key(ref, XTF_ROLE_REGION);
    ref->comm = find_key(ref, XTF_ROLE_COMM);
    ref->peer = find_key(ref, XTF_ROLE_PEER);
    ref->metric = find_key(ref, XTF_ROLE_METRIC);
    ref->value_type = find_key(ref, XTF_ROLE_VALUE_TYPE);
}

bool xtf_aggregate_ref_growth(XtfAggregateRef *ref, const XtfTraceContext *context)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_RECORD_METRIC_VALUES);
    const XtfField *growth = schema ? xtf_schema_field_by_role(schema, XTF_ROLE_GROWTH) : NULL;

    for (unsigned i = 0; growth && i < schema->n_aggregates; i++) {
        const XtfAggregate *aggregate = &schema->aggregates[i];
        xtf_aggregate_ref_numbered(ref, schema, i);
        if (aggregate->kind == XTF_AGGREGATE_GROUPS && find_cell(ref, growth) && ref->metric != XTF_KEY_NONE &&
            ref->value_type != XTF_KEY_NONE && ref->region != XTF_KEY_NONE && growth->type == XTF_TYPE_U64)
            return true;
    }
    *ref = (XtfAggregateRef){0};
    return false;
}

bool xtf_aggregate_ref_groups(XtfAggregateRef *ref, const XtfTraceContext *context, const char *type)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, type);

    *ref = (XtfAggregateRef){0};
    if (!find_aggregate(ref, schema, XTF_AGGREGATE_GROUPS, NULL))
        return false;
    find_keys(ref);
    ref->bytes = find_cell(ref, xtf_schema_field_by_role(schema, XTF_ROLE_BYTES));
    ref->received = find_cell(ref, xtf_schema_field(schema, "received"));
    return true;
}

void xtf_aggregate_ref_numbered(XtfAggregateRef *ref, const XtfSchema *schema, unsigned number)
{
    *ref = (XtfAggregateRef){.schema = schema, .aggregate = &schema->aggregates[number], .number = number};
    find_keys(ref);
}

unsigned xtf_aggregate_ref_cell(const XtfAggregateRef *ref, const char *field)
{
    return find_cell(ref, xtf_schema_field(ref->schema, field));
}

size_t xtf_aggregate_ref_rows_width(const XtfAggregateRef *ref, const XtfTraceContext *context)
{
    return ref->schema ? xtf_count_digits(xtf_trace_n_rows(context->trace, ref->schema->id)) : 1;
}

size_t xtf_aggregate_ref_sum_width(const XtfAggregateRef *ref, const XtfTraceContext *context, unsigned cell)
{
    uint64_t sum;

    if (!ref->schema || !cell)
        return 1;
    uint32_t field = (uint32_t)(xtf_aggregate_ref_value(ref, cell) - ref->schema->fields);
    const XtfLimits *limits = xtf_trace_limits(context->trace, ref->schema->id, field);
    uint64_t most = limits->min <= limits->max ? limits->max : 0;
    if (__builtin_mul_overflow(most, xtf_trace_n_rows(context->trace, ref->schema->id), &sum))
        sum = UINT64_MAX;
    return xtf_count_digits(sum);
}

bool xtf_selection_may_have(const XtfSelection *selection, const XtfSchema *schema)
{
    return xtf_selection_has_type(selection, schema) || schema->kind == XTF_SCHEMA_SIDE;
}
