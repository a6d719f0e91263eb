#include "src/tables/match/order/message-types.h"

#include <string.h>

#include "libxtf/aggregates.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/format/call-sites.h"
#include "src/trace/select/aggregate-ref.h"

static bool is_by_envelope(const XtfSchema *schema, const XtfAggregate *aggregate)
{
    static const char *const roles[XTF_ENVELOPE_KEYS] = {XTF_ROLE_COMM, XTF_ROLE_PEER, XTF_ROLE_TAG};

    if (aggregate->kind != XTF_AGGREGATE_GROUPS || aggregate->n_keys != XTF_ENVELOPE_KEYS)
        return false;
    for (unsigned i = 0; i < XTF_ENVELOPE_KEYS; i++)
        if (!g_str_equal(schema->fields[aggregate->keys[i]].role, roles[i]))
            return false;
    return aggregate->n_values == 1 && g_str_equal(schema->fields[aggregate->values[0]].role, XTF_ROLE_BYTES) &&
           !aggregate->extremes;
}

/* Finds a record type or a side array. Returns false if it lacks a field or an aggregate that matching needs. */
static bool find_type(XtfMessageType *type, const XtfTraceContext *context, const char *name, XtfSchemaKind kind)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, name);

    *type = (XtfMessageType){0};
    if (!schema || schema->kind != kind)
        return false;
    type->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    type->region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION);
    type->event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    type->bytes = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES);
    type->message = xtf_schema_field_by_role(schema, XTF_ROLE_MESSAGE);
    type->request = xtf_schema_field(schema, "request");
    for (unsigned i = schema->n_aggregates; i > 0 && !type->schema; i--)
        if (is_by_envelope(schema, &schema->aggregates[i - 1])) {
            type->envelopes = i - 1;
            type->schema = schema;
        }
    if (type->schema && type->seq && type->bytes && (type->message || kind == XTF_SCHEMA_RECORD))
        return true;
    type->schema = NULL;
    return false;
}

static bool find_recvs(XtfMessageTypes *types, const XtfTraceContext *context)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, XTF_RECORD_RECVS);

    if (!schema || schema->kind != XTF_SCHEMA_RECORD)
        return false;
    types->recvs = schema;
    types->recvs_seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    types->recvs_posted = xtf_schema_field_by_role(schema, XTF_ROLE_POSTED);
    types->recvs_region = xtf_schema_field_by_role(schema, XTF_ROLE_REGION);
    types->recvs_event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    return types->recvs_seq && types->recvs_posted;
}

static const char *find_all_types(XtfMessageTypes *types, const XtfTraceContext *context)
{
    const XtfSchema *cancelled = xtf_trace_find_schema(context->trace, XTF_SIDE_CANCELLED);

    if (!find_type(&types->types[XTF_MESSAGES_SENDS], context, XTF_RECORD_SENDS, XTF_SCHEMA_RECORD))
        return "the trace has no sends, or no totals of them by communicator, peer and tag";
    if (!find_type(&types->types[XTF_MESSAGES_POSTINGS], context, XTF_SIDE_POSTINGS, XTF_SCHEMA_SIDE))
        return "the trace does not say in which order receives were posted (it has no postings, or no totals of them)";
    if (!find_recvs(types, context))
        return "the trace has no recvs that say when they were posted";
    if (!find_type(&types->types[XTF_MESSAGES_CANCELLED], context, XTF_SIDE_CANCELLED, XTF_SCHEMA_SIDE) && cancelled &&
        xtf_trace_n_rows(context->trace, cancelled->id) > 0)
        return "the trace has cancelled sends, but no totals of them by communicator, peer and tag";
    return NULL;
}

void xtf_message_types_find(XtfMessageTypes *types, const XtfTraceContext *context)
{
    XtfAggregateRef frames;

    *types = (XtfMessageTypes){0};
    types->missing = find_all_types(types, context);
    if (xtf_aggregate_ref_frames(&frames, context)) {
        types->calls = frames.schema;
        types->frames = frames.number;
        types->calls_seq = xtf_schema_field_by_role(types->calls, XTF_ROLE_SEQ);
        types->site = xtf_call_site_field(context);
    }
}

guint xtf_envelope_hash(const void *key)
{
    const uint64_t *envelope = key;
    uint64_t hash = 0;

    for (unsigned i = 0; i < XTF_ENVELOPE_KEYS; i++)
        hash = (hash ^ envelope[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (guint)(hash >> 32);
}

gboolean xtf_envelope_equal(const void *a, const void *b)
{
    return memcmp(a, b, XTF_ENVELOPE_KEYS * sizeof(uint64_t)) == 0;
}

void xtf_message_envelope(const XtfMessageType *type, const uint8_t *row, uint64_t envelope[XTF_ENVELOPE_KEYS])
{
    const XtfAggregate *aggregate = &type->schema->aggregates[type->envelopes];

    for (unsigned i = 0; i < XTF_ENVELOPE_KEYS; i++)
        envelope[i] = xtf_field_get(&type->schema->fields[aggregate->keys[i]], row);
}
