/*
 * Tables as text: a `#` line that names the columns, and below it lines that are just as long.
 *
 * The columns and their widths stand in a grid; whoever fills lines puts one cell after the other. What does not fit
 * its column spoils the lines: widths follow from what the trace states, so it is damaged then.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/query/text/time-scale.h"

enum {
    XTF_GRID_COLUMNS_MAX = 12,
};

typedef struct {
    unsigned n;
    struct {
        const char *name; /* borrowed */
        size_t width;
        bool left; /* text, aligned left */
    } columns[XTF_GRID_COLUMNS_MAX];
    size_t line; /* bytes, one blank after each column, the last one's being the newline */
} XtfGrid;

/* Columns are wide enough for their names, the first one for the # too. A grid begins as all zeros. */
void xtf_grid_add(XtfGrid *grid, const char *name, size_t width);
void xtf_grid_add_text(XtfGrid *grid, const char *name, size_t width);

typedef struct {
    const XtfGrid *grid;
    const XtfTimeScale *scale;
    GString *out;    /* borrowed: what there is so far */
    unsigned column; /* of the next cell */
    bool spoilt;
} XtfLines;

void xtf_lines_init(XtfLines *lines, const XtfGrid *grid, const XtfTimeScale *scale, GString *out);
/* XTF_ERROR_DAMAGED if something did not fit. */
bool xtf_lines_finish(const XtfLines *lines, GError **error);

void xtf_lines_header(XtfLines *lines);

/* The next cell of a line; with the last one the line ends. */
void xtf_lines_none(XtfLines *lines); /* a dash */
void xtf_lines_number(XtfLines *lines, uint64_t number);
void xtf_lines_ticks(XtfLines *lines, unsigned __int128 ticks); /* as seconds, exactly */
void xtf_lines_seconds(XtfLines *lines, double seconds);        /* with as many digits */
void xtf_lines_real(XtfLines *lines, const char *format, double number);
void xtf_lines_signed(XtfLines *lines, int64_t number);
/* In hundredths of a percent; a dash if the whole is nothing. */
void xtf_lines_percent(XtfLines *lines, unsigned __int128 part, unsigned __int128 whole);
void xtf_lines_text(XtfLines *lines, const char *text, uint64_t number); /* see xtf_text_put() */
void xtf_lines_name(XtfLines *lines, const char *name, size_t length);   /* made fit already, and padded if too short */

/* Characters of the largest of so many ticks. */
size_t xtf_ticks_width(const XtfTimeScale *scale, unsigned __int128 ticks);
