/*
 * Rows of tables as values, for programs: pictures, findings, screens, CSV and JSON. A cell has a type and a value, and
 * its value as text: a decimal number exactly as tables show it, or a text of the trace, whole and escaped as in
 * messages (xtf_text_shown()).
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    XTF_ROW_NOTHING, /* a dash in the table: no value */
    XTF_ROW_NUMBER,
    XTF_ROW_TIME,    /* in ticks */
    XTF_ROW_PERCENT, /* in hundredths of a percent */
    XTF_ROW_REAL,
    XTF_ROW_TEXT,
} XtfRowCellType;

typedef struct {
    XtfRowCellType type;
    bool negative;    /* of whole numbers and times */
    const char *text; /* "" of nothing */
    union {
        unsigned __int128 number; /* without its sign; 0 of nothing and of text */
        double real;              /* of a REAL */
    };
} XtfRowCell;

/* Rows of one table, in their order. */
typedef struct {
    unsigned n_columns;
    GArray *cells; /* of XtfRowCell, row by row */
    GStringChunk *texts;
    size_t text_bytes;
} XtfRows;

void xtf_rows_init(XtfRows *rows, unsigned n_columns);
void xtf_rows_finish(XtfRows *rows); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRows, xtf_rows_finish)

/* Adds the next cell: the text is copied, with `length` bytes. */
void xtf_rows_add(XtfRows *rows, XtfRowCell cell, const char *text, size_t length);

/* Whole rows so far. */
uint64_t xtf_rows_n(const XtfRows *rows);
/* The cells of a row. Valid until rows are added. */
const XtfRowCell *xtf_rows_get(const XtfRows *rows, uint64_t i);
/* Bytes of memory that the rows hold, about. */
size_t xtf_rows_bytes(const XtfRows *rows);

/* A cell's text; a dash of nothing. */
const char *xtf_row_shown(const XtfRowCell *cell);
/* A cell as a floating-point number: 0 of nothing, of a text, and of times, which need a scale (xtf_row_seconds()). */
double xtf_row_real(const XtfRowCell *cell);
/* A whole number as 64 bits, the largest of larger ones; 0 of nothing. */
uint64_t xtf_row_number(const XtfRowCell *cell);
