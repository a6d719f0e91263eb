/*
 * Tables: a grid has the columns of a table and their widths, and lines are filled cell by cell.
 *
 * The cells become text or values. As text, a `#` line has the names of the columns, and all lines have the same
 * length. Widths follow from the limits that the trace states. If a cell does not fit its column, the trace is damaged,
 * and the lines are spoilt. As values, lines are rows (rows.h), and widths do not matter.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/trace/text/column.h"
#include "src/trace/text/rows.h"
#include "src/trace/text/time-scale.h"

enum {
    XTF_GRID_COLUMNS_MAX = 32,
};

typedef struct {
    const XtfTableDeclaration *table; /* borrowed */
    unsigned n;
    struct {
        const XtfColumn *column; /* borrowed */
        size_t width;
    } columns[XTF_GRID_COLUMNS_MAX];
    size_t line; /* bytes of a line; a blank follows each column, a newline the last one */
} XtfGrid;

/* Makes a grid of a table, yet without columns. */
void xtf_grid_init(XtfGrid *grid, const XtfTableDeclaration *table);
/* Adds a declared column by its name, wide enough for the name; the first column also has room for the #. */
void xtf_grid_add(XtfGrid *grid, const char *name, size_t width);
/* Adds a column that another table may declare. */
void xtf_grid_add_column(XtfGrid *grid, const XtfColumn *column, size_t width);

typedef struct {
    const XtfGrid *grid;
    const XtfTimeScale *scale;
    GString *out;    /* borrowed: the text so far; NULL: lines become rows */
    XtfRows *rows;   /* borrowed: the rows so far; NULL: lines become text */
    unsigned column; /* index of the next cell's column */
    bool spoilt;     /* a cell did not fit its column */
} XtfLines;

/* Begins lines as text, appended to `out`. */
void xtf_lines_init(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, GString *out);
/* Begins lines as rows of the grid's columns, appended to `rows`. */
void xtf_lines_init_rows(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, XtfRows *rows);
/* Fails with XTF_ERROR_DAMAGED if a cell did not fit. */
bool xtf_lines_finish(const XtfLines *lines, GError **error);
/* Counts the complete lines so far, including the heading of a text. */
uint64_t xtf_lines_n(const XtfLines *lines);

/* Adds the `#` line to a text; rows have none. */
void xtf_lines_header(XtfLines *lines);

/* Add the next cell; the last one ends the line. */
void xtf_lines_word(XtfLines *lines, const char *word); /* aligned as its column; must fit */
void xtf_lines_none(XtfLines *lines);                   /* a dash: no value */
void xtf_lines_number(XtfLines *lines, uint64_t number);
void xtf_lines_number_if(XtfLines *lines, bool known, uint64_t number); /* a dash if unknown */
void xtf_lines_ticks(XtfLines *lines, unsigned __int128 ticks);         /* adds the ticks as seconds, exactly */
void xtf_lines_ticks_if(XtfLines *lines, bool known, unsigned __int128 ticks);
/* Adds a time as seconds since the origin; a dash if unknown. */
void xtf_lines_time_if(XtfLines *lines, bool known, uint64_t t);
void xtf_lines_signed_ticks(XtfLines *lines, bool negative, unsigned __int128 ticks);
/* Adds a number whose text the caller has already. */
void xtf_lines_real_text(XtfLines *lines, double number, const char *text);
void xtf_lines_seconds(XtfLines *lines, double seconds); /* adds seconds with the digits that a tick needs */
void xtf_lines_real(XtfLines *lines, const char *format, double number);
void xtf_lines_signed(XtfLines *lines, int64_t number);
void xtf_lines_signed_wide(XtfLines *lines, bool negative, unsigned __int128 number);
/* Returns a part in hundredths of a percent, rounded; `whole` is not 0. UINT64_MAX: too many. */
uint64_t xtf_hundredths(unsigned __int128 part, unsigned __int128 whole);
/* Adds a part in hundredths of a percent; a dash if the whole is 0. */
void xtf_lines_percent(XtfLines *lines, unsigned __int128 part, unsigned __int128 whole);
void xtf_lines_text(XtfLines *lines, const char *text, uint64_t number); /* see xtf_text_put() */
/* Adds a text: to lines of text the escaped form `shown`, padded, which may be cut; to rows `whole`, escaped. */
void xtf_lines_shown_text(XtfLines *lines, const char *shown, size_t length, const char *whole);

/* Completes the current line and adds n - 1 lines with the same first cells. The right cells are copies: of n texts of
 * `length` bytes each, or of the n rows from `first` on. */
void xtf_lines_join_text(XtfLines *lines, const char *right_cells, size_t length, uint64_t n);
void xtf_lines_join_rows(XtfLines *lines, const XtfRows *right_rows, uint64_t first, uint64_t n);

/* Return the characters of a number, and of a time. */
size_t xtf_wide_width(unsigned __int128 number);
size_t xtf_ticks_width(const XtfTimeScale *scale, unsigned __int128 ticks);
