#include "src/tables/totals/waits/wait-fields.h"

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/wait-kinds.h"

static const XtfField *find_number_field(const XtfSchema *schema, const char *name)
{
    const XtfField *field = xtf_schema_field(schema, name);

    return field && xtf_type_width(field->type) > 0 ? field : NULL;
}

void xtf_wait_fields_init(XtfWaitFields *fields, const XtfTraceContext *context)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_DERIVED_WAITS);

    *fields = (XtfWaitFields){0};
    if (!schema || schema->kind != XTF_SCHEMA_DERIVED)
        return;
    fields->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    fields->region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION);
    fields->event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    fields->amount = find_number_field(schema, "amount");
    fields->indirect = find_number_field(schema, "indirect");
    fields->culprit = xtf_schema_field_by_role(schema, XTF_ROLE_CULPRIT);
    fields->culprit_thread = find_number_field(schema, "culprit_thread");
    fields->cause = find_number_field(schema, "cause");
    if (!fields->seq || !fields->region || !fields->event || !fields->amount || !fields->indirect || !fields->culprit ||
        !fields->culprit_thread || !fields->cause)
        return;
    fields->schema = schema;
    for (uint32_t i = 0; i < MIN(fields->event->n_labels, (uint32_t)XTF_EVENTS_MAX); i++)
        fields->kinds[i] = xtf_wait_kind_named(fields->event->labels[i]);
}

const XtfWaitKind *xtf_wait_fields_kind(const XtfWaitFields *fields, const uint8_t *row)
{
    uint64_t label = xtf_field_get(fields->event, row);

    return label < XTF_EVENTS_MAX ? fields->kinds[label] : NULL;
}

bool xtf_wait_cause(const XtfWaitFields *fields, const XtfLocations *locations, const uint8_t *row, XtfWaitPlace *cause)
{
    if (xtf_field_is_none(fields->cause, row) || xtf_field_is_none(fields->culprit, row) ||
        xtf_field_is_none(fields->culprit_thread, row))
        return false;
    cause->row = xtf_field_get(fields->cause, row);
    return xtf_locations_find(locations, xtf_field_get(fields->culprit, row),
                              xtf_field_get(fields->culprit_thread, row), &cause->location);
}
