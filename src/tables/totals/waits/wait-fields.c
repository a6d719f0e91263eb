#include "src/tables/totals/waits/wait-fields.h"

#include "libxtf/vocabulary.h"

static const XtfField *number(const XtfSchema *schema, const char *name)
{
    const XtfField *field = xtf_schema_field(schema, name);

    return field && xtf_type_width(field->type) > 0 ? field : NULL;
}

static uint64_t label(const XtfField *field, const char *name)
{
    for (uint64_t i = 0; i < field->n_labels; i++) {
        if (g_str_equal(field->labels[i], name))
            return i;
    }
    return UINT64_MAX;
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
    fields->amount = number(schema, "amount");
    fields->indirect = number(schema, "indirect");
    fields->culprit = xtf_schema_field_by_role(schema, XTF_ROLE_CULPRIT);
    fields->culprit_thread = number(schema, "culprit_thread");
    fields->cause = number(schema, "cause");
    if (!fields->seq || !fields->region || !fields->event || !fields->amount || !fields->indirect || !fields->culprit ||
        !fields->culprit_thread || !fields->cause)
        return;
    fields->schema = schema;
    fields->late_sender = label(fields->event, "late_sender");
    fields->late_receiver = label(fields->event, "late_receiver");
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
