#include "src/analysis/rows/row-sink.h"

#include <string.h>

#include "src/model/schemas.h"
#include "src/world/stream.h"

enum { ROWS_IN_ITEM = 64 };

struct XtfRowSink {
    XtfRowTarget target;
    unsigned model; /* the schema, as a tag of the model */
    uint32_t schema, row_size;
    uint64_t location;      /* of the array, or of the rows that wait */
    XtfArrayWriter *array;  /* NULL: none is open */
    XtfWorldStream *stream; /* in ranks above 0, for their turn */
    uint32_t n;             /* number of rows that wait to be sent */
    uint8_t *rows;
};

/* An item of the stream: rows follow. */
typedef struct {
    uint64_t location, n;
} Item;

static bool is_writer(const XtfRowSink *sink)
{
    return !sink->target.world || xtf_world_rank(sink->target.world) == 0;
}

/* ---- Rank 0, or a process without a job. */

static bool close_array(XtfRowSink *sink, GError **error)
{
    XtfArrayWriter *array = g_steal_pointer(&sink->array);

    return !array || xtf_array_writer_close(array, error);
}

static bool append_rows(XtfRowSink *sink, uint64_t location, const uint8_t *rows, uint64_t n, GError **error)
{
    if (!sink->array || sink->location != location) {
        if (!close_array(sink, error))
            return false;
        sink->location = location;
        sink->array = xtf_writer_array(sink->target.writer, location, sink->schema, error);
    }
    for (uint64_t i = 0; sink->array && i < n; i++)
        if (!xtf_array_writer_append(sink->array, rows + i * sink->row_size, error))
            return false;
    return sink->array;
}

static bool read_rows(void *data, unsigned from, uint32_t kind, const void *bytes, uint32_t n_bytes, GError **error)
{
    const Item *item = bytes;

    return append_rows(data, item->location, (const uint8_t *)(item + 1), item->n, error);
}

/* ---- Ranks above 0. */

static void send_rows(XtfRowSink *sink)
{
    size_t bytes = (size_t)sink->n * sink->row_size;

    if (sink->n == 0)
        return;
    Item *item = xtf_world_stream_put(sink->stream, 0, 0, (uint32_t)(sizeof *item + ((bytes + 7) & ~(size_t)7)));
    *item = (Item){sink->location, sink->n};
    memcpy(item + 1, sink->rows, bytes);
    sink->n = 0;
}

bool xtf_row_sink_append(XtfRowSink *sink, uint64_t location, const void *row, GError **error)
{
    if (is_writer(sink))
        return append_rows(sink, location, row, 1, error);
    if (sink->n == ROWS_IN_ITEM || location != sink->location)
        send_rows(sink);
    sink->location = location;
    memcpy(sink->rows + (size_t)sink->n++ * sink->row_size, row, sink->row_size);
    return true;
}

/* ---- Turns. */

/* Sends the rows of a rank to rank 0. All ranks call the function. */
static bool send_turn(XtfRowSink *sink, unsigned rank, XtfRowSource source, void *data, GError **error)
{
    g_autoptr(XtfWorldStream) stream = sink->stream = xtf_world_stream_new(sink->target.world);

    if (xtf_world_rank(sink->target.world) == rank) {
        if (!source(data, sink, error))
            return false;
        send_rows(sink);
    }
    return xtf_world_stream_end(stream, read_rows, sink, error) && close_array(sink, error);
}

static bool take_turn(XtfRowSink *sink, unsigned rank, XtfRowSource source, void *data, GError **error)
{
    if (rank > 0)
        return send_turn(sink, rank, source, data, error);
    return !is_writer(sink) ||
           (xtf_writer_add_schema(sink->target.writer, xtf_model_schema(sink->model), &sink->schema, error) &&
            source(data, sink, error) && close_array(sink, error));
}

bool xtf_row_sink_write(const XtfRowTarget *target, unsigned schema, XtfRowSource source, void *data, GError **error)
{
    uint32_t row_size = xtf_model_schema(schema)->row_size;
    unsigned n = target->world ? xtf_world_size(target->world) : 1;
    g_autofree uint8_t *rows = g_malloc((size_t)ROWS_IN_ITEM * row_size);
    XtfRowSink sink = {.target = *target, .model = schema, .row_size = row_size, .rows = rows};

    for (unsigned rank = 0; rank < n; rank++) {
        GError *own = NULL;
        take_turn(&sink, rank, source, data, &own);
        if (!xtf_world_have_succeeded(target->world, own, error))
            return false;
    }
    return true;
}
