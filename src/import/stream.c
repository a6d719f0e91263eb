#include "src/import/stream.h"

#include <string.h>

enum {
    INITIAL_CAPACITY = 64,
    INITIAL_REGIONS = 256,
};

void xtf_stream_init(XtfStream *stream, XtfWriter *writer, XtfDefinitions *definitions, const uint32_t *schemas)
{
    *stream = (XtfStream){.writer = writer,
                          .definitions = definitions,
                          .schemas = schemas,
                          .capacity = INITIAL_CAPACITY,
                          .n_open_calls = INITIAL_REGIONS};
    stream->stack = g_new(XtfFrame, INITIAL_CAPACITY);
    stream->open_calls = g_new0(uint32_t, INITIAL_REGIONS);
    xtf_requests_init(&stream->requests, NULL);
    xtf_tags_init(&stream->tags);
    xtf_growth_init(&stream->growth);
}

void xtf_stream_finish(XtfStream *stream)
{
    g_clear_pointer(&stream->stack, g_free);
    g_clear_pointer(&stream->open_calls, g_free);
    g_clear_pointer(&stream->region_ids, g_free);
    xtf_requests_finish(&stream->requests);
    xtf_tags_finish(&stream->tags);
    xtf_growth_finish(&stream->growth);
    g_clear_error(&stream->error);
}

/* Removes the frames above the first `depth`, which are never left. */
static void drop_frames(XtfStream *stream, uint32_t depth)
{
    while (stream->depth > depth) {
        stream->open_calls[stream->stack[--stream->depth].region + 1]--;
        stream->never_left++;
    }
}

/* Sets the source's number of each region to that of its first definition. */
static void reset_region_ids(XtfStream *stream)
{
    const XtfSourceOrder *order = stream->definitions ? &stream->definitions->order : NULL;

    if (!order || !order->region_ids)
        return;
    if (stream->n_region_ids < order->n_region_ids)
        stream->region_ids = g_renew(uint32_t, stream->region_ids, order->n_region_ids);
    stream->n_region_ids = order->n_region_ids;
    if (order->n_region_ids > 0)
        memcpy(stream->region_ids, order->region_ids, order->n_region_ids * sizeof *stream->region_ids);
}

void xtf_stream_begin(XtfStream *stream, uint64_t location)
{
    drop_frames(stream, 0); /* of a location whose reading failed */
    stream->location = location;
    xtf_requests_clear(&stream->requests);
    xtf_growth_clear(&stream->growth);
    stream->previous_region = XTF_NONE32;
    stream->seq = stream->last_time = stream->n_calls = stream->never_left = 0;
    stream->unstored = stream->max_unstored = 0;
    stream->backward = stream->without_enter = stream->out_of_order = (XtfMishap){0};
    memset(stream->arrays, 0, sizeof stream->arrays);
    reset_region_ids(stream);
    g_clear_error(&stream->error);
}

bool xtf_stream_write_postings(XtfStream *stream, bool end)
{
    const XtfRequest *request;

    while ((request = xtf_requests_take(&stream->requests, end))) {
        unsigned type = request->state == XTF_REQUEST_RECEIVED ? XTF_MODEL_POSTINGS : XTF_MODEL_CANCELLED;
        if (!xtf_stream_append_row(stream, type, &request->row))
            return false;
    }
    return true;
}

bool xtf_stream_end(XtfStream *stream, GError **error)
{
    if (stream->error || !xtf_stream_write_postings(stream, true)) {
        g_propagate_error(error, g_steal_pointer(&stream->error));
        return false;
    }
    drop_frames(stream, 0);
    stream->never_left += stream->unstored;
    for (unsigned type = 0; type < XTF_N_ARRAY_TYPES; type++)
        if (stream->arrays[type] && !xtf_array_writer_close(stream->arrays[type], error))
            return false;
    return true;
}

XtfArrayWriter *xtf_stream_open_array(XtfStream *stream, unsigned type)
{
    bool sited = type == XTF_MODEL_ENTERS_LEAVES && stream->has_sites;
    const XtfSchema *declared = sited ? xtf_model_schema_with_sites() : xtf_model_schema(type);
    uint32_t schema = stream->schemas ? stream->schemas[type] : 0;

    if (!stream->error && (stream->schemas || xtf_writer_add_schema(stream->writer, declared, &schema, &stream->error)))
        stream->arrays[type] = xtf_writer_array(stream->writer, stream->location, schema, &stream->error);
    return stream->arrays[type];
}

static void note_mishap(XtfMishap *mishap, uint64_t seq)
{
    if (mishap->count++ == 0)
        mishap->first_seq = seq;
}

uint64_t xtf_stream_repair_time(XtfStream *stream, uint64_t time)
{
    XtfBackwardTimesRow row = {.time = stream->last_time, .seq = stream->seq, .source_time = time};

    note_mishap(&stream->backward, stream->seq);
    xtf_stream_append_row(stream, XTF_MODEL_BACKWARD_TIMES, &row); /* appending the record reports a failure */
    return stream->last_time;
}

void xtf_stream_grow_stack(XtfStream *stream)
{
    if (stream->capacity == XTF_STREAM_DEPTH)
        return;
    stream->capacity *= 2;
    stream->stack = g_renew(XtfFrame, stream->stack, stream->capacity);
}

void xtf_stream_grow_open_calls(XtfStream *stream, uint32_t region)
{
    uint32_t n = MAX(region + 2, stream->n_open_calls < UINT32_MAX / 2 ? 2 * stream->n_open_calls : UINT32_MAX);

    stream->open_calls = g_renew(uint32_t, stream->open_calls, n);
    memset(stream->open_calls + stream->n_open_calls, 0, (n - stream->n_open_calls) * sizeof *stream->open_calls);
    stream->n_open_calls = n;
}

XtfFrame xtf_stream_pop_below_top(XtfStream *stream, uint32_t region)
{
    if (stream->unstored > 0) {
        stream->unstored--;
        return (XtfFrame){0};
    }
    uint32_t lowest = stream->depth > XTF_STREAM_SEARCH ? stream->depth - XTF_STREAM_SEARCH : 0;
    for (uint32_t i = stream->depth; i > lowest; i--) {
        if (stream->stack[i - 1].region != region)
            continue;
        note_mishap(&stream->out_of_order, stream->seq);
        drop_frames(stream, i);
        return xtf_stream_pop(stream, region);
    }
    note_mishap(&stream->without_enter, stream->seq);
    return (XtfFrame){0};
}

bool xtf_stream_change_region_id(XtfStream *stream, uint32_t region, uint32_t id)
{
    if (region == XTF_NONE32)
        return true;
    if (region >= stream->n_region_ids) { /* an undefined region */
        uint32_t n = MAX(region + 1, stream->n_region_ids + stream->n_region_ids / 2);
        stream->region_ids = g_renew(uint32_t, stream->region_ids, n);
        memset(stream->region_ids + stream->n_region_ids, 0xff,
               (n - stream->n_region_ids) * sizeof *stream->region_ids);
        stream->n_region_ids = n;
    }
    if (stream->region_ids[region] == id)
        return true;
    stream->region_ids[region] = id;
    XtfRegionIdsRow row = {.time = stream->last_time, .seq = stream->seq - 1, .region = region, .id = id};
    return xtf_stream_append_row(stream, XTF_MODEL_REGION_IDS, &row);
}
