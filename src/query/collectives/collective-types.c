#include "src/query/collectives/collective-types.h"

#include "libxtf/vocabulary.h"
#include "src/query/select/aggregate-ref.h"

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

XtfCollectiveShape xtf_collective_shape(const XtfCollectiveTypes *types, uint64_t operation)
{
    static const struct {
        const char *name;
        XtfCollectiveShape shape;
    } shapes[] = {
        {"BARRIER", XTF_COLLECTIVE_BARRIER},
        {"BCAST", XTF_COLLECTIVE_FROM_ROOT},
        {"SCATTER", XTF_COLLECTIVE_FROM_ROOT},
        {"SCATTERV", XTF_COLLECTIVE_FROM_ROOT},
        {"REDUCE", XTF_COLLECTIVE_TO_ROOT},
        {"GATHER", XTF_COLLECTIVE_TO_ROOT},
        {"GATHERV", XTF_COLLECTIVE_TO_ROOT},
        {"SCAN", XTF_COLLECTIVE_SCAN},
        {"EXSCAN", XTF_COLLECTIVE_SCAN},
        {"ALLGATHER", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLGATHERV", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLTOALL", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLTOALLV", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLTOALLW", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLREDUCE", XTF_COLLECTIVE_ALL_TO_ALL},
        {"REDUCE_SCATTER", XTF_COLLECTIVE_ALL_TO_ALL},
        {"REDUCE_SCATTER_BLOCK", XTF_COLLECTIVE_ALL_TO_ALL},
        {"CREATE_HANDLE", XTF_COLLECTIVE_ALL_TO_ALL},
        {"DESTROY_HANDLE", XTF_COLLECTIVE_ALL_TO_ALL},
        {"ALLOCATE", XTF_COLLECTIVE_ALL_TO_ALL},
        {"DEALLOCATE", XTF_COLLECTIVE_ALL_TO_ALL},
        {"CREATE_HANDLE_AND_ALLOCATE", XTF_COLLECTIVE_ALL_TO_ALL},
        {"DESTROY_HANDLE_AND_DEALLOCATE", XTF_COLLECTIVE_ALL_TO_ALL},
    };

    for (unsigned i = 0; operation < types->operation->n_labels && i < G_N_ELEMENTS(shapes); i++)
        if (g_str_equal(types->operation->labels[operation], shapes[i].name))
            return shapes[i].shape;
    return XTF_COLLECTIVE_UNKNOWN;
}

/* ---- Filters. */

static XtfMatch match(const uint64_t *key, unsigned depth, const void *data)
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
    wanted->filter = (XtfGroupFilter){.match = match, .data = wanted};
}
