#include "src/import/stream.h"

#include <string.h>

enum {
    FIRST_ROOM = 64,
};

void xtf_stream_init(XtfStream *stream, XtfWriter *writer, XtfDefinitions *definitions, const uint32_t *schemas)
{
    *stream = (XtfStream){.writer = writer, .definitions = definitions, .schemas = schemas, .room = FIRST_ROOM};
    stream->stack = g_new(XtfFrame, FIRST_ROOM);
}

void xtf_stream_finish(XtfStream *stream)
{
    g_clear_pointer(&stream->stack, g_free);
    g_clear_error(&stream->error);
}

void xtf_stream_begin(XtfStream *stream, uint64_t location)
{
    stream->location = location;
    stream->seq = stream->last = stream->n_calls = stream->never_left = 0;
    stream->depth = 0;
    stream->beyond = stream->deepest_beyond = 0;
    stream->backward = stream->without_enter = stream->out_of_order = (XtfMishap){0};
    memset(stream->arrays, 0, sizeof stream->arrays);
    g_clear_error(&stream->error);
}

bool xtf_stream_end(XtfStream *stream, GError **error)
{
    if (stream->error != NULL) {
        g_propagate_error(error, g_steal_pointer(&stream->error));
        return false;
    }
    for (uint32_t i = 0; i < stream->depth; i++)
        stream->never_left += stream->stack[i].call;
    stream->never_left += stream->beyond;
    for (unsigned type = 0; type < XTF_N_ARRAY_TYPES; type++)
        if (stream->arrays[type] != NULL && !xtf_array_finish(stream->arrays[type], error))
            return false;
    return true;
}

XtfArrayWriter *xtf_stream_open_array(XtfStream *stream, unsigned type)
{
    if (stream->error == NULL)
        stream->arrays[type] =
            xtf_writer_array(stream->writer, stream->location, stream->schemas[type], &stream->error);
    return stream->arrays[type];
}

static void happen(XtfMishap *mishap, uint64_t seq)
{
    if (mishap->count++ == 0)
        mishap->first_seq = seq;
}

uint64_t xtf_stream_go_back(XtfStream *stream, uint64_t time)
{
    XtfBackwardTimesRow row = {.time = stream->last, .seq = stream->seq, .source_time = time};

    happen(&stream->backward, stream->seq);
    xtf_stream_append_row(stream, XTF_MODEL_BACKWARD_TIMES, &row); /* a failure shows at the record's own append */
    return stream->last;
}

void xtf_stream_more_stack(XtfStream *stream)
{
    if (stream->room == XTF_STREAM_DEPTH)
        return;
    stream->room *= 2;
    stream->stack = g_renew(XtfFrame, stream->stack, stream->room);
}

uint64_t xtf_stream_leave_elsewhere(XtfStream *stream, uint32_t region)
{
    if (stream->beyond > 0) {
        stream->beyond--;
        return 0;
    }
    uint32_t lowest = stream->depth > XTF_STREAM_SEARCH ? stream->depth - XTF_STREAM_SEARCH : 0;
    for (uint32_t i = stream->depth; i > lowest; i--) {
        const XtfFrame *frame = &stream->stack[i - 1];
        if (frame->region != region)
            continue;
        happen(&stream->out_of_order, stream->seq);
        for (uint32_t above = i; above < stream->depth; above++)
            stream->never_left += stream->stack[above].call;
        stream->depth = i - 1;
        return frame->call ? frame->enter : 0;
    }
    happen(&stream->without_enter, stream->seq);
    return 0;
}

const char *xtf_stream_event_name(unsigned event, const char **type)
{
    static const struct {
        unsigned first;
        unsigned tag;
    } types[] = {
#define FIRST_OF(TAG, array, Type) {XTF_FIRST_##TAG, XTF_MODEL_##TAG},
        XTF_RECORD_TYPES(FIRST_OF)};
    unsigned i = G_N_ELEMENTS(types) - 1;

    while (types[i].first > event)
        i--;
    const XtfSchema *schema = xtf_model_schema(types[i].tag);
    *type = schema->name;
    return xtf_schema_field_by_role(schema, XTF_ROLE_EVENT)->labels[event - types[i].first];
}
