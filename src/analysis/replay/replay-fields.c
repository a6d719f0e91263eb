/* Offsets of the fields of rows. */
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/analysis/replay/replay-rows.h"
#include "src/model/collective-shape.h"
#include "src/trace/context/name-index.h"

static uint32_t label_number(const XtfField *field, const char *label)
{
    return (uint32_t)xtf_label_value(field, label);
}

/* Returns which members need which, if the operation alone determines it. */
static uint8_t pattern_of(const char *operation)
{
    switch (xtf_collective_shape(operation)) {
    case XTF_COLLECTIVE_BARRIER:
    case XTF_COLLECTIVE_ALL_TO_ALL:
        return XTF_REPLAY_ALL_TO_ALL;
    case XTF_COLLECTIVE_FROM_ROOT:
        return XTF_REPLAY_ONE_TO_ALL;
    case XTF_COLLECTIVE_TO_ROOT:
        return XTF_REPLAY_ALL_TO_ONE;
    case XTF_COLLECTIVE_SCAN:
        return XTF_REPLAY_SCAN;
    case XTF_COLLECTIVE_HANDLES:
        return XTF_REPLAY_NOBODY;
    case XTF_COLLECTIVE_SOME_TO_SOME:
    case XTF_COLLECTIVE_UNKNOWN:
        break;
    }
    return XTF_ROW_NO_PATTERN;
}

static const XtfSchema *schema_of(XtfTrace *trace, const char *name, XtfSchemaKind kind)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, name);
    return schema && schema->kind == kind ? schema : NULL;
}

#define FIND_FIELDS(of, schema)                                             \
    do {                                                                    \
        (of)->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);         \
        (of)->peer = xtf_schema_field_by_role(schema, XTF_ROLE_PEER);       \
        (of)->comm = xtf_schema_field_by_role(schema, XTF_ROLE_COMM);       \
        (of)->tag = xtf_schema_field_by_role(schema, XTF_ROLE_TAG);         \
        (of)->bytes = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES);     \
        (of)->message = xtf_schema_field_by_role(schema, XTF_ROLE_MESSAGE); \
    } while (0)

static void find_collectives(XtfReplayFields *fields)
{
    const XtfSchema *schema = fields->collectives;

    fields->seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);
    fields->event = xtf_schema_field_by_role(schema, XTF_ROLE_EVENT);
    fields->comm = xtf_schema_field_by_role(schema, XTF_ROLE_COMM);
    fields->operation = xtf_schema_field(schema, "operation");
    fields->root = xtf_schema_field(schema, "root");
    fields->sent = xtf_schema_field_by_role(schema, XTF_ROLE_BYTES);
    fields->received = xtf_schema_field(schema, "received");
    fields->n_to_n = xtf_schema_field(schema, "n_to_n");
    fields->begin = label_number(fields->event, "MPI_COLLECTIVE_BEGIN");
    fields->end = label_number(fields->event, "MPI_COLLECTIVE_END");
    fields->complete = label_number(fields->event, "NON_BLOCKING_COLLECTIVE_COMPLETE");
    fields->barrier = label_number(fields->operation, "BARRIER");
    for (uint32_t i = 0; fields->operation && i < fields->operation->n_labels; i++) {
        uint8_t pattern = pattern_of(fields->operation->labels[i]);
        XtfCollectiveShape shape = xtf_collective_shape(fields->operation->labels[i]);
        g_array_append_val(fields->patterns, pattern);
        g_array_append_val(fields->shapes, shape);
    }
    if (!fields->comm || !fields->operation)
        fields->collectives = NULL;
}

/* Finds the fields of requests. A send's `message` is its request, which links it to its completion. */
static void find_requests(XtfReplayFields *fields)
{
    FIND_FIELDS(&fields->request, fields->requests);
    fields->request.event = xtf_schema_field_by_role(fields->requests, XTF_ROLE_EVENT);
    fields->request.message = xtf_schema_field(fields->requests, "request");
    fields->sent_event = label_number(fields->request.event, "MPI_ISEND_COMPLETE");
    if (!fields->request.message || fields->sent_event == UINT32_MAX)
        fields->requests = NULL;
    else if (fields->sends)
        fields->send.message = xtf_schema_field(fields->sends, "request");
}

static XtfReplayColumn column_of(const XtfField *field)
{
    XtfReplayColumn column = {0};

    if (field && field->width > 0 && field->width <= sizeof column.none)
        column = (XtfReplayColumn){.load = xtf_field_load(field),
                                   .known = true,
                                   .optional = field->flags & XTF_FIELD_OPTIONAL,
                                   .none = UINT64_MAX >> (64 - 8u * field->width)};
    return column;
}

#define FIND_COLUMNS(of)                                                                                               \
    ((XtfReplayColumns){column_of((of)->seq), column_of((of)->bytes), column_of((of)->message), column_of((of)->comm), \
                        column_of((of)->peer), column_of((of)->tag)})

/* Finds the fields. Schemas without the fields that matching needs become NULL. */
void xtf_replay_fields_init(XtfReplayFields *fields, XtfTrace *trace)
{
    *fields = (XtfReplayFields){
        .sends = schema_of(trace, XTF_RECORD_SENDS, XTF_SCHEMA_RECORD),
        .postings = schema_of(trace, XTF_SIDE_POSTINGS, XTF_SCHEMA_SIDE),
        .recvs = schema_of(trace, XTF_RECORD_RECVS, XTF_SCHEMA_RECORD),
        .collectives = schema_of(trace, XTF_RECORD_COLLECTIVES, XTF_SCHEMA_RECORD),
        .cancelled = schema_of(trace, XTF_SIDE_CANCELLED, XTF_SCHEMA_SIDE),
        .requests = schema_of(trace, XTF_RECORD_REQUESTS, XTF_SCHEMA_RECORD),
        .patterns = g_array_new(FALSE, FALSE, sizeof(uint8_t)),
        .shapes = g_array_new(FALSE, FALSE, sizeof(XtfCollectiveShape)),
    };
    if (fields->sends)
        FIND_FIELDS(&fields->send, fields->sends);
    if (fields->postings)
        FIND_FIELDS(&fields->posting, fields->postings);
    if (fields->recvs)
        FIND_FIELDS(&fields->recv, fields->recvs);
    if (fields->cancelled)
        FIND_FIELDS(&fields->cancel, fields->cancelled);
    if (!fields->send.peer || !fields->send.comm || !fields->send.tag)
        fields->sends = NULL;
    if (!fields->posting.peer || !fields->posting.comm || !fields->posting.tag || !fields->posting.message)
        fields->postings = NULL;
    if (!fields->cancel.message)
        fields->cancelled = NULL;
    if (fields->collectives)
        find_collectives(fields);
    if (fields->requests)
        find_requests(fields);
    fields->columns[XTF_ROW_SEND] = FIND_COLUMNS(&fields->send);
    fields->columns[XTF_ROW_POSTING] = FIND_COLUMNS(&fields->posting);
    /* The posting has the envelope of a receive; the bytes are known only at completion. */
    fields->columns[XTF_ROW_POSTING].bytes.known = false;
    fields->columns[XTF_ROW_RECV] =
        (XtfReplayColumns){.seq = column_of(fields->recv.seq), .bytes = column_of(fields->recv.bytes)};
    fields->columns[XTF_ROW_SENT] =
        (XtfReplayColumns){.seq = column_of(fields->request.seq), .message = column_of(fields->request.message)};
}

XtfCollectiveShape xtf_replay_fields_shape(const XtfReplayFields *fields, uint32_t operation)
{
    return operation < fields->shapes->len ? g_array_index(fields->shapes, XtfCollectiveShape, operation)
                                           : XTF_COLLECTIVE_UNKNOWN;
}

void xtf_replay_fields_finish(XtfReplayFields *fields)
{
    g_clear_pointer(&fields->patterns, g_array_unref);
    g_clear_pointer(&fields->shapes, g_array_unref);
}
