/*
 * Sinks for rows of a derived type. They write the rows, or send them to rank 0 of a job, which writes the rows of all
 * ranks.
 *
 * The ranks write one after the other, so that the file does not depend on timing. Each appends the rows of one
 * location after the other. One thread uses a sink.
 */
#pragma once

#include "libxtf/writer.h"
#include "src/world/world.h"

typedef struct {
    XtfWriter *writer; /* NULL: in ranks above 0 */
    XtfWorld *world;   /* NULL: no job */
} XtfRowTarget;

typedef struct XtfRowSink XtfRowSink;

/* Appends the next row of a location, given by its id. Closes the array of the location before. */
bool xtf_row_sink_append(XtfRowSink *sink, uint64_t location, const void *row, GError **error);

/* Appends all rows of this process. */
typedef bool (*XtfRowSource)(void *data, XtfRowSink *sink, GError **error);

/* Writes the rows of a schema of the model, XTF_MODEL_WAITS and so on. Collective in a job: one rank gets the error. */
bool xtf_row_sink_write(const XtfRowTarget *target, unsigned schema, XtfRowSource source, void *data, GError **error);
