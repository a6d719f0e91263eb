#include "src/analysis/rows/row-sink.h"

#include "src/model/schemas.h"

struct XtfRowSink {
    XtfWriter *writer;
    uint32_t schema;
    uint64_t location;     /* of the array */
    XtfArrayWriter *array; /* NULL: none is open */
};

static bool close_array(XtfRowSink *sink, GError **error)
{
    XtfArrayWriter *array = g_steal_pointer(&sink->array);

    return !array || xtf_array_writer_close(array, error);
}

bool xtf_row_sink_append(XtfRowSink *sink, uint64_t location, const void *row, GError **error)
{
    if (!sink->array || sink->location != location) {
        if (!close_array(sink, error))
            return false;
        sink->location = location;
        sink->array = xtf_writer_array(sink->writer, location, sink->schema, error);
    }
    return sink->array && xtf_array_writer_append(sink->array, row, error);
}

bool xtf_row_sink_write(XtfWriter *writer, unsigned schema, XtfRowSource source, void *data, GError **error)
{
    XtfRowSink sink = {.writer = writer};

    return xtf_writer_add_schema(writer, xtf_model_schema(schema), &sink.schema, error) && source(data, &sink, error) &&
           close_array(&sink, error);
}
