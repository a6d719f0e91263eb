#include "src/tables/collectives/collective-types.h"

#include "libxtf/vocabulary.h"
#include "src/trace/select/aggregate-ref.h"

static const char *const event_names[XTF_COLLECTIVE_N_EVENTS] = {
    "MPI_COLLECTIVE_BEGIN", XTF_EVENT_COLLECTIVE_END, "NON_BLOCKING_COLLECTIVE_REQUEST", XTF_EVENT_COLLECTIVE_COMPLETE};

void xtf_collective_types_find(XtfCollectiveTypes *types, const XtfTraceContext *context)
{
    XtfAggregateRef ref;

    *types = (XtfCollectiveTypes){0};
    if (!xtf_aggregate_ref_groups(&ref, context, XTF_RECORD_COLLECTIVES) || ref.event == XTF_KEY_NONE ||
        ref.comm == XTF_KEY_NONE || ref.schema->kind != XTF_SCHEMA_RECORD)
        return;
    const XtfSchema *schema = ref.schema;
    *types = (XtfCollectiveTypes){
        .aggregate = ref.number,
        .event_key = ref.event,
        .comm_key = ref.comm,
        .event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT),
        .operation = xtf_schema_field(schema, "operation"),
        .comm = xtf_schema_field_by_role(schema, XTF_ROLE_COMM),
        .root = xtf_schema_field(schema, "root"),
        .bytes = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES),
        .received = xtf_schema_field(schema, "received"),
        .request = xtf_schema_field(schema, "request"),
        .seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ),
        .n_to_n = xtf_schema_field(schema, "n_to_n"),
    };
    if (types->event && types->operation && types->comm && types->root && types->bytes && types->received)
        types->schema = schema;
}

XtfCollectiveEvent xtf_collective_event(const XtfCollectiveTypes *types, const uint8_t *row)
{
    const char *label = xtf_row_label(types->event, row);
    unsigned i = 0;

    while (i < XTF_COLLECTIVE_N_EVENTS && (!label || !g_str_equal(label, event_names[i])))
        i++;
    return (XtfCollectiveEvent)i;
}

XtfCollectiveShape xtf_collective_shape_of(const XtfCollectiveTypes *types, uint64_t operation)
{
    return operation < types->operation->n_labels ? xtf_collective_shape(types->operation->labels[operation])
                                                  : XTF_COLLECTIVE_UNKNOWN;
}

/* ---- Filters. */

static XtfMatch match_event(const uint64_t *key, unsigned depth, const void *data)
{
    const XtfCollectiveFilter *wanted = data;
    bool knows_event = depth > wanted->types->event_key;
    bool knows_comm = wanted->any_comm || depth > wanted->types->comm_key;

    if (knows_event && key[wanted->types->event_key] != wanted->event)
        return XTF_MATCH_NONE;
    if (knows_comm && !wanted->any_comm && key[wanted->types->comm_key] != wanted->comm)
        return XTF_MATCH_NONE;
    return knows_event && knows_comm ? XTF_MATCH_ALL : XTF_MATCH_SOME;
}

void xtf_collective_filter_init(XtfCollectiveFilter *wanted, const XtfCollectiveTypes *types, XtfCollectiveEvent event,
                                const uint64_t *comm)
{
    *wanted = (XtfCollectiveFilter){.types = types, .event = UINT64_MAX, .any_comm = !comm, .comm = comm ? *comm : 0};
    for (uint32_t i = 0; i < types->event->n_labels; i++)
        if (g_str_equal(types->event->labels[i], event_names[event]))
            wanted->event = i;
    wanted->filter = (XtfGroupFilter){.match = match_event, .data = wanted};
}
