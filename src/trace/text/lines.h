/*
 * Tables: a grid has the columns of a table and their widths, and lines are filled cell by cell.
 *
 * The same cells make text or values. As text, a `#` line has the names of the columns, and the lines below it have the
 * same length. Widths follow from the limits that the trace states. If a cell does not fit its column, the trace is
 * damaged, and the lines are spoilt. As values, lines are rows (rows.h), and widths do not matter.
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
    size_t line; /* bytes; after each column a blank, after the last one the newline */
} XtfGrid;

/* A grid of none of the columns that a table declares. */
void xtf_grid_init(XtfGrid *grid, const XtfTableDeclaration *table);
/* Adds the declared column of a name. It is made wide enough for its name, the first one for the # too. */
void xtf_grid_add(XtfGrid *grid, const char *name, size_t width);
/* The same of a column that may be declared elsewhere. */
void xtf_grid_add_column(XtfGrid *grid, const XtfColumn *column, size_t width);

typedef struct {
    const XtfGrid *grid;
    const XtfTimeScale *scale;
    GString *out;    /* borrowed: the text so far; NULL: rows are made */
    XtfRows *rows;   /* borrowed: the rows so far; NULL: text is made */
    unsigned column; /* of the next cell */
    bool spoilt;
} XtfLines;

/* Lines as text. */
void xtf_lines_init(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, GString *out);
/* Lines as rows, of the grid's columns. */
void xtf_lines_init_rows(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, XtfRows *rows);
/* XTF_ERROR_DAMAGED if a cell did not fit. */
bool xtf_lines_finish(const XtfLines *lines, GError **error);
/* Lines that are whole so far, with the heading of a text. */
uint64_t xtf_lines_n(const XtfLines *lines);

/* The `#` line of a text. Rows have none. */
void xtf_lines_header(XtfLines *lines);

/* Add the next cell; the last one ends the line. */
void xtf_lines_word(XtfLines *lines, const char *word); /* at the side of its column; it fits */
void xtf_lines_none(XtfLines *lines);                   /* a dash: no value */
void xtf_lines_number(XtfLines *lines, uint64_t number);
void xtf_lines_number_if(XtfLines *lines, bool known, uint64_t number); /* else a dash */
void xtf_lines_ticks(XtfLines *lines, unsigned __int128 ticks);         /* as seconds, exactly */
void xtf_lines_ticks_if(XtfLines *lines, bool known, unsigned __int128 ticks);
/* A time, as seconds since the origin; a dash if it is not known. */
void xtf_lines_time_if(XtfLines *lines, bool known, uint64_t t);
void xtf_lines_signed_ticks(XtfLines *lines, bool negative, unsigned __int128 ticks);
/* A number of which the text is at hand. */
void xtf_lines_real_text(XtfLines *lines, double number, const char *text);
void xtf_lines_seconds(XtfLines *lines, double seconds); /* with as many digits as ticks have */
void xtf_lines_real(XtfLines *lines, const char *format, double number);
void xtf_lines_signed(XtfLines *lines, int64_t number);
void xtf_lines_signed_wide(XtfLines *lines, bool negative, unsigned __int128 number);
/* Returns a part in hundredths of a percent, rounded; `whole` is not 0. UINT64_MAX: too many. */
uint64_t xtf_hundredths(unsigned __int128 part, unsigned __int128 whole);
/* In hundredths of a percent; a dash if the whole is 0. */
void xtf_lines_percent(XtfLines *lines, unsigned __int128 part, unsigned __int128 whole);
void xtf_lines_text(XtfLines *lines, const char *text, uint64_t number); /* see xtf_text_put() */
/* A text of which the escaped form is at hand, and may be cut; padded if it is too short. */
void xtf_lines_shown_text(XtfLines *lines, const char *shown, size_t length, const char *whole);

/* Completes the line that is begun, and makes n - 1 lines more with the same first cells: the other columns are those
 * of n lines that were made before, `length` bytes each as text, or of rows from `first` on. */
void xtf_lines_join_text(XtfLines *lines, const char *others, size_t length, uint64_t n);
void xtf_lines_join_rows(XtfLines *lines, const XtfRows *others, uint64_t first, uint64_t n);

/* Characters of a number; of a time. */
size_t xtf_wide_width(unsigned __int128 number);
size_t xtf_ticks_width(const XtfTimeScale *scale, unsigned __int128 ticks);
