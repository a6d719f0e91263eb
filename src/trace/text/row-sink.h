/*
 * Who takes the rows of a table: batches of them, or some columns, row by row.
 */
#pragma once

#include "src/trace/text/lines.h"

/* Takes the rows of a table, batch by batch. Both are called in one thread; false ends the table, with an error. */
typedef struct XtfRowSink XtfRowSink;
struct XtfRowSink {
    /* Called first: the n columns of all rows. They are good until this returns. */
    bool (*begin)(void *data, const XtfColumn *const *columns, unsigned n, GError **error);
    bool (*take)(void *data, const XtfRows *rows, uint64_t first, uint64_t n, GError **error);
    void *data;
};

/* Begins a table that has the columns of a grid. */
bool xtf_row_sink_begin(const XtfRowSink *sink, const XtfGrid *grid, GError **error);

/* Called with the cells of the columns that were asked for, in that order. */
typedef bool (*XtfCellsVisit)(const XtfRowCell *cells, void *data, GError **error);

/* Picks columns by their names, as SELECT does. */
typedef struct {
    const char *const *names;
    unsigned n;
    unsigned n_optional; /* of the last names: nothing, in a table without such a column */
    XtfCellsVisit visit;
    void *data;
    unsigned places[XTF_GRID_COLUMNS_MAX]; /* private: in the rows, of each name */
} XtfRowPicker;

/* A picker of the columns of an array of names. */
#define XTF_ROW_PICKER(NAMES, VISIT, DATA)                                           \
    {                                                                                \
        .names = (NAMES), .n = G_N_ELEMENTS(NAMES), .visit = (VISIT), .data = (DATA) \
    }

/* The sink of a picker, which it borrows. A table without one of the columns, unless that is optional, is refused:
 * XTF_ERROR_UNSUPPORTED. */
XtfRowSink xtf_row_picker_sink(XtfRowPicker *picker);
