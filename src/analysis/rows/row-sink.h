/*
 * Sinks for rows of a derived type, ordered by location: only one array is open. One thread uses a sink.
 */
#pragma once

#include "libxtf/writer.h"

typedef struct XtfRowSink XtfRowSink;

/* Appends the next row of a location, given by its id. Closes the array of the location before. */
bool xtf_row_sink_append(XtfRowSink *sink, uint64_t location, const void *row, GError **error);

/* Appends all rows, ordered by location. */
typedef bool (*XtfRowSource)(void *data, XtfRowSink *sink, GError **error);

/* Writes the rows of a schema of the model, XTF_MODEL_WAITS and so on. */
bool xtf_row_sink_write(XtfWriter *writer, unsigned schema, XtfRowSource source, void *data, GError **error);
