/*
 * Rows as CSV (RFC 4180, lines end in a newline) or as JSON Lines (an object a line).
 *
 * Times are exact decimals, in JSON strings, since a number there may lose digits. A cell without a value is empty, or
 * null. Text is whole; its control characters and bytes that are not UTF-8 are written as \xNN, as in all that is
 * printed. Of columns of one name the second is NAME_2.
 */
#pragma once

#include "src/trace/text/row-sink.h"

typedef enum {
    XTF_ROWS_CSV,
    XTF_ROWS_JSON,
} XtfRowFormat;

/* Takes bytes as they are made; false ends the writing, with an error. */
typedef bool (*XtfWriteBytes)(void *data, const char *bytes, size_t length, GError **error);

/* Appends a text as a field of CSV, quoted if need be; as a string of JSON. */
void xtf_csv_add(GString *out, const char *text);
void xtf_json_add(GString *out, const char *text);

typedef struct {
    XtfRowFormat format;
    XtfWriteBytes write;
    void *data;
    GString *buffer;  /* private: what is not written yet */
    GPtrArray *begin; /* private: of JSON, what stands before each cell */
} XtfRowWriter;

void xtf_row_writer_init(XtfRowWriter *writer, XtfRowFormat format, XtfWriteBytes write, void *data);
void xtf_row_writer_finish(XtfRowWriter *writer); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRowWriter, xtf_row_writer_finish)

/* The sink of a writer, which it borrows. */
XtfRowSink xtf_row_writer_sink(XtfRowWriter *writer);
/* Writes what the buffer still has. Call it once all rows are taken. */
bool xtf_row_writer_flush(XtfRowWriter *writer, GError **error);
