/*
 * A complete table in memory, as text or as rows. The code that fills it is the same for both.
 *
 *     xtf_grid_init(&output->grid, &table);
 *     xtf_grid_add(&output->grid, "proc", width);
 *     XtfLines *lines = xtf_table_output_begin(output, scale);
 *     xtf_lines_number(lines, proc);
 *     return xtf_lines_finish(lines, error);
 */
#pragma once

#include "src/trace/text/lines.h"

typedef struct {
    XtfGrid grid;
    XtfLines lines;
    GString *text; /* NULL: the lines become rows */
    XtfRows rows;
} XtfTableOutput;

void xtf_table_output_init_text(XtfTableOutput *output);
void xtf_table_output_init_rows(XtfTableOutput *output);
void xtf_table_output_finish(XtfTableOutput *output); /* accepts all zeros */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfTableOutput, xtf_table_output_finish)

/* Begins the lines once the grid has its columns; adds the heading of a text. */
XtfLines *xtf_table_output_begin(XtfTableOutput *output, const XtfTimeScale *scale);
