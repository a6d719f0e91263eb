/*
 * Receivers of the rows of a table: a sink gets batches of rows, a picker gets some columns, row by row.
 */
#pragma once

#include "src/trace/text/lines.h"

/* A receiver of the rows of a table, batch by batch. One thread calls both functions. False with an error ends the
 * table. */
typedef struct XtfRowSink XtfRowSink;
struct XtfRowSink {
    /* Receives the n columns of all rows, first. They are valid until the function returns. */
    bool (*set_columns)(void *data, const XtfColumn *const *columns, unsigned n, GError **error);
    /* Receives the rows first .. first + n - 1 of `rows`. */
    bool (*add_rows)(void *data, const XtfRows *rows, uint64_t first, uint64_t n, GError **error);
    void *data;
};

/* Gives a sink the columns of a grid, which begins the table. */
bool xtf_row_sink_set_columns(const XtfRowSink *sink, const XtfGrid *grid, GError **error);

/* Receives the picked cells of a row, in the order of the picker's names. */
typedef bool (*XtfCellsVisit)(const XtfRowCell *cells, void *data, GError **error);

/* Picks columns by their names, as SELECT does. */
typedef struct {
    const char *const *names;
    unsigned n;
    unsigned n_optional; /* last names whose columns a table may lack; their cells are then empty */
    XtfCellsVisit visit;
    void *data;
    unsigned indexes[XTF_GRID_COLUMNS_MAX]; /* private: column in the rows, by name */
} XtfRowPicker;

/* A picker of the columns of an array of names. */
#define XTF_ROW_PICKER(NAMES, VISIT, DATA)                                           \
    {                                                                                \
        .names = (NAMES), .n = G_N_ELEMENTS(NAMES), .visit = (VISIT), .data = (DATA) \
    }

/* Returns a sink that borrows the picker. It fails with XTF_ERROR_UNSUPPORTED if the table lacks a column that is not
 * optional. */
XtfRowSink xtf_row_picker_sink(XtfRowPicker *picker);
