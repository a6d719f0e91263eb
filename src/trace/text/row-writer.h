/*
 * Rows as CSV (RFC 4180, lines end in a newline) or as JSON Lines (an object a line).
 *
 * Times are exact decimals; JSON has a string of a time with decimals, since a number there may lose digits. A cell
 * without a value is empty in CSV and null in JSON. Text is uncut, with the escapes of messages (escape.h). If several
 * columns have one name, the second is NAME_2.
 */
#pragma once

#include "src/trace/text/row-sink.h"

typedef enum {
    XTF_ROWS_CSV,
    XTF_ROWS_JSON,
} XtfRowFormat;

/* Writes the next bytes of the output; false with an error ends the writing. */
typedef bool (*XtfWriteBytes)(void *data, const char *bytes, size_t length, GError **error);

/* Append a text as a field of CSV, quoted if necessary, and as a string of JSON. */
void xtf_csv_add(GString *out, const char *text);
void xtf_json_add(GString *out, const char *text);

typedef struct {
    XtfRowFormat format;
    XtfWriteBytes write;
    void *data;
    GString *buffer;     /* private: output not written yet */
    GPtrArray *prefixes; /* private: by column, JSON text before its cell */
} XtfRowWriter;

void xtf_row_writer_init(XtfRowWriter *writer, XtfRowFormat format, XtfWriteBytes write, void *data);
void xtf_row_writer_finish(XtfRowWriter *writer); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRowWriter, xtf_row_writer_finish)

/* Returns a sink that borrows the writer. */
XtfRowSink xtf_row_writer_sink(XtfRowWriter *writer);
/* Writes the rest of the buffer. The caller calls it after the last row. */
bool xtf_row_writer_flush(XtfRowWriter *writer, GError **error);
