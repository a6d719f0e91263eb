/*
 * Tables as text: a `#` line with the names of the columns, and below it lines of the same length.
 *
 * A grid has the columns and their widths; lines are filled cell by cell. Widths follow from the limits that the trace
 * states. If a cell does not fit its column, the trace is damaged, and the lines are spoilt.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/trace/text/time-scale.h"

enum {
    XTF_GRID_COLUMNS_MAX = 32,
};

typedef struct {
    unsigned n;
    struct {
        const char *name; /* borrowed */
        size_t width;
        bool left; /* text, aligned left */
    } columns[XTF_GRID_COLUMNS_MAX];
    size_t line; /* bytes; after each column a blank, after the last one the newline */
} XtfGrid;

/* Columns are made wide enough for their names, the first one for the # too. A grid begins as all zeros. */
void xtf_grid_add(XtfGrid *grid, const char *name, size_t width);
void xtf_grid_add_text(XtfGrid *grid, const char *name, size_t width);

typedef struct {
    const XtfGrid *grid;
    const XtfTimeScale *scale;
    GString *out;    /* borrowed: the text so far */
    unsigned column; /* of the next cell */
    bool spoilt;
} XtfLines;

void xtf_lines_init(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, GString *out);
/* XTF_ERROR_DAMAGED if a cell did not fit. */
bool xtf_lines_finish(const XtfLines *lines, GError **error);

void xtf_lines_header(XtfLines *lines);

/* Add the next cell; the last one ends the line. */
void xtf_lines_word(XtfLines *lines, const char *word); /* at the side of its column; it fits */
void xtf_lines_none(XtfLines *lines);                   /* a dash */
void xtf_lines_number(XtfLines *lines, uint64_t number);
void xtf_lines_number_if(XtfLines *lines, bool known, uint64_t number); /* else a dash */
void xtf_lines_ticks(XtfLines *lines, unsigned __int128 ticks);         /* as seconds, exactly */
void xtf_lines_signed_ticks(XtfLines *lines, bool negative, unsigned __int128 ticks);
void xtf_lines_seconds(XtfLines *lines, double seconds); /* with as many digits as ticks have */
void xtf_lines_real(XtfLines *lines, const char *format, double number);
void xtf_lines_signed(XtfLines *lines, int64_t number);
void xtf_lines_signed_wide(XtfLines *lines, bool negative, unsigned __int128 number);
/* In hundredths of a percent; a dash if the whole is 0. */
void xtf_lines_percent(XtfLines *lines, unsigned __int128 part, unsigned __int128 whole);
void xtf_lines_text(XtfLines *lines, const char *text, uint64_t number); /* see xtf_text_put() */
void xtf_lines_name(XtfLines *lines, const char *name, size_t length);   /* escaped already; padded if too short */

/* Makes `n` lines of the one that is begun: each has its cells, and then one of the lines in `rest`, which are `length`
 * bytes each and have the other columns. */
void xtf_lines_repeat_cells(XtfLines *lines, const char *rest, size_t length, uint64_t n);

/* Characters of a number; of a time. */
size_t xtf_wide_width(unsigned __int128 number);
size_t xtf_ticks_width(const XtfTimeScale *scale, unsigned __int128 ticks);
