/*
 * Rows of tables as values, for programs: pictures, findings, screens, CSV and JSON. A cell has a type, a value, and
 * the value as text. The text is a decimal number exactly as in tables, or a text of the trace, uncut and escaped as in
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
    bool negative;    /* sign of a whole number or time */
    const char *text; /* "" if the type is NOTHING */
    union {
        unsigned __int128 number; /* the number without its sign; 0 of NOTHING and TEXT */
        double real;              /* if the type is REAL */
    };
} XtfRowCell;

/* Rows of one table, in their order. */
typedef struct {
    unsigned n_columns;
    GArray *cells; /* XtfRowCell, row by row */
    GStringChunk *texts;
    size_t text_bytes;
} XtfRows;

void xtf_rows_init(XtfRows *rows, unsigned n_columns);
void xtf_rows_finish(XtfRows *rows); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfRows, xtf_rows_finish)

/* Adds the next cell, with a copy of the text of `length` bytes. */
void xtf_rows_add(XtfRows *rows, XtfRowCell cell, const char *text, size_t length);

/* Counts the complete rows so far. */
uint64_t xtf_rows_n(const XtfRows *rows);
/* Returns the cells of a row, valid until a cell is added. */
const XtfRowCell *xtf_rows_get(const XtfRows *rows, uint64_t i);
/* Estimates the bytes of memory that the rows hold. */
size_t xtf_rows_bytes(const XtfRows *rows);

/* Returns a cell's text; a dash of NOTHING. */
const char *xtf_row_shown(const XtfRowCell *cell);
/* Returns a number or percentage as floating point; 0 of NOTHING, TEXT and TIME. Times need a scale: xtf_row_seconds().
 */
double xtf_row_real(const XtfRowCell *cell);
/* Returns a whole number, time or percentage without its sign, at most UINT64_MAX; 0 of other types. */
uint64_t xtf_row_number(const XtfRowCell *cell);
